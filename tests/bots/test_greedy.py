"""The bot `greedy`."""

import numpy as np

import carc_env
from carc_env import bots, jit
from carc_env.rules.state import Phase

GAMES = 20 if jit.is_compiled() else 1


def play(config, n, seats):
    """Final scores of n games between bots, int[n, 2]."""
    games = carc_env.Games(config, n, range(n))
    while not games.is_over.all():
        actions = np.full(n, -1)
        for seat, bot in enumerate(seats):
            mine = games.players == seat
            if mine.any():
                actions[mine] = bot.choose_batch(games[mine])
        live = actions >= 0
        some = games[live]
        some.step(actions[live])
        games[live] = some
    return games.scores.astype(int)


def test_greedy_beats_random_in_every_game():
    """The bar (99 of 100 over 500 pairs) is measured by `carc match greedy random --pairs 500`; this is a sample."""
    for preset in ("base", "goldmines"):
        scores = play(preset, GAMES, [bots.make("greedy"), bots.make("random", seed=1)])
        assert (scores[:, 0] > scores[:, 1]).all()


def test_same_game_same_answer_and_legal():
    bot, other, game, chance = bots.make("greedy"), bots.make("greedy", seed=5), carc_env.Game("goldmines", seed=9), \
        np.random.default_rng(9)
    for _ in range(30):
        before = game.clone()
        answer = bot.choose(game)
        assert game == before and answer in game.legal_actions()
        assert answer == other.choose(game) == bot.choose_batch(carc_env.Games.of(game))[0]
        game.play(int(chance.choice(game.legal_actions())))


def test_greedy_does_not_see_the_deck_order():
    deck = ["U", "V", "E", "W", "GM1", "N", "B", "K", "L", "J"]
    games = [carc_env.Game("goldmines", deck=order) for order in (deck, deck[:1] + deck[:0:-1])]
    assert bots.make("greedy").choose(games[0]) == bots.make("greedy").choose(games[1])


def test_greedy_completes_a_city_and_takes_the_points():
    """With the tile in hand that closes the own city at once, nothing else is better."""
    game = carc_env.Game("base", deck=["E", "E", "U", "U", "U", "V"])
    game.play("E@0,-1/180")
    assert game.phase == Phase.PLACE_FIGURE
    assert game.text(bots.make("greedy").choose(game)) == "meeple city S"
