"""Laws of conservation: no tile, figure, ingot, chip or token appears from nowhere or is lost."""

import random
from collections import Counter

from hypothesis import given

import carc_env
from carc_env.boxes.layout import PLANES

from .games import (
    chips_of,
    draws_only,
    every_config,
    games,
    hands_of,
    is_as_printed,
    squares_of,
    starts_of,
    states,
    tiles_laid,
)
from .printed import AROUND, FACTS, STRENGTH, printed_tiles, segments_on_table, standing_on

CHIP_COLOURS = ("purple", "light_blue", "orange")
GOODS = {"wine": 9, "grain": 6, "cloth": 5}  # tokens in the box
WINE_POINTS = {"abroad": 5, "town": 9}


def figures_of_a_player(config):
    """Return how many figures of each kind a player begins with."""
    return {
        "meeple": config.meeples,
        "big": int("inns_and_cathedrals" in config.boxes),
        "abbot": int("abbot" in config.boxes),
        "builder": int("traders_and_builders" in config.boxes),
        "pig": int("traders_and_builders" in config.boxes),
    }


@given(games())
def test_figures(game):
    """A player's figures in the supply and on the table always add up to those of the beginning."""
    standing = Counter((f.figure, f.player) for place in game.board() for f in place.figures)
    amounts = figures_of_a_player(game.config)
    assert game.meeples.keys() == amounts.keys()
    for figure, amount in amounts.items():
        for player in range(game.players):
            assert game.meeples[figure][player] + standing.pop((figure, player), 0) == amount
    assert not standing


@given(games())
def test_figures_stand_where_they_may(game):
    """Each figure stands on a feature allowed for its kind. A builder or pig has a follower of its player with it."""
    strength = {segment: feature.strength for feature in game.features() for segment in feature.segments}
    for place in game.board():
        for figure in place.figures:
            everywhere = ("road", "city", "field", "monastery", "shrine", "hut", "castle", "cathedral")
            kinds = {
                "meeple": everywhere,
                "big": everywhere,
                "abbot": ("monastery", "garden", "shrine"),
                "builder": ("road", "city"),
                "pig": ("field",),
            }
            assert figure.feature in kinds[figure.figure]
            assert strength[standing_on(place, figure)][figure.player] > 0


@every_config()
def test_tiles(config, seed):
    """Every tile of the boxes is a start tile, in the stack, just drawn, on the table, or discarded."""
    first = carc_env.Game(config, seed=seed)
    deck, starts = first.record()["deck"], Counter(start[0] for start in starts_of(first))
    assert Counter(deck) + starts == printed_tiles(config)
    discarded, rng = 0, random.Random(seed)
    for game in states(config, seed):
        discarded += sum(isinstance(event, carc_env.TileDiscarded) for event in game.last_events)
        if game.is_over or rng.random() < 0.2:
            drawn = Counter(deck[: len(deck) - game.tiles_left])
            board = Counter(place.tile for place in game.board()) - starts
            assert tiles_laid(game) == (board + starts).total()
            board = Counter({tile: n for tile, n in board.items() if tile in FACTS})  # without tiles that were held
            gone = drawn - board - Counter([game.tile] if game.tile else [])
            assert not board - drawn
            assert gone.total() == discarded


def ingots_put(game):
    """Return how many ingots should have been put on the table: two for each gold tile, one if no tile lay around it,
    none for a start tile.
    """
    board, put = game.board(), 0
    if game.phase == carc_env.Phase.SELL_WINE:  # asked before the ingots of the tile just placed are put
        board.pop()
    for at in range(len(starts_of(game)), len(board)):
        tile, x, y = board[at][:3]
        around = {(x + dx, y + dy) for dx, dy in AROUND} & {
            square for place in board[:at] for square in squares_of(place)
        }
        put += tile.startswith("GM") * (1 + bool(around))
    return put - (game.phase == carc_env.Phase.PLACE_INGOT)


