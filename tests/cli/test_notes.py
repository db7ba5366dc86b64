"""Tests of the notes in game records: the names of the players, who forfeited the game, and where notes are shown."""

import copy
import json
import pickle

import pytest

import carc_env
from carc_env import Game, RecordError, replay
from carc_env.arena.movie import save_movie
from carc_env.arena.puzzles import shipped
from carc_env.games.replay import retrace
from carc_env.notation.notes import Notes
from carc_env.render import ansi, svg

NOTES = Notes(("Ada Lovelace", "greedy"), 1)


@pytest.fixture
def game():
    """Return a short, unfinished game with notes."""
    found = Game("base", deck=["U", "V", "E", "K"])
    found.play("U@1,0/0")
    found.notes = NOTES
    return found


def test_notes_go_with_a_game_wherever_it_goes(game):
    assert game.record()["names"] == ["Ada Lovelace", "greedy"] and game.record()["forfeit"] == 1
    ways = (game.clone(), copy.copy(game), pickle.loads(pickle.dumps(game)), Game.from_bytes(game.to_bytes()))
    assert all(other.notes == NOTES and other == game for other in (*ways, replay(game.record())))


def test_a_game_without_notes_has_the_record_that_it_had(game):
    game.notes = Notes()
    assert {"names", "forfeit"}.isdisjoint(game.record())


def test_a_position_names_nobody(game):
    assert "Ada" not in game.position()
    assert Game.from_position(game.position()).notes == Notes()
    assert Game.from_position(shipped()[0].position).notes == Notes()


def test_it_was_given_up_at_its_end_only(game):
    states = [(number, state.notes) for number, state in retrace(game.record())]
    assert states == [(0, Notes(NOTES.names)), (1, NOTES)]


@pytest.mark.parametrize(
    "wrong, reason",
    [
        ({"names": ["Ada"]}, "names should contain 2 names, one for each player, not 1"),
        ({"names": ["Ada", 7]}, "names\\[1\\] = 7: names of players are strings"),
        ({"names": ["Ada", "\x1b[31m"]}, "names\\[1\\] = .*: a name should have 1 to 200 printable characters"),
        ({"names": ["Ada", ""]}, "names\\[1\\] = '': a name should have 1 to 200 printable"),
        ({"forfeit": 2}, "forfeit = 2: should be a player from 0 to 1"),
        ({"forfeit": "Ada"}, "forfeit = 'Ada': should be of type int"),
    ],
)
def test_notes_that_cannot_be_are_refused(game, wrong, reason):
    with pytest.raises(RecordError, match=reason):
        replay(game.record() | wrong)


def test_drawings_show_names(game, tmp_path):
    for drawn in (svg(game), ansi(game)):
        assert "Ada Lovelace" in drawn and "Game over: greedy forfeits the game" in drawn
        assert "Red" not in drawn and "Blue" not in drawn
    save_movie(game, tmp_path / "game.svg")
    movie = (tmp_path / "game.svg").read_text()
    assert "Ada Lovelace: place figure" not in movie and "Ada Lovelace: place tile" in movie
    assert "greedy forfeits the game" in movie and "Red" not in movie


def test_carc_replay_tells_names_and_forfeits(carc, game, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(game.record()))
    shown = carc("replay", path)
    assert shown.out.startswith("game 1: 1 moves, Ada Lovelace 0 : greedy 0 points, a forfeit by greedy\n")
    assert carc("replay", path, "--json").json["games"][0]["forfeit"] == 1
    assert "move 1 of 1: Ada Lovelace played 'U@1,0/0'" in carc("replay", path, "--move", 1).out
    judged = carc("replay", path, "--analyze").out
    assert "Ada Lovelace" in judged and "Red" not in judged and "greedy lost 0.0 points" in judged


def test_a_match_names_its_players(tmp_path):
    path = tmp_path / "games.jsonl"
    carc_env.play_match("random", "random", "base", pairs=1, record=path)
    names = [json.loads(line)["names"] for line in path.read_text().splitlines()]
    assert names == [["random 1", "random 2"]] * 2


QUITTER = """while read -r line; do
  case "$line" in carc) echo id name quitter; echo ready;; isready) echo readyok;; go*) exit 3;; esac
done
"""


def test_carc_match_tells_forfeits_and_why(carc, tmp_path):
    """A program that exits when it has to choose an action forfeits the game."""
    path, bot = tmp_path / "games.jsonl", tmp_path / "quitter.sh"
    bot.write_text(QUITTER)
    made = carc("match", "random", f"cmd:sh {bot}", "--preset", "base", "--pairs", 1, "--record", path)
    assert "all games were forfeited" in made.out and "forfeits         2 (2 failures of a program)" in made.out
    assert f"a forfeit by cmd:sh {bot}" in carc("replay", path).out
