"""Law: turning the table changes nothing."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import carc_env

from .games import CONFIGS, random_answer, seeds

EDGES = ["N", "E", "S", "W"]
HALF_EDGES = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]


def turn_cell(cell, quarters):
    """A cell after turning the table clockwise round the cell (0, 0)."""
    x, y = map(int, cell.split(","))
    for _ in range(quarters):
        x, y = -y, x
    return f"{x},{y}"


def turn_spot(spot, quarters):
    """A spot after turning its tile clockwise."""
    if spot in EDGES:
        return EDGES[(EDGES.index(spot) + quarters) % 4]
    if spot in HALF_EDGES:
        return HALF_EDGES[(HALF_EDGES.index(spot) + 2 * quarters) % 8]
    return spot


def turn_text(text, quarters):
    """An answer as it is called at the turned table."""
    if "@" in text:
        tile, place = text.split("@")
        cell, rotation = place.split("/")
        return f"{tile}@{turn_cell(cell, quarters)}/{(int(rotation) + 90 * quarters) % 360}"
    verb, _, where = text.partition(" ")
    if verb in ("ingot", "take"):
        return f"{verb} {turn_cell(where, quarters)}"
    return " ".join(turn_spot(word, quarters) for word in text.split())


def sizes(game):
    """The features without their places."""
    return sorted((f.kind, f.tiles, f.open, f.pennants, f.strength, f.is_complete) for f in game.features())


def points(game):
    """Points by source, as plain lists."""
    return {source: points.tolist() for source, points in game.final_scores().items()}


# By RGG's wording the order in which ingots are asked for depends on compass directions; by the other not.
CONFIGS_TO_TURN = [config for config in CONFIGS if config.gold_rule == "hig"]


@given(st.sampled_from(CONFIGS_TO_TURN), seeds, st.integers(1, 3))
def test_turned_table(config, seed, quarters):
    """At a table turned by 90, 180 or 270 degrees the same game brings the same answers and points."""
    game = carc_env.Game(config, seed=seed)
    at_turned_table = replace(config, starts=(("D", 0, 0, 90 * quarters),))
    turned = carc_env.Game(at_turned_table, deck=game.record()["deck"])
    rng = random.Random(seed)
    while not game.is_over:
        assert (game.player, game.phase, game.tile) == (turned.player, turned.phase, turned.tile)
        legal = game.legal_actions().tolist()
        assert len(legal) == len(turned.legal_actions())
        some = rng.sample(legal, min(len(legal), 12))
        assert len({turned.action(turn_text(game.text(action), quarters)) for action in some}) == len(some)
        text = game.text(random_answer(rng, game))
        game.play(text)
        turned.play(turn_text(text, quarters))
        assert game.ingots.tolist() == turned.ingots.tolist()
        assert points(game) == points(turned)
    assert turned.is_over
    assert sizes(game) == sizes(turned)
