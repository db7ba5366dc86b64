"""Tests of `carc replay --analyze` and `--movie`: tables, JSON, plots, movies, and errors."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from PIL import Image

import carc_env
from carc_env.arena.analysis import analyse_game, lines_of, totals
from carc_env.arena.check_files import position_after
from tests.render.helpers import marked, parse


def test_the_table_of_a_game(carc, record_file, records):
    outcome = carc("replay", record_file, "--game", 2, "--analyze")
    answers = analyse_game(records[1])
    assert (outcome.status, outcome.err) == (0, "")
    table, _, summary = outcome.out.partition("\n\n")
    assert table.splitlines() == lines_of(answers)
    lost = [total.lost for total in totals(answers, 2)]
    assert [line.split()[:3] for line in summary.splitlines()] == [
        [name, "lost", f"{points:.1f}"] for name, points in zip(("Red", "Blue"), lost)
    ]
    assert carc("replay", record_file, "--game", 2, "--analyse").out == outcome.out


def test_json(carc, record_file, records):
    found = carc("replay", record_file, "--analyze", "--with", "ppo", "--json").json
    answers = analyse_game(records[0], "ppo")
    assert {key: found[key] for key in ("file", "game", "with", "moves", "over", "scores")} == {
        "file": str(record_file),
        "game": 1,
        "with": "ppo",
        "moves": len(records[0]["moves"]),
        "over": True,
        "scores": records[0]["scores"],
    }
    assert [(answer["move"], answer["lost"], answer["best"]) for answer in found["answers"]] == [
        (a.move, a.lost, a.best) for a in answers
    ]
    assert [player["worst"] for player in found["players"]] == [
        [answer.move for answer in total.worst] for total in totals(answers, 2)
    ]


def test_a_bot_that_knows_errors_tells_them(carc, record_file, records):
    words = ("replay", record_file, "--analyze", "--bot", "level:5", "--move", 8)
    table = carc(*words).out
    assert " ± " in table.partition("\n\n")[0] and carc(*words, "--json").json["with"] == "level:5"
    by_greedy = carc("replay", record_file, "--analyze", "--bot", "greedy", "--move", 8)
    assert by_greedy.out == carc("replay", record_file, "--analyze", "--with", "greedy", "--move", 8).out
    assert " ± " not in by_greedy.out


def test_the_first_moves_only(carc, record_file, records):
    found = carc("replay", record_file, "--analyze", "--move", 12, "--json").json
    part = position_after(carc_env.replay(records[0]), 12)
    assert found["answers"] and found["moves"] == len(part.moves) < 20 and found["answers"][-1]["move"] <= 12
    assert (
        carc("replay", record_file, "--movie", record_file.parent / "x.svg", "--move", 12, "--json").json["pictures"]
        == len(found["answers"]) + 1
    )


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_plot(carc, record_file, records, tmp_path, suffix):
    assert carc("replay", record_file, "--analyze", "--plot", tmp_path / f"out.{suffix}").status == 0
    if suffix == "svg":
        root = parse((tmp_path / "out.svg").read_text())
        assert [int(e.get("data-points")) for e in marked(root, class_="points")] == records[0]["scores"]
    else:
        assert Image.open(tmp_path / "out.png").size[0] == 1400


def test_a_table_in_colours_on_a_terminal(record_file):
    pytest.importorskip("rich")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "carc_env", "replay", str(record_file), "--analyze", "--game", "2"],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"},
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # on Linux, the end of the output raises OSError
        while part := os.read(ours, 1 << 16):
            shown += part
    os.close(ours)
    assert process.wait(300) == 0 and b"\x1b[1;31m" in shown and b"Blue lost " in shown


def test_a_movie(carc, record_file, records, tmp_path):
    outcome = carc("replay", record_file, "--game", 3, "--movie", tmp_path / "out.gif", "--delay", ".2")
    assert (outcome.status, outcome.err) == (0, "")
    with Image.open(tmp_path / "out.gif") as movie:
        assert (
            outcome.out == f"game 3: {movie.n_frames} pictures in {tmp_path / 'out.gif'}\n"
            and movie.info["duration"] == 200
        )
        assert movie.n_frames == len(analyse_game(records[2])) + 1
    outcome = carc("replay", record_file, "--game", 3, "--movie", tmp_path / "out.svg", "--json")
    assert outcome.json == {
        "file": str(record_file),
        "game": 3,
        "movie": str(tmp_path / "out.svg"),
        "pictures": len(analyse_game(records[2])) + 1,
    }
    parse((tmp_path / "out.svg").read_text())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--movie", "out.mp4"), "carc: movie out.mp4: the name should end in .gif or .svg"),
        (("--movie", "out.gif", "--delay", "0"), "'0' should be a number of seconds from 0.02 to 60"),
        (("--movie", "out.gif", "--delay", "soon"), "'soon' should be a number of seconds from 0.02 to 60"),
        (("--movie", "out.gif", "--delay", "nan"), "'nan' should be a number of seconds from 0.02 to 60"),
        (("--movie", "out.gif", "--analyze"), "carc: give either --analyze or --movie, not both"),
        (("--movie", "out.gif", "--move", "1000"), "carc: --move 1000: game 1 of {file} has {moves} moves"),
        (("--movie", "out.gif", "--picture", "out.svg"), "carc: --picture cannot be used with --movie"),
        (("--analyze", "--picture", "out.svg"), "carc: --picture cannot be used with --analyze"),
        (("--delay", "1"), "carc: --delay needs --movie"),
        (("--with", "greedy"), "carc: --bot needs --analyze"),
        (("--bot", "greedy"), "carc: --bot needs --analyze"),
        (("--plot", "out.svg"), "carc: --plot needs --analyze"),
        (("--analyze", "--plot", "out.gif"), "carc: picture out.gif: the name should end in .svg or .png"),
        (("--analyze", "--game", "4"), "carc: --game 4: {file} has 3 game records"),
        (("--analyze", "--with", "random"), "carc: <bot random> cannot compute values of actions"),
        (("--analyze", "--with", "nobody"), "carc: unknown bot 'nobody'; the known bots are "),
        (
            ("--analyze", "--move", "0", "--plot", "out.svg"),
            "carc: out.svg: there is nothing to draw, because no action has been analysed",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(carc, record_file, records, words, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = carc("replay", record_file, *words)
    assert outcome.status == 2 and outcome.out == ""
    assert reason.format(file=record_file, moves=len(records[0]["moves"])) in outcome.complaint
    assert [path.name for path in tmp_path.iterdir()] == [record_file.name]


def test_a_file_that_cannot_be_written(carc, record_file, tmp_path):
    for words in (("--movie", tmp_path / "no" / "out.svg"), ("--analyze", "--plot", tmp_path / "no" / "out.svg")):
        outcome = carc("replay", record_file, "--game", 3, *words)
        assert (
            outcome.status == 1
            and outcome.complaint == f"carc: {tmp_path / 'no' / 'out.svg'}: No such file or directory"
        )


def test_ctrl_c_tells_what_was_judged(carc_process, record_file, tmp_path):
    """Ctrl-C interrupts a slow bot after some actions. The command still prints the actions that were judged."""
    (tmp_path / "slow_judge.py").write_text(
        "import time\nimport carc_env\n\n\nclass Slow:\n    def choose(self, game):\n        return game.legal_actions()[0]\n\n"
        "    def analyse(self, game):\n        time.sleep(.5)\n        open('asked', 'a').write('x')\n"
        "        return [(int(action), 0.0) for action in game.legal_actions()]\n"
    )
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "carc_env",
            "replay",
            str(record_file),
            "--analyze",
            "--with",
            "slow_judge:Slow",
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), str(tmp_path)])},
    )
    until = time.monotonic() + 300
    while time.monotonic() < until and not ((tmp_path / "asked").exists() and (tmp_path / "asked").stat().st_size > 4):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    found = json.loads(out)
    assert process.returncode == 130 and 0 < len(found["answers"]) < 100
    assert (
        err.strip().splitlines()[-1].startswith(f"carc: interrupted after {len(found['answers'])} of ")
        and "Traceback" not in err
    )
