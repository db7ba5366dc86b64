"""Tests of events: each kind of event appears when it should, has the right fields, and prints as a sentence."""

import dataclasses
import random
import re
import typing
from pathlib import Path

import pytest

import carc_env
from carc_env import (
    ChipTaken,
    CutOff,
    FigureReturned,
    GoodsTaken,
    IngotPut,
    IngotsSetAside,
    IngotTaken,
    PointsScored,
    TileDiscarded,
    WineSold,
)
from carc_env.notation.events import Event

SMALL = str(Path(__file__).parent / "data" / "sheets" / "small.toml")
KINDS = typing.get_args(Event)
EVERYTHING = carc_env.GameConfig(
    players=3,
    sheet="france",
    boxes=("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles", "map_chips"),
)

SENTENCES = {
    PointsScored: r"player \d scored (1 point|\d+ points) from [a-z ]+",
    IngotPut: r"player \d put an ingot on -?\d+,-?\d+",
    IngotTaken: r"player \d took an ingot from -?\d+,-?\d+",
    FigureReturned: r"player \d got the (meeple|big meeple|abbot|builder|pig) on -?\d+,-?\d+ back",
    TileDiscarded: r"tile \S+ fits nowhere and was removed from the game",
    IngotsSetAside: r"\d+ ingots on tiles were set aside",
    ChipTaken: r"player \d took a chip (purple|light_blue|orange) [12] from \d+,\d+",
    WineSold: r"player \d sold (purple|light_blue|orange) wine \((2|1\+1)\) (abroad|in town) from \d+,\d+",
    CutOff: r"the layout cannot grow further in one direction: .*",
    GoodsTaken: r"player \d took \d+ (wine|grain|cloth)",
}


def base(*boxes, **settings):
    """Return the configuration of the base game with these boxes."""
    return carc_env.GameConfig(boxes=("base", *boxes), **settings)


def on_small_sheet(**settings):
    """Return the configuration of the base game with Map-Chips on the small map sheet."""
    return base("map_chips", sheet=SMALL, starts=(("D", 1, 3, 0), ("B", 4, 4, 0)), **settings)


def events_of(config, deck, texts, chips=None):
    """Play the actions in `texts`. Actions that the engine plays by itself are listed too. Return the events of the
    last action, and the game.
    """
    game = carc_env.Game(config, deck=deck.split(), chips=chips)
    for number, text in enumerate(texts):
        if number == len(game.moves):
            game.play(text)
        assert game.moves[number] == text
    return list(game.last_events), game


def test_a_new_game_has_no_events():
    assert carc_env.Game("carcassonne", seed=1).last_events == ()


def test_an_answer_that_causes_nothing():
    events, _ = events_of(base(), "U U U", ["U@1,0/0", "pass"])
    assert events == []


def test_events_are_those_of_the_last_answer():
    events, game = events_of(base(), "E U U", ["E@0,-1/180", "meeple city S"])
    assert events
    game.play("U@1,0/0")
    assert game.last_events == ()


# --- points and figures -----------------------------------------------------------------------------------------------
def test_points_and_the_figure_that_returns():
    events, _ = events_of(base(), "E U U", ["E@0,-1/180", "meeple city S"])
    points, home = events
    assert (type(points), points.player, points.source, points.points) == (PointsScored, 0, "cities", 4)
    assert (points.x, points.y) in [(0, 0), (0, -1)]
    assert home == FigureReturned(0, "meeple", 0, -1)
    assert [str(event) for event in events] == [
        "player 0 scored 4 points from cities",
        "player 0 got the meeple on 0,-1 back",
    ]


def test_nobody_scores_and_nobody_returns_where_nobody_stands():
    events, _ = events_of(base(), "E U U", ["E@0,-1/180", "pass"])
    assert events == []


def test_a_minority_gets_its_figure_back_without_points():
    config = base("inns_and_cathedrals")
    texts = ["B@0,1/0", "pass", "A@-1,1/180", "meeple road N", "A@1,0/90", "big road W", "V@-1,0/270", "pass"]
    events, _ = events_of(config, "B A A V B", texts)
    assert [(e.player, e.points, e.source) for e in events if type(e) is PointsScored] == [(0, 4, "roads")]
    assert {(e.player, e.figure, e.x, e.y) for e in events if type(e) is FigureReturned} == {
        (0, "big", 1, 0),
        (1, "meeple", -1, 1),
    }


