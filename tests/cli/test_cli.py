"""Tests of the command `carc`: usage, exit statuses, one line for each error, and `carc replay`."""

import json

import pytest

import carc_env
from carc_env.arena import match
from carc_env.commands.cli import main

COMMANDS = ("match", "replay", "check", "bench", "doctor")


def test_help_lists_the_commands(carc):
    outcome = carc("--help")
    assert outcome.status == 0 and outcome.err == ""
    assert all(f"\n    {command} " in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(carc, command):
    outcome = carc(command, "--help")
    assert outcome.status == 0 and outcome.out.startswith(f"usage: carc {command}") and "--json" in outcome.out


def test_version(carc_process):
    process = carc_process("--version")
    assert process.communicate() == (f"carc_env {carc_env.__version__}\n", "")
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "required: COMMAND"),
        (("fly",), "invalid choice: 'fly'"),
        (("match", "random"), "required: B"),
        (("match", "random", "random", "--pairs", "0"), "'0' should be a whole number from 1 up"),
        (("match", "random", "random", "--pairs", "x"), "'x' should be a whole number from 1 up"),
        (("match", "random", "random", "--seed", "1.5"), "invalid int value: '1.5'"),
        (("match", "random", "random", "--seed", "-1"), "seed -1 should be an integer from 0 to"),
        (("match", "random", "nobody"), "unknown bot 'nobody'; the known bots are random, greedy, keen, "),
        (("match", "random", "random", "--preset", "gold"), "unknown preset 'gold'; known presets are base, "),
        (("check",), "required: FILE"),
        (("bench", "motor"), "no result has a name that begins with 'motor'; the names are engine.base.games_per_s"),
        (("doctor", "--colour"), "unrecognized arguments: --colour"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(carc, words, reason):
    outcome = carc(*words)
    assert outcome.status == 2 and outcome.out == ""
    assert outcome.complaint.startswith("carc") and reason in outcome.complaint


# --- replay --------------------------------------------------------------------------------------------------------
def test_replay_checks_all_and_shows_the_last_board(carc, record_file, records):
    outcome = carc("replay", record_file)
    assert outcome.status == 0 and outcome.err == ""
    lines = outcome.out.splitlines()
    for number, record in enumerate(records, 1):
        points = " : ".join(map(str, record["scores"]))
        assert lines[number - 1].startswith(f"game {number}: {len(record['moves'])} moves, {points} points")
    assert lines[2].endswith(", not over")
    from carc_env.render import ansi

    assert outcome.out.endswith("\n\n" + ansi(carc_env.replay(records[-1])))


def test_replay_json(carc, record_file, records):
    assert carc("replay", record_file, "--json").json == {
        "file": str(record_file),
        "games": [
            {"moves": len(record["moves"]), "over": number < 2, "scores": record["scores"]}
            for number, record in enumerate(records)
        ],
    }


@pytest.mark.parametrize("command", ["replay", "check"])
@pytest.mark.parametrize(
    ("line", "key", "value", "reason"),
    [
        (1, "scores", [0, 1], "line 1: scores = [0, 1], but the moves give"),
        (2, "moves", ["jump"], "line 2: moves[0]: 'jump' is not an action"),
        (3, "deck", ["ZZ"], "line 3: record: deck[0] = 'ZZ': unknown tile"),
        (3, "deck", [], "line 3: record: the deck is empty"),
        (2, "config", {"players": 9}, "line 2: record: players = 9: should be from 2 to 5"),
        (2, "carc_env", 99, "line 2: carc_env = 99, but this version reads format 1"),
    ],
)
def test_a_record_that_does_not_hold(carc, record_file, records, command, line, key, value, reason):
    wrong = [record | {key: value} if number == line else record for number, record in enumerate(records, 1)]
    record_file.write_text("\n".join(map(json.dumps, wrong)))
    before = record_file.read_bytes()
    outcome = carc(command, record_file)
    assert outcome.status == 1
    assert outcome.complaint.startswith(f"carc: {record_file}, {reason}")
    assert record_file.read_bytes() == before


@pytest.mark.parametrize("command", ["replay", "check"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"carc_env": 1', "line 1: the line is not JSON"),
        ("{}", "line 1: the record lacks the key 'carc_env'"),
        ('{"a": ' + "9" * 5000 + "}", "line 1: the JSON cannot be read"),
        ('{"a": ' + "[" * 100_000, "line 1: the JSON cannot be read"),
    ],
)
def test_a_file_without_records(carc, tmp_path, command, text, reason):
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    outcome = carc(command, path)
    assert outcome.status == 1 and f"{path}, {reason}" in outcome.complaint


@pytest.mark.parametrize("command", ["replay", "check"])
def test_files_that_cannot_be_read(carc, tmp_path, command):
    path = tmp_path / "games.jsonl"
    assert f"{path}: No such file" in carc(command, path).complaint
    assert f"{tmp_path}: Is a directory" in carc(command, tmp_path).complaint
    path.write_bytes(b'{"\xff\xfe')
    assert f"{path}: the file is not a text file" in carc(command, path).complaint
    assert carc(command, path).status == 1


def test_replay_of_an_empty_file(carc, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("\n")
    assert (
        carc("replay", path).complaint == f"carc: {path}: the file is empty; it should contain one game record per line"
    )


# --- interruptions ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("chunks", "pairs"), [(0, 0), (3, 6)])
def test_ctrl_c_tells_what_was_played(carc, monkeypatch, chunks, pairs):
    calm, begun = match.play_chunk, []

    def impatient(*arguments):
        begun.append(1)
        if len(begun) > chunks:
            raise KeyboardInterrupt
        return calm(*arguments)

    monkeypatch.setattr(match, "CHUNK", 3)
    monkeypatch.setattr(match, "PATIENCE", 1e9)
    monkeypatch.setattr(match, "play_chunk", impatient)
    outcome = carc("match", "random", "random", "--preset", "base", "--pairs", 100, "--json")
    assert (outcome.status, outcome.complaint) == (130, f"carc: interrupted after {pairs} of 100 pairs")
    assert outcome.json["pairs"] == pairs if pairs else outcome.out == ""


def test_ctrl_c_elsewhere(carc, monkeypatch):
    def impatient(compiling: bool):
        raise KeyboardInterrupt

    monkeypatch.setattr("carc_env.commands.doctor.findings", impatient)
    outcome = carc("doctor")
    assert (outcome.status, outcome.complaint, outcome.out) == (130, "carc: interrupted", "")


def test_a_closed_pipe_is_no_traceback(carc_process, record_file):
    process = carc_process("replay", record_file)
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=120) == 1 and err == ""


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch):
    def broken(compiling: bool) -> None:
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("carc_env.commands.doctor.findings", broken)
    with pytest.raises(ValueError, match="broadcast"):
        main(["doctor"])
