"""Tests of games whose draws the caller decides: they are the same games as those of the engine, and they contain
nothing hidden.
"""

from collections import Counter

import numpy as np
import pytest

import carc_env
from carc_env.boxes.tiles import tile_numbers
from carc_env.games.open_game import CHIP, OpenGame, face_down
from carc_env.setup.template import full_deck

SMALL = {"boxes": ["goldmines"]}
CASTLES = {"boxes": ["base", "german_castles", "abbeys"], "players": 3}


def follow(game, table, rng):
    """Play a random game of the engine, and the same game in an OpenGame, which is told what the engine draws."""
    faces = game.state["board"]["chip"].copy()
    while not table.is_over:
        if table.is_chance:
            kind, place = table._draws[len(table._drawn)]
            drawn = faces[place] if kind == CHIP else tile_numbers()[game.deck[place]]
            assert int(drawn) in [chance.number for chance in table.chances()]
            table.decide(int(drawn))
            continue
        assert (table.player, table.game.phase) == (game.player, game.phase)
        assert table.legal_actions().tolist() == game.legal_actions().tolist()
        action = int(rng.choice(game.legal_actions()))
        game.play(action)
        table.play(action)
    assert game.is_over


@pytest.mark.parametrize(
    "config, seed", [(SMALL, 3), ("base", 0), ("carcassonne", 2), ("everything", 1), (CASTLES, 4)], ids=str
)
def test_told_what_the_engine_draws_it_plays_the_same_game(config, seed):
    table, game = OpenGame(config), carc_env.Game(config, seed=seed)
    if [chance.name for chance in table.chances()][:1] == ["table 0"]:
        table.decide(seed)
    follow(game, table, np.random.default_rng(seed))
    assert table.game.moves == game.moves and table.game.scores.tolist() == game.scores.tolist()
    assert table.game.record()["deck"] == game.record()["deck"] and table.game.board() == game.board()
    assert carc_env.replay(table.game.record()) == table.game


@pytest.mark.parametrize("config", ["base", "carcassonne"])
def test_what_is_not_drawn_yet_stands_in_the_same_order_whatever_comes(config):
    rng, table = np.random.default_rng(7), OpenGame(config)
    while not table.is_over:
        state = table.game.state
        assert (np.diff(state["deck"][state["n_drawn"] : state["n_deck"]]) >= 0).all()
        assert (np.diff(state["board"]["chip"][face_down(state)]) >= 0).all()
        choices = [chance.number for chance in table.chances()] if table.is_chance else table.legal_actions()
        (table.decide if table.is_chance else table.play)(int(rng.choice(choices)))


def test_each_tile_is_as_likely_as_there_are_of_it():
    table = OpenGame("base")
    left = Counter(full_deck(table.game.config))
    for _ in range(3):
        assert {chance.name: chance.probability for chance in table.chances()} == {
            f"tile {tile}": amount / left.total() for tile, amount in left.items()
        }
        rarest = min(table.chances(), key=lambda chance: chance.probability)
        left -= Counter([rarest.name.removeprefix("tile ")])
        table.decide(rarest.number)
        while not table.is_chance:
            table.play(table.legal_actions()[-1])


def test_chips_are_drawn_when_they_are_turned_up():
    rng, table, seen = np.random.default_rng(1), OpenGame("carcassonne", tables=2), Counter()
    assert [chance.name for chance in table.chances()] == ["table 0", "table 1"]
    while not table.is_over:
        if table.is_chance and table.chances()[0].name.startswith("chip"):
            left = (
                Counter(
                    {
                        f"chip {colour} {value}": (6, 4)[value - 1]
                        for colour in ("purple", "light_blue", "orange")
                        for value in (1, 2)
                    }
                )
                - seen
            )
            assert {chance.name: chance.probability for chance in table.chances()} == {
                name: pytest.approx(amount / left.total()) for name, amount in left.items()
            }
            chance = table.chances()[0]
            seen[chance.name] += 1
            table.decide(chance.number)
        elif table.is_chance:
            table.decide(int(rng.choice([chance.number for chance in table.chances()])))
        else:
            table.play(int(rng.choice(table.legal_actions())))
    assert seen.total() > 10


def test_copies_go_their_own_ways_also_within_an_answer():
    table = OpenGame("goldmines")
    copies = []
    for chance in table.chances():
        copy = table.clone()
        copy.decide(chance.number)
        copies.append(f"tile {copy.game.deck[0]}")
    assert copies == [chance.name for chance in table.chances()] and table.is_chance


def test_what_cannot_be_is_refused_and_changes_nothing():
    table = OpenGame(SMALL)
    with pytest.raises(carc_env.IllegalAction, match="tile has to be drawn"):
        table.play(0)
    with pytest.raises(carc_env.IllegalAction, match="outcome 3000 is impossible"):
        table.decide(3000)
    table.decide(table.chances()[0].number)
    before = table.game.clone()
    with pytest.raises(carc_env.IllegalAction, match="tile GM1 is in hand"):
        table.play(5426)
    with pytest.raises(carc_env.IllegalAction, match="outcome 0 is impossible"):
        table.decide(0)
    assert table.game == before and not table.chances()
    assert table.legal_actions().tolist() == before.legal_actions().tolist()
