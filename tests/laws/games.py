"""Random games for the laws."""

import random
from dataclasses import replace
from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

import carc_env
from tests import modes

GOLD_AND_ABBOTS = ("base", "goldmines", "abbot")
CIRCLES = ("base", "inns_and_cathedrals", "traders_and_builders", "crop_circles")
UP_TO_CHIPS = ("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles", "map_chips")
SYSTEMS = (
    "ferries",
    "castles",
    "abbeys",
    "shrines",
    "special_monasteries",
    "darmstadt",
    "baba_yaga",
    "german_castles",
    "german_cathedrals",
)
# with these boxes, the features are not only those that the printed tiles form
CHANGING = {"ferries", "castles", "abbeys", "german_castles", "german_cathedrals"}
HELD = {"abbeys", "german_castles"}  # players hold tiles of these boxes, and a turn may begin with laying one
OTHER_READINGS = {
    "small_city_points": 2,
    "gold_rule": "rgg_rounds",
    "unfinished_inn_cathedral": "ignore",
    "border_city_coat_points": 0,
    "border_road_coat_points": 2,
    "border_monastery": "nine",
    "chip_large_city_rule": "open_edges_only",
    "wine_sales_per_turn_scope": "turn_part",
    "crop_add": "must",
}
OF_SYSTEMS = {"special_monasteries": "keep", "ferry_requires_highwayman": True, "abbey_end": "end_with_stack"}

CONFIGS = [
    replace(carc_env.preset("goldmines"), players=2),
    replace(carc_env.preset("goldmines"), players=4, gold_rule="rgg_rounds"),
    replace(carc_env.preset("goldmines"), players=3, gold_rule="rgg_single_pass", boxes=GOLD_AND_ABBOTS),
    replace(carc_env.preset("goldmines"), players=2, boxes=GOLD_AND_ABBOTS),
    replace(carc_env.preset("base"), players=2),
    replace(carc_env.preset("base"), players=5, edition="C1", small_city_points=2),
    replace(carc_env.preset("base"), players=3, boxes=("base", "abbot")),
    replace(carc_env.preset("goldmines-c1"), players=2),
    replace(carc_env.preset("expansions"), players=2),
    replace(carc_env.preset("expansions"), players=6),
    replace(carc_env.preset("carcassonne"), players=2),
    replace(carc_env.preset("france"), players=3),
    carc_env.GameConfig(players=3, boxes=CIRCLES),
    carc_env.GameConfig(players=4, boxes=CIRCLES, crop_add="must"),
    carc_env.GameConfig(players=2, boxes=UP_TO_CHIPS, sheet="france"),
    carc_env.GameConfig(players=4, boxes=UP_TO_CHIPS, sheet="france", **OTHER_READINGS),
    *(
        carc_env.GameConfig(players=2 + number % 3, boxes=("base", "goldmines", system))
        for number, system in enumerate(SYSTEMS)
    ),
    replace(carc_env.preset("everything"), players=2),
    replace(carc_env.preset("everything"), players=6, **OF_SYSTEMS),
    carc_env.GameConfig(players=3, boxes=(*UP_TO_CHIPS, *SYSTEMS), sheet="france"),
]

# The decisions at which the laws look at a game, and the box that each of them needs.
QUESTIONS = {
    "PLACE_TILE": None,
    "PLACE_FIGURE": None,
    "PLACE_INGOT": "goldmines",
    "TAKE_INGOT": "goldmines",
    "SELL_WINE": "map_chips",
    "PLACE_ABBEY": "abbeys",
    "PLACE_GERMAN_CASTLE": "german_castles",
    "PLACE_FERRY": "ferries",
    "MOVE_FERRY": "ferries",
    "FOUND_CASTLE": "castles",
    "CASTLE_SCORE": "castles",
    "CROP_CHOICE": "crop_circles",
    "CROP_ADD": "crop_circles",
    "CROP_REMOVE": "crop_circles",
}

seeds = st.integers(0, 2**32 - 1)


def is_as_printed(config):
    """True if the features are exactly those that the printed tiles form."""
    return not CHANGING & set(config.boxes)


def draws_only(config):
    """True if players hold no tiles, so that every tile is drawn."""
    return not HELD & set(config.boxes)


def one_of(configurations):
    """Return a strategy that draws one of these configurations at random."""
    return seeds.map(lambda seed: random.Random(seed).choice(configurations))


configs = one_of(CONFIGS)


def every_config(share=1.0, where=lambda config: True):
    """Test a law about `(config, seed)` on each configuration for which `where` is true, and then on random ones of
    them. `share` is the fraction of the usual number of games.

    Only the compiled mode tests each configuration; the other modes test random ones.
    """
    of_interest = [config for config in CONFIGS if where(config)]

    def decorate(law):
        law = given(one_of(of_interest), seeds)(law)
        if modes.NAME == "compiled":
            for seed, config in enumerate(of_interest):
                law = example(config, seed)(law)
        usual = round(share * settings().max_examples) - len(of_interest)
        return settings(max_examples=modes.sized(max(3, usual), 3, 1))(law)

    return decorate