def test_a_builder_returns_with_its_road():
    texts = [
        "U@1,0/0",
        "meeple road E",
        "U@0,1/0",
        "pass",
        "U@2,0/0",
        "builder road E",
        "X@3,0/0",
        "pass",
        "X@-1,0/0",
        "pass",
    ]
    events, _ = events_of(base("traders_and_builders"), "U U U X X B B", texts)
    assert {e.figure for e in events if type(e) is FigureReturned} == {"meeple", "builder"}
    assert [e.points for e in events if type(e) is PointsScored] == [5]


def test_an_abbot_that_is_taken_back():
    events, _ = events_of(
        base("abbot"), "E-g U U", ["E-g@0,1/180", "abbot garden", "U@1,0/0", "pass", "U@-1,0/0", "recall"]
    )
    assert PointsScored(0, "gardens", 4, 0, 1) in events and FigureReturned(0, "abbot", 0, 1) in events
    assert len(events) == 2


def test_a_follower_that_a_crop_circle_takes_back():
    _, game = events_of(base("crop_circles"), "U U CR4 U U", ["U@1,0/0", "meeple road E"])
    while game.phase != carc_env.Phase.CROP_CHOICE:
        game.play("pass" if game.phase == carc_env.Phase.PLACE_FIGURE else game.legal_actions()[0])
    game.play("circle remove")
    assert FigureReturned(0, "meeple", 1, 0) in game.last_events
    assert not [event for event in game.last_events if type(event) is PointsScored]


def test_fields_score_when_the_game_ends():
    events, game = events_of(base(), "E B", ["E@0,-1/180", "meeple field Nw", "B@0,1/0", "pass"])
    assert game.is_over
    assert [(e.player, e.source, e.points) for e in events if type(e) is PointsScored] == [(0, "fields", 3)]


# --- tiles ------------------------------------------------------------------------------------------------------------
def test_a_tile_that_fits_nowhere():
    config = base(sheet=SMALL, starts=(("B", 1, 3, 0), ("B", 4, 4, 0)))
    game = carc_env.Game(config, deck=["C", "B", "B"])
    assert list(game.last_events) == [TileDiscarded("C")]
    assert game.tile == "B"
    game.play(game.legal_actions()[0])
    assert not [event for event in game.last_events if type(event) is TileDiscarded]


# --- ingots -----------------------------------------------------------------------------------------------------------
def test_two_ingots_are_put():
    events, game = events_of(base("goldmines"), "U GM8 X U", ["U@1,0/0", "pass", "GM8@2,0/0"])
    assert events == [IngotPut(1, 2, 0), IngotPut(1, 1, 0)]  # only one tile lies around the placed tile
    assert str(events[0]) == "player 1 put an ingot on 2,0"


def test_the_second_ingot_is_put_by_its_own_answer():
    events, game = events_of(base("goldmines"), "U GM8 X U", ["U@0,1/0", "pass", "GM8@1,0/0"])
    assert events == [IngotPut(1, 1, 0)]
    game.play("ingot 0,1")
    assert list(game.last_events) == [IngotPut(1, 0, 1)]


def test_ingots_are_taken_with_a_road():
    texts = ["GM8@1,0/0", "ingot 0,0", "meeple road E", "X@2,0/0", "pass"]
    events, game = events_of(base("goldmines"), "GM8 X X", texts)
    assert not [event for event in events if type(event) in (IngotTaken, IngotsSetAside)]
    game.play("X@-1,0/0")
    game.play("pass")
    assert game.is_over
    assert [e for e in game.last_events if type(e) is IngotTaken] == [IngotTaken(0, 0, 0), IngotTaken(0, 1, 0)]
    assert [(e.source, e.points) for e in game.last_events if type(e) is PointsScored] == [("roads", 4), ("ingots", 2)]
    assert not [event for event in game.last_events if type(event) is IngotsSetAside]


def test_ingots_that_nobody_takes_are_set_aside():
    events, game = events_of(base("goldmines"), "GM8 X", ["GM8@1,0/0", "ingot 0,0", "meeple road N", "X@2,0/0", "pass"])
    assert game.is_over
    assert IngotsSetAside(2) in events
    assert str(IngotsSetAside(2)) == "2 ingots on tiles were set aside"
    assert not [event for event in events if type(event) is IngotTaken]


# --- chips, wine, goods -----------------------------------------------------------------------------------------------
CHIPS = [(5, 4, "purple", 1), (4, 3, "purple", 1)]
TO_THE_SALE = ["B@5,4/0", "pass", "B@5,3/0", "pass", "B@4,3/0", "pass", "B@4,2/0", "pass", "U@0,3/0"]


def test_a_chip_is_taken_and_scored():
    events, _ = events_of(on_small_sheet(), "B B B B U B", TO_THE_SALE[:1], CHIPS)
    assert events == [ChipTaken(0, "purple", 1, 5, 4), PointsScored(0, "chips", 1, 5, 4)]
    assert str(events[0]) == "player 0 took a chip purple 1 from 5,4"


