"""Plays games on the naive model alone, on tables of the nine systems, and checks that nothing gets lost.

    python -m tests.naive.alone --games 200 --kind everything

The last lines count the situations met. Game number n of a kind is always the same game.
"""

import argparse
import random
from collections import Counter
from types import SimpleNamespace

from .players import ComposedGame, Players, Readers
from .points import Rules
from .table import FOLLOWERS, is_complete
from .tables import (
    SYSTEM_COMPOSING_TILES,
    SYSTEM_KINDS,
    dealt_castles,
    everything,
    printed_deck,
    strange_chips,
    system_settings,
)
from .tiles import is_lake
from .watching import WatchedGame

QUESTIONS_BETWEEN_TURNS = ["PLACE_ABBEY", "PLACE_GERMAN_CASTLE", "PLACE_TILE"]


def game_alone(kind, number, composed):
    """Return a game of this kind before its first action, and its players."""
    rng = random.Random(f"{kind} {number}")
    settings = everything() if kind == "everything" else system_settings(kind, rng)
    settings["sheet"] = settings.get("sheet")
    settings["meeples"] = settings.get("meeples") or 7
    starts = (("D", 9, 5, 0),) if settings["sheet"] else (("D", 0, 0, 0),)
    printed = {"tiles_only": (), "edition": "C2", "special_monasteries": "replace", "crop_circle_tiles": None}
    deck = printed_deck(SimpleNamespace(**{**printed, **settings})) - Counter(tile for tile, *_ in starts)
    deck = sorted(deck.elements())
    rng.shuffle(deck)
    rules = {name: value for name, value in settings.items() if name in Rules.__dataclass_fields__}
    rules |= {"starts": starts, "german_castles": ()}
    if "german_castles" in settings["boxes"]:
        rules["german_castles"] = dealt_castles(rng, settings["players"])
    if "map_chips" in settings["boxes"]:
        rules["chips"] = strange_chips(rng, SimpleNamespace(sheet=settings["sheet"], starts=starts))
    if composed:
        made = ComposedGame(rng, 40, SYSTEM_COMPOSING_TILES, **rules)
        return WatchedGame(made.drawn, **rules), Readers(made.given)
    return WatchedGame(deck, **rules), Players(rng, rng.choice((0, 0.5, 0.9)))


def play_alone(kind, number, composed=False):
    """Play the game to its end, with checks after every action. Returns how often each situation came up.

    The deck is the printed one. With `composed`, it is composed so that much happens.
    """
    game, players = game_alone(kind, number, composed)
    at_first = everything_in(game)
    while game.question:
        assert len(set(game.question.answers)) == len(game.question.answers) > 1
        answered = game.question.phase
        game.answer(players.answer(game))
        at_first["tiles"] -= sum(event[0] == "discarded" for event in game.news)
        assert everything_in(game) == at_first
        check_lords_and_ferries(game)
        if game.question and game.question.phase in QUESTIONS_BETWEEN_TURNS and answered != "PLACE_ABBEY":
            check_turn_is_over(game)
        if len(game.moves) % 25 == 0 or not game.question:
            check_features_are_looked_at_anew(game)
    game.met[f"games of {kind}"] += 1
    return game.met


def everything_in(game):
    """Return how many there are of each thing, in hand, in the supply and on the table together."""
    table = game.table
    there = Counter(
        ingots=game.ingots_left + game.ingots_set_aside + sum(game.ingots),
        tiles=len(game.deck) + (game.tile is not None) + sum(game.abbeys) + sum(map(len, game.german_castles)),
    )
    there["ingots"] += sum(place["ingots"] for place in table.board.values())
    there["tiles"] += len({table.tile_at(cell) for cell in table.board})
    there["abbeys"] = sum(game.abbeys) + sum(place["tile"] == "abbey" for place in table.board.values())
    on_table = sum(len(place["squares"]) == 2 for place in table.board.values()) // 2
    there["castle tiles"] = sum(map(len, game.german_castles)) + on_table
    for player in range(game.rules.players):
        castles = sum(castle["player"] == player for castle in table.castles)
        there["castle tokens", player] = game.castle_tokens[player] + castles
        for figure, supply in game.supply.items():
            standing = sum(f["figure"] == figure and f["player"] == player for f in table.figures)
            there[figure, player] = supply[player] + standing
    return there


def check_lords_and_ferries(game):
    """Check that lords, and nobody else, stand in their castles, and that each ferry joins two roads of its lake."""
    table = game.table
    lords = [castle["lord"] for castle in table.castles if castle["lord"]]
    assert all(lord["cell"] in castle["cells"] for castle in table.castles if (lord := castle["lord"]))
    assert sorted(map(id, lords)) == sorted(id(f) for f in table.figures if f["kind"] == "castle")
    for lake, joined in table.ferries.items():
        assert len(set(joined)) == 2
        assert [table.segment_with(lake, edge)["kind"] for edge in joined] == ["road", "road"]


def check_turn_is_over(game):
    """Check that no completed feature holds a figure, and that no builder or pig is alone.

    Castles and buildings with a lying follower may hold figures. Every lake that was laid has its ferry, unless a ferry
    requires a highwayman.
    """
    table = game.table
    for figure in table.figures:
        feature = table.feature(figure["cell"], figure["spot"])
        assert not is_complete(feature) or feature["kind"] == "castle" or figure.get("lying")
        if figure["figure"] not in FOLLOWERS:
            assert game.has_own_follower(feature, figure["player"])
    if game.plays("ferries") and not game.rules.ferry_requires_highwayman:
        lakes = {cell for cell, place in table.board.items() if is_lake(place["tile"])}
        assert lakes == set(table.ferries)


def check_features_are_looked_at_anew(game):
    """Check that the features remembered by the table equal those found by looking again."""

    def as_seen():
        return sorted((sorted(f["segments"]), f["kind"], sorted(f["tiles"]), f["open"]) for f in game.table.features())

    remembered = as_seen()
    game.table.found.clear()
    assert as_seen() == remembered


def main():
    """Read the command line, play the games and print the situations met."""
    parser = argparse.ArgumentParser(prog="python -m tests.naive.alone", description="the naive model alone")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--kind", choices=sorted(set(SYSTEM_KINDS)), default="everything")
    parser.add_argument("--composed", action="store_true", help="with decks that bring trouble")
    arguments = parser.parse_args()
    met = Counter()
    for number in range(arguments.first, arguments.first + arguments.games):
        try:
            met += play_alone(arguments.kind, number, arguments.composed)
        except Exception:
            print(f"game {number} of {arguments.kind}")
            raise
    for situation, times in sorted(met.items()):
        print(f"{times:9d}  {situation}")


if __name__ == "__main__":
    main()
