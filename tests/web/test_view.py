"""Tests of views: drawings in parts, differences between drawings, places to click, values of features, and words."""

import itertools
import json
import random
import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

import carc_env
from carc_env.notation.texts import moves_shown, shown
from carc_env.render import svg
from carc_env.render.facts import drawn_tiles
from carc_env.render.tile_words import tile_in_words, tile_turned
from carc_env.rules.state import Phase
from carc_env.web.view import drawing_difference, features_view, game_view, tile_svg
from tests.web.words_of_texts import answer_in_words

SEATS = [{"name": name, "bot": bot} for name, bot in (("Ada", None), ("Ben", "greedy"), ("Cleo", None))]
PRESETS = ("carcassonne", "everything", "goldmines-c1")


def games(config, seed):
    """Play a game of random actions. Yields the game before each action, and at the end."""
    game, chance = carc_env.Game(config, seed=seed), random.Random(seed)
    while not game.is_over:
        yield game
        game.play(chance.choice(game.legal_actions().tolist()))
    yield game


def view(game):
    return game_view(game, SEATS[: game.players])


def items(drawing, layer):
    return next(part["items"] for part in drawing["layers"] if part["name"] == layer)


def drawing_after(old, difference):
    """Apply a difference to a drawing, as the page does. Returns the new drawing; unused definitions stay in it."""
    changed = {layer["name"]: layer["items"] for layer in difference["layers"]}
    layers = [
        layer
        if layer["name"] not in changed
        else layer | {"items": put_together(layer["items"], changed[layer["name"]])}
        for layer in old["layers"]
    ]
    return difference | {"from": None, "definitions": old["definitions"] | difference["definitions"], "layers": layers}


def put_together(old, changes):
    """Return the items of a layer: new items, and ranges of the old ones."""
    return [
        item for change in changes for item in ([change] if isinstance(change, str) else old[change[0] : change[1] + 1])
    ]


# --- drawing ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", PRESETS)
def test_differences_lead_from_each_drawing_to_the_next(config):
    before, sizes = None, []
    for game in itertools.islice(games(config, 3), 150):
        now = json.loads(json.dumps(view(game)["drawing"]))
        if before is not None:
            difference = drawing_difference(before, now)
            after = drawing_after(before, difference)
            assert (after["layers"], after["box"], after["mark"]) == (now["layers"], now["box"], now["mark"])
            assert now["definitions"].items() <= after["definitions"].items() and difference["from"] == before["mark"]
            sizes.append(len(json.dumps(difference)))
        before = now
    assert np.median(sizes) < 12_000 < len(json.dumps(now)) / 6, "of a move only what changed is sent"


def test_equal_items_are_each_taken_once():
    old, new = (
        {"mark": 0, "box": [], "definitions": {}, "layers": [{"name": "figures", "items": items}]}
        for items in (["a", "a", "b"], ["b", "a", "c", "a", "a"])
    )
    difference = drawing_difference(old, new)
    assert difference["layers"] == [{"name": "figures", "items": [[2, 2], [0, 0], "c", [1, 1], "a"]}]
    assert drawing_after(old, difference)["layers"] == new["layers"]


@pytest.mark.parametrize("config", PRESETS)
def test_the_drawing_is_the_one_of_everywhere(config):
    """Each item is one XML element, and the items of a layer are also in the SVG drawing of the whole game."""
    *_, game = games(config, 5)
    drawing, whole = view(game)["drawing"], svg(game)
    for layer in drawing["layers"]:
        for item in layer["items"]:
            ElementTree.fromstring(item)
    for layer in ("chips", "ferries", "castles", "figures", "ingots", "towns"):
        assert "".join(items(drawing, layer)) in whole
    assert all(f'<g id="{name}">{art}</g>' in whole for name, art in drawing["definitions"].items())
    assert len(items(drawing, "tiles")) == len(game.board())


def test_every_tile_has_a_picture_of_its_own():
    for tile in drawn_tiles():
        root = ElementTree.fromstring(tile_svg(tile))
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert used <= {f"#{element.get('id')}" for element in root.iter() if element.get("id")}
    with pytest.raises(KeyError):
        tile_svg("../V")