def test_a_square_without_a_chip():
    events, _ = events_of(on_small_sheet(), "B B B B U B", TO_THE_SALE[:3], CHIPS)
    assert events == []


def test_wine_is_sold_abroad():
    events, game = events_of(on_small_sheet(), "B B B B U B", [*TO_THE_SALE, "sell purple 1+1 abroad"], CHIPS)
    assert events == [WineSold(0, "purple", "1+1", "abroad", 0, 3), PointsScored(0, "wine", 5, 0, 3)]
    assert str(events[0]) == "player 0 sold purple wine (1+1) abroad from 0,3"
    game.play("pass")
    assert game.last_events == ()


def test_a_sale_declined_is_no_event():
    events, _ = events_of(on_small_sheet(), "B B B B U B", [*TO_THE_SALE, "pass"], CHIPS)
    assert events == []


def test_wine_is_sold_in_a_town():
    texts = ["B@5,4/0", "pass", "B@5,3/0", "pass", "B@4,3/0", "pass", "B@3,3/0"]
    events, game = events_of(on_small_sheet(players=3), "B B B B B", texts, [(5, 4, "orange", 2)])
    game.play("sell orange 2 town")
    assert list(game.last_events) == [WineSold(0, "orange", "2", "town", 3, 3), PointsScored(0, "wine", 9, 3, 3)]
    assert str(game.last_events[0]) == "player 0 sold orange wine (2) in town from 3,3"


def test_goods_go_to_the_player_who_completes_the_city():
    texts = [
        "U@1,0/0",
        "pass",
        "TB15@0,-1/90",
        "meeple city N",
        "TB2@0,-2/270",
        "pass",
        "TB1@-1,-2/90",
        "pass",
        "E@-1,-3/180",
        "pass",
    ]
    events, _ = events_of(base("traders_and_builders"), "U TB15 TB2 TB1 E B", texts)
    goods = [event for event in events if type(event) is GoodsTaken]
    assert {(e.player, e.good, e.count) for e in goods} == {(0, "wine", 2), (0, "grain", 1)}
    assert "player 0 took 2 wine" in map(str, goods)
    assert [(e.player, e.points) for e in events if type(e) is PointsScored] == [(1, 10)]


def test_goods_of_tiles_alone_mean_nothing():
    texts = [
        "U@1,0/0",
        "pass",
        "TB15@0,-1/90",
        "meeple city N",
        "TB2@0,-2/270",
        "pass",
        "TB1@-1,-2/90",
        "pass",
        "E@-1,-3/180",
        "pass",
    ]
    events, _ = events_of(base(tiles_only=("traders_and_builders",)), "U TB15 TB2 TB1 E B", texts)
    assert not [event for event in events if type(event) is GoodsTaken]


# --- all kinds of events ----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def all_events():
    """Return the events of some random games with the configuration EVERYTHING, and of a game with one road that is as
    long as the table allows.
    """
    found = []
    for seed in range(6):
        game, rng = carc_env.Game(EVERYTHING, seed=seed), random.Random(seed)
        while not game.is_over:
            actions = game.legal_actions().tolist()
            game.play(rng.choice(actions[:-1] if rng.random() < 0.7 and len(actions) > 1 else actions))
            found += game.last_events
    game = carc_env.Game("base", deck=["U"] * 24)
    for x in range(1, 24):
        for answer in (f"U@{x},0/0", "pass"):
            game.play(answer)
            found += game.last_events
    return found


def test_every_kind_of_event_appears_and_is_a_sentence(all_events):
    assert {type(event) for event in all_events} == set(SENTENCES) == set(KINDS)
    for event in all_events:
        assert re.fullmatch(SENTENCES[type(event)], str(event)), str(event)


def test_fields_are_plain_values_and_events_do_not_change(all_events):
    for event in all_events:
        lies_nowhere = isinstance(event, PointsScored) and event.source in ("ingots", "goods")
        assert all(type(value) in (int, str) or value is None and lies_nowhere for value in dataclasses.astuple(event))
        assert event == dataclasses.replace(event) and hash(event) == hash(dataclasses.replace(event))
    with pytest.raises(dataclasses.FrozenInstanceError):
        all_events[0].player = 1


def test_points_are_from_known_sources(all_events):
    sources = set(carc_env.Game("base", seed=1).final_scores())
    scored = {event.source for event in all_events if type(event) is PointsScored}
    assert scored <= sources and {"roads", "cities", "fields", "chips", "wine", "ingots"} <= scored