def random_answer(rng, game):
    """Return a random legal action. A figure, a sale or a castle is more probable than a pass, so that there is
    something to score.
    """
    actions = game.legal_actions().tolist()
    if game.phase.name in ("PLACE_FIGURE", "SELL_WINE", "FOUND_CASTLE") and rng.random() < 0.7:
        actions = [action for action in actions if game.text(action) != "pass"]
    return rng.choice(actions)


def play_on(game, rng, answers=10**6):
    """Play this many random actions, or play to the end. Returns the texts of the actions."""
    played = []
    while len(played) < answers and not game.is_over:
        action = random_answer(rng, game)
        played.append(game.text(action))
        game.play(action)
    return played


def states(config, seed):
    """Play a game at random. Yields the game before every action, and once more when it is over."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    yield game
    while play_on(game, rng, answers=1):
        yield game


def players_of(game):
    """Return all players; in the uncompiled mode only the first two, because observations take long there."""
    return range(min(game.players, modes.sized(game.players, game.players, 2)))


def tiles_laid(game):
    """Return the number of tiles on the table. This is much faster than `game.board()`."""
    return int(game.state["n_tiles"])


def starts_of(game):
    """Return the start tiles, including those drawn by chance."""
    return tuple(tuple(start) for start in game.record()["starts"])


def chips_of(game):
    """Return the chips as they were laid out at the start, or None if no chips are in play."""
    return [tuple(chip) for chip in game.record()["chips"]] if "map_chips" in game.config.boxes else None


def hands_of(game):
    """Return the castle tiles dealt to each player, or None if there are none."""
    return game.record().get("german_castles")


def squares_of(place):
    """Return the squares that a tile on the table covers: two for a German castle, one for other tiles."""
    first = (place.x, place.y)
    if not place.tile.startswith("GC"):
        return {first}
    return {first, (place.x + 1, place.y) if place.rotation % 180 == 0 else (place.x, place.y + 1)}


def dictated(game, deck=None, chips=None, hands=None, **changes):
    """Return a game that begins as this game began, with nothing left to chance. The deck, the chips, the castle tiles
    or the settings can be replaced.
    """
    config = replace(game.config, **{"starts": starts_of(game)} | changes)
    return carc_env.Game(
        config,
        deck=deck or game.record()["deck"],
        chips=chips_of(game) if chips is None else chips,
        german_castles=hands_of(game) if hands is None else hands,
    )


def any_config(config):
    """True for all configurations."""
    return True


@st.composite
def games(draw, where=any_config):
    """Draw a game that has reached a certain decision, or that is over. One seed determines everything."""
    if modes.NAME == "uncompiled":  # each law gets one game, and most laws get the same one
        return played_once(draw(seeds), where).clone()
    return played(draw(seeds), where)


def played(seed, where):
    """Return the game that a seed determines."""
    rng = random.Random(seed)
    some = {
        question: [c for c in CONFIGS if where(c) and (box is None or box in c.boxes)]
        for question, box in QUESTIONS.items()
    }
    wanted = rng.choice(
        [*(question for question in QUESTIONS if some[question]), "PLACE_FIGURE", "PLACE_FIGURE", "PLACE_TILE"]
    )
    if wanted == "TAKE_INGOT":
        return ingot_draft(rng)
    game = carc_env.Game(rng.choice(some[wanted]), seed=rng.getrandbits(64))
    play_on(game, rng, rng.randint(0, 120))
    while game.phase.name != wanted and play_on(game, rng, answers=1):
        pass
    return game


played_once = cache(played)


def ingot_draft(rng):
    """Return a game in which two players share the gold of a road, which seldom happens in random games."""
    gold_rule = rng.choice(["hig", "rgg_rounds", "rgg_single_pass"])
    config = replace(carc_env.preset("goldmines"), gold_rule=gold_rule)
    game = carc_env.Game(config, deck=["GM8", "X", "B", "B", "B", "U", "GM8", "X", "U", "V", "V"])
    for text in (
        *("GM8@1,0/0", "meeple road E", "X@2,0/0", "pass"),
        *("pass", "B@-1,1/0", "pass", "B@-2,1/0", "pass", "U@-2,0/0", "meeple road E"),
        *("GM8@-3,0/0", "ingot -2,0", "pass", "X@-4,0/0", "pass"),
        *("U@-1,0/0", "pass"),  # joins the two roads and completes them
    ):
        game.play(text)
    play_on(game, rng, rng.randint(0, 1))
    return game


games_going_on = games().filter(lambda game: not game.is_over)
