"""Tests of `carc play --real-table`: people enter a game with cardboard tiles line by line, bots play some seats or
advise people, and no entry is lost.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env.arena.check_files import replay_file
from carc_env.bots import make
from carc_env.games.real_table import RealTable
from carc_env.terminal.cardboard import meant
from tests.terminal.conftest import Terminal, asked

SMALL = {"boxes": ["goldmines"]}


@pytest.fixture
def small(tmp_path):
    """Return the path of a file with the configuration of a short game."""
    path = tmp_path / "small.toml"
    path.write_text(carc_env.GameConfig(**SMALL).to_toml())
    return path


def play_on(table, chance, bots=("greedy",)):
    """Play a game with cardboard tiles to its end, with random draws and actions. Bots have the last seats. Return the
    lines that people type.
    """
    typed, first = [], table.game.players - len(bots)
    while not table.is_over:
        if table.is_chance:
            typed.append(chance.choice([one.name for one in table.chances()]))
            table.enter(typed[-1])
        elif table.game.player >= first:
            table.enter(table.game.text(make(bots[table.game.player - first], 0).choose(table.game)))
        else:
            typed.append(table.game.text(int(chance.choice(table.legal_actions()))))
            table.enter(typed[-1])
    return typed


def lines(typed):
    return "".join(f"{line}\n" for line in typed)


def real(*words):
    return ("play", "--real-table", "--plain", *words)


def test_a_whole_game_is_followed_and_kept_as_a_record(carc, kept, small):
    table = RealTable(SMALL)
    typed = play_on(table, np.random.default_rng(1))
    outcome = carc(*real("--preset", small, "--seats", "person:Ann", "greedy"), typed=lines(typed))
    assert outcome.status == 0 and outcome.err == ""
    (path,) = kept.iterdir()
    (game,) = replay_file(path)
    assert game.is_over and game.moves == table.game.moves and game.record()["deck"] == table.game.record()["deck"]
    together = next(line for line in outcome.lines if line.startswith("total"))
    assert list(map(int, together.split()[1:])) == table.game.scores.tolist()
    assert "Red (Ann) places GM" in outcome.out and "Which tile was drawn?" in outcome.out
    assert all(f"Blue: {entry.text}" in outcome.lines for entry in table.entries if entry.player == 1)


@pytest.mark.parametrize("stop", [1, 2, 5])
def test_what_was_entered_is_kept_at_every_moment(carc, kept, small, stop):
    table = RealTable(SMALL)
    typed = play_on(table, np.random.default_rng(2))
    first = carc(*real("--preset", small, "--seats", "person", "greedy"), typed=lines(typed[:stop]))
    assert first.status == 0 and first.lines[-1].startswith("carc play --real-table --load ")
    words = shlex.split(first.lines[-1])[1:]
    assert words[-3:] == ["--seats", "person", "greedy"]
    again = carc(*words, typed=lines(typed[stop:]))
    assert re.search(r"The game continues after \d+ entries", again.out) and again.lines[-1].startswith(
        "The game is in "
    )
    (game,) = replay_file(again.lines[-1].removeprefix("The game is in "))
    assert game.moves == table.game.moves


def test_a_wrong_entry_is_taken_back_with_what_the_bot_answered_to_it(carc, small):
    typed = ["GM1", "GM1@1,0/0", "undo", "undo", "undo", "gm2", "undo"]
    outcome = carc(*real("--preset", small, "--seats", "greedy", "person"), typed=lines(typed))
    taken = [line for line in outcome.lines if line.startswith("Taken back:")]
    assert taken[0] == "Taken back: tile GM1" and taken[-1] == "Taken back: tile GM2"
    assert "There is nothing to take back." in outcome.out
    assert outcome.out.count("Red: GM1@") >= 1 and "Red: GM2@" in outcome.out


def test_a_move_is_called_forced_only_if_it_was(carc):
    """Checks two cases: the tile drawn after the move is taken back, or the game is loaded before the draw."""
    typed = ["X", "1", "1", "V"]
    outcome = carc(*real("--preset", "base", "--seats", "person:Ann", "person:Ben"), typed=lines([*typed, "undo", "V"]))
    assert "Taken back: tile V" in outcome.out and "Ben (Ben)" not in outcome.out
    assert "the only possible move" not in outcome.out
    begun = carc(*real("--preset", "base", "--seats", "person:Ann", "person:Ben"), typed=lines(typed[:3]))
    again = carc(*shlex.split(begun.lines[-1])[1:], typed="V\n")
    assert "The game continues after 3 entries" in again.out and "the only possible move" not in again.out


def test_a_saved_table_knows_who_sits_at_it(carc, kept):
    begun = carc(*real("--preset", "base", "--seats", "person:Ann", "level:2"), typed=lines(["X", "1"]))
    path = next(kept.glob("*.jsonl"))
    assert json.loads(path.read_text())["seats"] == ["person:Ann", "level:2"]
    again = carc(*real("--load", path))
    assert again.lines[-1].endswith("--seats person:Ann level:2") and begun.status == again.status == 0
    other = carc(*real("--load", path, "--seats", "person", "person"), typed="pass\n")
    assert other.lines[-1].endswith("--seats person person")
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"seats": ["person:Ann", "cmd:echo"]}))
    assert carc(*real("--load", path)).lines[-1].endswith("--seats person level:5")
    path.write_text(json.dumps(record | {"seats": "Ann"}))
    assert "seats = 'Ann': should be a list of strings" in carc(*real("--load", path)).err


@pytest.mark.parametrize("command", [("check",), ("replay",)])
def test_other_commands_say_what_an_unfinished_table_is(carc, kept, command):
    carc(*real("--preset", "base"), typed=lines(["X", "1"]))
    outcome = carc(*command, next(kept.glob("*.jsonl")))
    assert (
        outcome.status == 1
        and "this is an unfinished game with cardboard tiles; `carc play --real-table" in outcome.err
    )


def test_a_person_is_advised(carc, small):
    seats = ("--seats", "person:Ann", "person", "--advise", 0, "--hints", "greedy")
    outcome = carc(*real("--preset", small, *seats), typed="GM3\nb\n1\n")
    assert "What greedy thinks best, with the expected margin and the chance to win:" in outcome.said
    assert outcome.lines[-1].endswith("--seats person:Ann person --advise 0 --hints greedy")
    assert "--advise" not in carc(*real("--preset", small, "--seats", "person", "person"), typed="GM3\n1\n").lines[-1]


def test_tiles_are_found_by_name_by_edges_and_by_what_is_on_them(carc):
    outcome = carc(*real("--preset", "base"), typed="xyz\nGM1\nhint\nrfrf\n1\n")
    assert "'xyz': this is not the id of a tile; write the id of the drawn tile, such as" in outcome.said
    assert "'GM1': no such tile is left in the bag" in outcome.said
    assert "First enter the drawn tile or chip." in outcome.said
    assert outcome.lines.count("Red places U, a tile with a road") == 1  # the straight road without a garden


@pytest.mark.parametrize(
    "typed, names",
    [
        ("u", "U"),
        ("tile u", "U"),
        ("FRFR", "U U-g"),
        ("cccc", "C"),
        ("ccfc", "Q R R-g"),
        ("Monastery", "A B"),
        ("monastery road", "A"),
        ("city pennant road", "O S"),
        ("nothing of all", ""),
        ("", ""),
    ],
)
def test_what_may_be_meant(typed, names):
    found = meant(RealTable("base").chances(), typed)
    assert {chance.name.removeprefix("tile ") for chance in found} == set(names.split())


@pytest.mark.parametrize("asks", [True, False])
def test_start_tiles_chips_and_castle_tiles_are_entered_as_they_lie(carc, asks):
    record = carc_env.Game("carcassonne", seed=4).record()
    starts = ["{}@{},{}/{}".format(*start) for start in record["starts"]]
    chips = ["{},{}".format(*chip[:2]) for chip in record["chips"]]
    given = () if asks else ("--starts", *starts, "--chips", *chips)
    asked = ["D@5", " ".join(starts), " ".join(chips[:3]), " ".join(starts), " ".join(chips)] if asks else []
    outcome = carc(*real("--preset", "carcassonne", "--seats", "person", "greedy", *given), typed=lines([*asked, "E"]))
    assert ("'D@5' should be a tile with its square and rotation, such as D@5,4/90" in outcome.said) == asks
    assert ("chips: 3 squares are named, but there are 30 chips" in outcome.said) == asks
    assert "Red places E" in outcome.out
    (path,) = [word for word in shlex.split(outcome.lines[-1]) if word.endswith(".jsonl")]
    kept = json.loads(Path(path).read_text())["lying"]
    assert kept["starts"] == record["starts"] and sorted(kept["chips"]) == sorted(c[:2] for c in record["chips"])


def test_a_chip_is_turned_up(carc):
    game = carc_env.Game("carcassonne", seed=4)
    record = game.record()
    table = RealTable("carcassonne", {"starts": record["starts"], "chips": [chip[:2] for chip in record["chips"]]})
    rng = np.random.default_rng(4)
    while table.wanted != "chip":
        if table.is_chance:
            table.enter(table.chances()[int(rng.integers(len(table.chances())))].name)
        else:
            table.enter(table.game.text(int(rng.choice(table.legal_actions()))))
    x, y = table.square
    typed = [entry.text for entry in table.entries] + ["orange 7", "orange 2"]
    starts = ["{}@{},{}/{}".format(*start) for start in record["starts"]]
    chips = ["{},{}".format(*chip[:2]) for chip in record["chips"]]
    words = ("--seats", "person", "person", "--starts", *starts, "--chips", *chips)
    outcome = carc(*real("--preset", "carcassonne", *words), typed=lines(typed))
    assert f"Which chip was turned up on {x},{y}?" in outcome.out
    assert "'orange 7': a chip has to be turned up; write one of chip purple 1" in outcome.said
    assert f"took a chip orange 2 from {x},{y}" in outcome.said


@pytest.mark.parametrize(
    "words, why",
    [
        (("--seats", "person", "greedy"), "--seats needs --real-table"),
        (("--real-table", "--seed", 1), "--seed cannot be used with --real-table"),
        (("--real-table", "--against", "greedy"), "--against cannot be used with --real-table"),
        (
            ("--real-table", "--load", "x", "--chips", "1,2"),
            "--load already gives the layout of the table; leave out --chips",
        ),
        (("--real-table", "--seats", "person", "nobody"), "unknown bot 'nobody'"),
        (("--real-table", "--advise", 1), "--advise 1: only people can be advised; seats with people: 0"),
        (("--real-table", "--starts", "D"), "'D' should be a tile"),
    ],
)
def test_wrong_words_are_told_in_one_line(carc, words, why):
    outcome = carc("play", *words)
    assert outcome.status == 2 and why in outcome.err and outcome.err.count("\n") == 1


def test_a_file_of_another_game_is_refused(carc, tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps(carc_env.Game("base", seed=1).record()) + "\n")
    outcome = carc(*real("--load", path))
    assert outcome.status == 1 and "continues only unfinished games with cardboard tiles; leave it out" in outcome.err
    path.write_text(json.dumps(RealTable("base").record()) + "\n")
    outcome = carc("play", "--load", path)
    assert outcome.status == 1 and "this is a game with cardboard tiles; add --real-table" in outcome.err


def test_a_screen_shows_the_tiles_that_may_be_drawn(kept):
    screen = Terminal(["play", "--real-table", "--preset", "base", "--seats", "person:Ann", "greedy"])
    shown = screen.until(asked(r"draws\. Which tile was"))
    assert "32 in total, n: more" in shown and "M" in shown
    assert "Red (Ann) places D" in screen.type("D", "places D")
    assert "5 pass" in screen.type("d@1,0/180", asked("may place"))
    assert "Blue (greedy) draws." in screen.type("pass", r"Blue \(greedy\) draws")