@every_config(0.3)
def test_ingots(config, seed):
    """Every ingot put lies on a tile, belongs to a player or was set aside at the end. The others are in the supply."""
    put = taken = 0
    for game in states(config, seed):
        put += sum(isinstance(event, carc_env.IngotPut) for event in game.last_events)
        taken += sum(isinstance(event, carc_env.IngotTaken) for event in game.last_events)
        on_tiles = sum(place.ingots for place in game.board())
        aside = sum(event.count for event in game.last_events if isinstance(event, carc_env.IngotsSetAside))
        assert put == on_tiles + aside + game.ingots.sum() == (16 - game.supply if "goldmines" in config.boxes else 0)
        assert not (game.is_over and on_tiles) and not (aside and not game.is_over)
        assert taken == game.ingots.sum() and game.ingots.min() >= 0
    assert put == (ingots_put(game) if "goldmines" in config.boxes else 0) <= 16


@given(games())
def test_ingots_of_every_gold_tile(game):
    """At every decision, each gold tile has brought its ingots (`ingots_put`)."""
    on_tiles = sum(place.ingots for place in game.board())
    aside = sum(event.count for event in game.last_events if isinstance(event, carc_env.IngotsSetAside))
    assert on_tiles + aside + game.ingots.sum() == (ingots_put(game) if "goldmines" in game.config.boxes else 0)


@every_config(0.3, lambda config: "map_chips" in config.boxes)
def test_chips(config, seed):
    """Every chip lies face down, is held or was sold. A chip taken pays its face value, and a sale 5 or 9 points."""
    hands, sold = Counter(), Counter()  # keys: (player, colour, value) and (colour, value)
    points = Counter()  # keys: (player, source)
    chips = {chip[:2]: chip[2:] for chip in chips_of(carc_env.Game(config, seed=seed))}
    assert len(chips) == 30
    for game in states(config, seed):
        for event in game.last_events:
            if isinstance(event, carc_env.ChipTaken):
                assert chips[event.x, event.y] == (event.colour, event.value)
                hands[event.player, event.colour, event.value] += 1
                points[event.player, "chips"] += event.value
            if isinstance(event, carc_env.WineSold):
                value, number = {"2": (2, 1), "1+1": (1, 2)}[event.composition]
                hands[event.player, event.colour, value] -= number
                sold[event.colour, value] += number
                points[event.player, "wine"] += WINE_POINTS[event.destination]
        for player in range(config.players):
            held = [[hands[player, colour, value] for value in (1, 2)] for colour in CHIP_COLOURS]
            assert game.chips[player].tolist() == held
            assert [game.final_scores()[source][player] for source in ("chips", "wine")] == [
                points[player, source] for source in ("chips", "wine")
            ]
    covered = {square for place in game.board() for square in squares_of(place)}
    assert sum(hands.values()) + sum(sold.values()) == len(covered & chips.keys())
    assert game.final_scores()["chips"].sum() <= 42
    # The plane `chip` shows exactly the chips that no tile has covered.
    plane = game.observe(0)["planes"][list(PLANES).index("chip")]
    face_down = {(x, y) for y in range(len(plane)) for x in range(len(plane)) if plane[y, x]}
    assert face_down == chips.keys() - covered


def goods_in_completed_cities(game):
    """Return how many symbols of each good the completed cities on the table have."""
    segments, found = segments_on_table(game), Counter()
    for feature in game.features():
        if feature.kind == "city" and feature.is_complete:
            found.update(segments[key].fact.get("good") for key in feature.segments)
    return {good: found[good] for good in GOODS}