# --- legal actions ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", PRESETS)
def test_every_answer_has_a_place_of_its_own(config):
    """Each legal action except `pass` has a point. Actions at the same point differ in the tile, its rotation or the
    figure. Different points for figures and other decisions are more than 20 units apart.
    """
    for game in games(config, 8):
        answers = view(game)["answers"]
        assert [answer["text"] for answer in answers] == [game.text(action) for action in game.legal_actions()]
        placed = [answer for answer in answers if answer["text"] != "pass"]
        assert all(answer["point"] for answer in placed)
        assert (
            max(
                Counter(
                    (*answer["point"], answer["tile"], answer["rotation"], answer["figure"]) for answer in placed
                ).values(),
                default=1,
            )
            == 1
        )
        points = np.array(sorted({tuple(answer["point"]) for answer in placed if answer["how"] != "tile"})).reshape(
            -1, 2
        )
        apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
        assert apart[~np.eye(len(points), dtype=bool)].min(initial=99) > 20
        assert len({answer["words"] for answer in answers}) == len(answers)
        assert not any(re.search(r"\b[A-Z]{1,2}\d+\b|@", answer["words"]) for answer in answers)  # no ids of tiles


def test_points_lie_on_what_they_are_about():
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    game.play("V@1,0/0")
    spots = {answer["text"]: answer["point"] for answer in view(game)["answers"]}
    assert spots["pass"] is None and all(100 < x < 200 and 0 < y < 100 for x, y in filter(None, spots.values()))
    game.play("meeple road S")
    figure = ElementTree.fromstring(items(view(game)["drawing"], "figures")[0])
    x, y = spots["meeple road S"]
    assert figure.get("transform").startswith(f"translate({x:g} {y:g})")
    game.play("GM2@0,-1/180")
    assert [(answer["how"], answer["point"]) for answer in view(game)["answers"]] == [
        ("cell", [50, 50]),
        ("cell", [150, 50]),
    ]


def test_hidden_things_stay_hidden():
    """The order of the stack and the faces of hidden chips do not change the view."""
    for game in (game.clone() for number, game in enumerate(games("carcassonne", 2)) if number % 25 == 0):
        other = game.clone()
        other.reshuffle_hidden(9)
        assert view(other) == view(game)


# --- features ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", PRESETS)
def test_features_are_worth_what_the_final_scoring_pays(config):
    """Each player's score and the values of the features add up to the provisional score if there are no ingots or
    goods, and otherwise to at most the provisional score.
    """
    for game in (game for number, game in enumerate(games(config, 4)) if number % 20 == 0 and not game.is_over):
        features = features_view(game)
        assert [feature["kind"] for feature in features] == [feature.kind for feature in game.features()]
        gains = np.sum([feature["each"] for feature in features], axis=0) + game.scores
        assert (gains <= game.provisional_scores()).all()
        without = game.ingots.sum() == 0 and game.goods.sum() == 0
        assert not without or (gains == game.provisional_scores()).all()
        assert all(len(feature["points"]) == len(feature["places"]) for feature in features)


# --- words ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, phase, words",
    [
        ("D@1,0/90", "PLACE_TILE", "D on 1,0, turned by 90 degrees"),
        ("abbey@2,3", "PLACE_ABBEY", "abbey on 2,3"),
        ("pass", "SELL_WINE", "sell nothing"),
        ("big road E", "PLACE_FIGURE", "big meeple on the road (east)"),
        ("meeple monastery lying", "PLACE_FIGURE", "meeple in the monastery, lying until the end"),
        ("meeple road 2E", "PLACE_FIGURE", "meeple on the road (east on the second square)"),
        ("recall", "PLACE_FIGURE", "take the abbot back"),
        ("ferry 2,3 E-S", "MOVE_FERRY", "ferry on 2,3 from east to south"),
        ("take 0,1", "TAKE_INGOT", "take an ingot from 0,1"),
        ("sell light_blue 1+1 abroad", "SELL_WINE", "sell light blue wine, two chips of value 1, abroad"),
        ("castle 2,3 E", "FOUND_CASTLE", "castle on 2,3 and the tile to the east"),
        ("castle 2,3 E scores road 4,5 N", "CASTLE_SCORE", "castle on 2,3 scores the road on 4,5 (north)"),
        ("castle 2,3 E scores monastery 4,5", "CASTLE_SCORE", "castle on 2,3 scores the monastery on 4,5"),
        ("remove meeple city 0,1 N", "CROP_REMOVE", "remove a meeple, city on 0,1 (north)"),
    ],
)
def test_a_text_tells_the_words(text, phase, words):
    assert answer_in_words(text, Phase[phase]) == words


