"""Tests of games that people play with cardboard tiles. If the draws of the engine are entered, the game is the same as
the engine's game. Entries can be taken back and saved, and bots do not know what is in the bag.
"""

import json

import numpy as np
import pytest

import carc_env
from carc_env.bots import make
from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import tile_kinds
from carc_env.games.open_game import face_down
from carc_env.games.real_table import RealTable, is_real_table
from carc_env.notation.positions import read_position
from carc_env.systems import set_outs
from carc_env.systems.german_castles.words import read_hands
from carc_env.systems.map_chips.words import read_squares
from carc_env.systems.maps.words import read_starts
from tests.modes import nightly


def beside(game):
    """Return a real table with the setup of a game of the engine."""
    return RealTable(game.config, lying_in(game))


def lying_in(game):
    """Return the setup of a game of the engine, as a dict for RealTable."""
    record = game.record() | {"chips": [chip[:2] for chip in game.record()["chips"]]}
    return {part.key: record[part.key] for part in set_outs(game.config)}


def drawn_in(game, table):
    """Return the tile or chip that is drawn in a game of the engine, for the draw that the real table asks for next."""
    kind, place = table._draws[len(table._drawn)]
    if kind == "chip":
        chip = game.state["board"]["chip"][place]
        return f"{GRAPES[chip // 2]} {chip % 2 + 1}"
    return tile_kinds()[game.state["deck"][place]].id


def follow(game, table, chance, entries=10_000):
    """Play a game of the engine at random, and enter its draws and actions in the real table. Return the events of all
    entries.
    """
    events = []
    while not table.is_over and len(table.entries) < entries:
        if table.is_chance:
            table.enter(drawn_in(game, table))
        else:
            text = game.text(int(chance.choice(game.legal_actions())))
            game.play(text)
            table.enter(text)
        events += table.events
    return events


@pytest.mark.parametrize("config", ["base", "goldmines-c1", "carcassonne", "everything"])
def test_told_what_the_engine_draws_it_is_the_same_game(config):
    game = carc_env.Game(config, seed=5)
    table = beside(game)
    events = follow(game, table, np.random.default_rng(5))
    assert game.is_over and table.game.moves == game.moves and table.game.scores.tolist() == game.scores.tolist()
    assert carc_env.replay(table.record()).board() == game.board()
    assert sum(event.points for event in events if hasattr(event, "points")) == game.scores.sum()
    assert {entry.player for entry in table.entries} == {None, 0, 1}


@pytest.mark.parametrize("config", ["goldmines", "carcassonne", "everything"])
def test_what_was_entered_is_kept_and_taken_back(config):
    game, chance = carc_env.Game(config, seed=2), np.random.default_rng(2)
    table, seen = beside(game), []
    for n in range(40):
        seen.append((table.game.clone(), table.is_chance, table.drawing()))
        follow(game, table, chance, n + 1)
    for n in (39, 38, 37):
        last = table.take_back()
        assert last.text and len(table.entries) == n
        kept = json.loads(json.dumps(table.record()))
        again = RealTable.from_record(kept)
        assert is_real_table(kept) and again.entries == table.entries
        for one in (table, again):
            assert (one.game, one.is_chance, one.drawing()) == seen[n]
    while table.entries:
        table.take_back()
    assert (table.game, table.is_chance, table.drawing()) == seen[0]
    with pytest.raises(carc_env.IllegalAction, match="nothing has been entered yet"):
        table.take_back()


@pytest.mark.parametrize("config", ["carcassonne", nightly("everything")])
def test_nobody_knows_what_is_in_the_bag(config):
    """Checks that the real table knows nothing that is hidden. Its remaining tiles and face-down chips are sorted, and
    its position and the action of a bot are those of the engine's game.
    """
    game = carc_env.Game(config, seed=3)
    table = beside(game)
    follow(game, table, np.random.default_rng(3), 60)
    while table.is_chance:
        table.enter(drawn_in(game, table))
    state = table.game.state
    assert (np.diff(state["deck"][state["n_drawn"] : state["n_deck"]].astype(int)) >= 0).all()
    assert (np.diff(state["board"]["chip"][face_down(state)].astype(int)) >= 0).all()
    assert read_position(table.game.position()) == read_position(game.position())
    bot = make("rollout:playouts=40", 1)
    assert bot.choose(table.game) == bot.choose(game)