@every_config(0.3, lambda config: "traders_and_builders" in config.all_boxes and is_as_printed(config))
def test_goods(config, seed):
    """The player in turn takes a token for each symbol in a city that is completed, and there are enough tokens."""
    told, rng = Counter(), random.Random(seed)
    in_play = "traders_and_builders" in config.boxes
    placer, tiles = None, len(starts_of(carc_env.Game(config, seed=seed)))
    for game in states(config, seed):
        taken = [event for event in game.last_events if isinstance(event, carc_env.GoodsTaken)]
        for event in taken:  # two cities completed at once may give two events for one good
            told[event.player, event.good] += event.count
        if tiles_laid(game) == tiles:  # otherwise a tile was laid in between without a decision
            assert {event.player for event in taken} <= {placer}
        tiles = tiles_laid(game) + (game.phase == carc_env.Phase.PLACE_TILE)
        placer = game.active_player
        for player in range(config.players):
            assert game.goods[player].tolist() == [told[player, good] for good in GOODS]
        if game.is_over or game.phase == carc_env.Phase.PLACE_TILE and rng.random() < 0.05:
            expected = goods_in_completed_cities(game) if in_play else dict.fromkeys(GOODS, 0)
            assert dict(zip(GOODS, game.goods.sum(0).tolist(), strict=True)) == expected
    assert (game.goods.sum(0) <= list(GOODS.values())).all()


@given(games())
def test_figures_stand_on_unfinished_features(game):
    """Each figure counts in the strength of a feature: a large meeple 2, a builder or pig 0. After scoring, figures
    stand only on fields and unfinished features.
    """
    weight = sum(STRENGTH[figure.figure] for place in game.board() for figure in place.figures)
    assert sum(sum(feature.strength) for feature in game.features()) == weight
    if game.phase.name in ("PLACE_ABBEY", "PLACE_GERMAN_CASTLE", "PLACE_TILE"):
        assert not any(sum(feature.strength) for feature in game.features() if feature.is_complete)


@every_config(0.3, lambda config: "castles" in config.boxes)
def test_castle_tokens(config, seed):
    """Every castle token is in hand or lies on the table as a castle, and castles stay where they are. There is a
    figure for each lord.
    """
    tokens = min(3, 12 // config.players)
    before = []
    for game in states(config, seed):
        founded = Counter(player for _, _, _, player, _ in game.castles)
        assert game.castle_tokens.tolist() == [tokens - founded[player] for player in range(config.players)]
        assert [castle[:4] for castle in game.castles[: len(before)]] == before
        before = [castle[:4] for castle in game.castles]
        lords = [
            figure
            for place in game.board()
            for figure in place.figures
            if figure.feature == "castle" and figure.spot in ("N", "E", "S", "W")
        ]
        assert len(lords) >= sum(lord for *_, lord in game.castles)


@every_config(0.3, lambda config: "ferries" in config.boxes)
def test_ferries(config, seed):
    """A lake has one ferry at most, and there are eight at most. Between turns every lake has one, unless a ferry
    requires a highwayman.
    """
    for game in states(config, seed):
        lakes = [(place.x, place.y) for place in game.board() if place.tile.startswith("FE")]
        lying = [ferry[:2] for ferry in game.ferries]
        assert set(lying) <= set(lakes) and len(set(lying)) == len(lying) <= 8
        if (
            game.phase.name in ("PLACE_ABBEY", "PLACE_GERMAN_CASTLE", "PLACE_TILE")
            and not config.ferry_requires_highwayman
        ):
            assert sorted(lying) == sorted(lakes)


@every_config(0.3, lambda config: not draws_only(config))
def test_tiles_in_hand(config, seed):
    """All abbeys and castle tiles are in hand or on the table. Without their box there are none."""
    for game in states(config, seed):
        board = Counter(place.tile for place in game.board())
        assert game.abbeys.sum() + board["abbey"] == config.players * ("abbeys" in config.boxes)
        dealt = sorted(tile for hand in hands_of(game) or () for tile in hand)
        assert (
            sorted(
                [
                    *(tile for hand in game.german_castles for tile in hand),
                    *(tile for tile in board if tile.startswith("GC")),
                ]
            )
            == dealt
        )