@pytest.mark.parametrize("config", [*PRESETS, "castles and ferries"])
def test_answers_in_words_say_what_their_texts_say(config):
    """Checks the legal actions, and the earlier moves, after which the board has changed."""
    if config not in PRESETS:
        config = carc_env.GameConfig(players=2, boxes=("base", "castles", "ferries", "abbot"))
    for number, game in enumerate(games(config, 6)):
        if number % 8 == 0 or game.phase not in (Phase.PLACE_TILE, Phase.PLACE_FIGURE):
            for answer in map(int, game.legal_actions()):
                seen = shown(game.state, answer)
                assert seen.text == game.text(answer) and seen.words == answer_in_words(seen.text, game.phase)
    phases = game.state["moves"]["phase"][: int(game.state["n_moves"])].tolist()
    seen = moves_shown(game.state)
    assert [answer.text for answer in seen] == game.moves
    assert [answer.words for answer in seen] == [
        answer_in_words(answer.text, Phase(phase)) for answer, phase in zip(seen, phases)
    ]


def test_who_is_asked_and_what_happened_is_told_by_names():
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    for answer in ("V@1,0/0", "meeple road S", "GM2@0,-1/180", "ingot 0,0"):
        game.play(answer)
    shown = view(game)
    assert shown["question"] == "Ben may place a figure on the gold tile with a city and a monastery"
    assert shown["asked"] == "you may place a figure on the gold tile with a city and a monastery"
    assert shown["events"] == [{"words": "Ben put an ingot on 0,0", "x": 0, "y": 0, "player": 1, "points": None}]
    assert [move["words"] for move in shown["moves"][:2]] == [
        "Ada: a tile with a road, on 1,0",
        "Ada: meeple on the road (south)",
    ] and shown["left"] == {"B": 1, "K": 1}


def test_a_ferry_tells_the_road_that_it_brings():
    """The path leads from the middle of one edge of the lake tile to the middle of another. The action's text names
    both.
    """
    config, middles = {"boxes": ["base", "ferries"]}, {"N": (50, 0), "E": (100, 50), "S": (50, 100), "W": (0, 50)}
    game = next(game for game in games(config, 1) if game.phase == Phase.PLACE_FERRY)
    last, ferries = game.board()[-1], view(game)["answers"]
    assert len(ferries) >= 3
    for answer in ferries:
        one, other = (
            f"{100 * last.x + middles[edge][0]} {100 * last.y + middles[edge][1]}"
            for edge in answer["text"].split()[1].split("-")
        )
        assert answer["way"] == f"M{one}Q{100 * last.x + 50} {100 * last.y + 50} {other}"
    assert {answer["way"] for answer in view(next(games(config, 1)))["answers"]} == {None}


def test_a_button_tells_the_points_that_it_brings():
    game = next(game for game in games("carcassonne", 1) if game.phase == Phase.SELL_WINE)
    before = game.scores[game.player]
    for answer in view(game)["answers"]:
        after = game.clone()
        after.play(answer["text"])
        assert answer["brings"] == (None if answer["passes"] else after.scores[game.player] - before)


def test_tiles_are_told_by_what_is_on_them():
    for tile in drawn_tiles():
        assert re.fullmatch(r"a (gold )?tile (with|of) [a-zA-Z(), ]+", tile_in_words(tile)), tile
    assert tile_in_words("GM5") == "a gold tile with two roads"
    assert tile_in_words("C") == "a tile with a city with a pennant"
    assert tile_turned("D", 0) == "city to the north, road to the east and west"
    assert tile_turned("D", 90) == "city to the east, road to the north and south"
