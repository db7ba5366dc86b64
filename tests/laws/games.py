"""Random games for the laws."""

import random
from dataclasses import replace

from hypothesis import strategies as st

import carc_env

GOLD_AND_ABBOTS = ("base", "goldmines", "abbot")

CONFIGS = [
    replace(carc_env.preset("goldmines"), players=2),
    replace(carc_env.preset("goldmines"), players=4, gold_rule="rgg_rounds"),
    replace(carc_env.preset("goldmines"), players=3, gold_rule="rgg_single_pass", boxes=GOLD_AND_ABBOTS),
    replace(carc_env.preset("goldmines"), players=2, boxes=GOLD_AND_ABBOTS),
    replace(carc_env.preset("base"), players=2),
    replace(carc_env.preset("base"), players=5, edition="C1", small_city_points=2),
    replace(carc_env.preset("base"), players=3, boxes=("base", "abbot")),
]

configs = st.sampled_from(CONFIGS)
seeds = st.integers(0, 2**32 - 1)


def random_answer(rng, game):
    """A legal answer; rather a figure than none, so that there is something to score."""
    actions = game.legal_actions().tolist()
    if game.phase == carc_env.Phase.PLACE_FIGURE and rng.random() < 0.7:
        actions = [action for action in actions if game.text(action) != "pass"]
    return rng.choice(actions)


def play_on(game, rng, answers=10**6):
    """Play so many random answers, or to the end; returns the texts played."""
    played = []
    while len(played) < answers and not game.is_over:
        action = random_answer(rng, game)
        played.append(game.text(action))
        game.play(action)
    return played


def states(config, seed):
    """A game played at random, yielded before every answer and once more when it is over."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    yield game
    while play_on(game, rng, answers=1):
        yield game


@st.composite
def games(draw):
    """A game some way on in which a certain question is asked; or it is over. All is chosen by one seed."""
    rng = random.Random(draw(seeds))
    wanted = rng.choice(["PLACE_TILE", "PLACE_FIGURE", "PLACE_FIGURE", "PLACE_INGOT", "TAKE_INGOT"])
    if wanted == "TAKE_INGOT":
        return ingot_draft(rng)
    game = carc_env.Game(rng.choice(CONFIGS), seed=rng.getrandbits(64))
    play_on(game, rng, rng.randint(0, 130))
    while game.phase.name != wanted and play_on(game, rng, answers=1):
        pass
    return game


def ingot_draft(rng):
    """A game in which two players share the gold of a road, which random players seldom come to."""
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