def test_the_table_is_shown_as_it_lies_while_a_tile_is_drawn():
    table = RealTable("base")
    for entry in ("V", "V@1,0/0", "meeple road S"):
        table.enter(entry)
    assert table.is_chance and table.game.phase.name == "PLACE_FIGURE"
    assert [len(tile.figures) for tile in table.table.board()] == [0, 1]
    copy = table.clone()
    copy.enter("A")
    assert copy.game.tile == "A" and table.is_chance


def test_a_tile_that_fits_nowhere_is_followed_by_another():
    table = RealTable("base", {"starts": [("C", 0, 0, 0)]})
    table.enter("tile b")
    assert table.is_chance and table.drawing() == ["tile B"]
    table.enter("E")
    assert table.game.tile == "E" and [entry.text for entry in table.entries] == ["tile B", "tile E"]


@pytest.mark.parametrize(
    "entries, wrong, why",
    [
        ([], "D@1,0/0", "this is not the id of a tile; write the id of the drawn tile, such as B"),
        ([], "GM1", "no such tile is left in the bag"),
        (["C", "pass"], "C", "no such tile is left in the bag"),
        (["D"], "tile D", "write a placement such as"),
        (["D"], "D@5,5/0", "not beside a tile"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(entries, wrong, why):
    table = RealTable("base")
    for entry in entries:
        table.enter(entry)
    before = table.clone()
    with pytest.raises(carc_env.IllegalAction, match=why):
        table.enter(wrong)
    assert (table.game, table.entries, table.drawing()) == (before.game, before.entries, before.drawing())


@pytest.mark.parametrize(
    "config, lying, why",
    [
        ("france", {}, "starts: Which start tiles lie on which squares, .* For example, D@5,4/0"),
        ("base", {"starts": [3]}, "should be"),
        ("base", {"starts": 3}, "not iterable"),
        ("france", {"starts": [("D", 5, 4, 0)], "chips": []}, "0 squares are named, but there are 30 chips"),
        ({"boxes": ["base", "german_castles"]}, {}, "german_castles: Which castle tiles does each player hold"),
        ("base", {"chips": [(0, 1)]}, "the setup of the table: unknown key 'chips'; the known keys are starts"),
        ("base", {"starts": [("ZZ", 0, 0, 0)]}, "unknown tile"),
    ],
)
def test_a_table_that_cannot_lie_so_is_refused(config, lying, why):
    with pytest.raises(carc_env.common.errors.CarcError, match=why):
        RealTable(config, lying)


@pytest.mark.parametrize(
    "change, why",
    [
        ({"entries": ["D", 3]}, r"entries\[1\] should be a string, not 3"),
        ({"entries": ["D", "D@9,9/0"]}, r"entries\[1\]: .*not beside a tile"),
        ({"carc_env": 2}, "carc_env = 2: should be 1, the format that this version reads"),
        ({"lying": {"starts": [["D", 0]]}}, "should be"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_a_file_that_does_not_hold_is_refused(change, why):
    record = RealTable("base").record()
    with pytest.raises(carc_env.common.errors.CarcError, match=why):
        RealTable.from_record(record | change)


def test_what_people_write_is_read():
    assert read_starts("D@5,4/0  E@-9,9/270") == [("D", 5, 4, 0), ("E", -9, 9, 270)]
    assert read_squares("3,2 10,0") == [(3, 2), (10, 0)] and read_hands("GC1,GC6 -") == [("GC1", "GC6"), ()]
    for read, wrong in ((read_starts, "D@5,4"), (read_starts, "D5,4/0"), (read_squares, "3;2")):
        with pytest.raises(carc_env.common.errors.CarcError, match="should be"):
            read(wrong)
