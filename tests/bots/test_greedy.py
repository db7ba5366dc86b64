"""Tests of the bot `greedy`."""

import numpy as np

import carc_env
from carc_env import bots
from carc_env.compiling import jit
from carc_env.rules.state import Phase

GAMES = 20 if jit.is_compiled() else 1


def play(config, n, seats):
    """Play n games between bots. Return the final scores, int[n, 2]."""
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
    """`carc match greedy random --pairs 500` measures the win rate, whose target is 99 %. This test plays a sample."""
    for preset in ("base", "goldmines")[:GAMES]:
        scores = play(preset, GAMES, [bots.make("greedy"), bots.make("random", seed=1)])
        assert (scores[:, 0] > scores[:, 1]).all()


def test_same_game_same_answer_and_legal():
    bot, other, game, chance = (
        bots.make("greedy"),
        bots.make("greedy", seed=5),
        carc_env.Game("goldmines", seed=9),
        np.random.default_rng(9),
    )
    for _ in range(30):
        before = game.clone()
        answer = bot.choose(game)
        assert game == before and answer in game.legal_actions()
        assert answer == other.choose(game) == bot.choose_batch(carc_env.Games.view_of(game))[0]
        game.play(int(chance.choice(game.legal_actions())))


def test_greedy_does_not_see_the_deck_order():
    deck = ["U", "V", "E", "W", "GM1", "N", "B", "K", "L", "J"]
    games = [carc_env.Game("goldmines", deck=order) for order in (deck, deck[:1] + deck[:0:-1])]
    assert bots.make("greedy").choose(games[0]) == bots.make("greedy").choose(games[1])


def test_greedy_completes_a_city_and_takes_the_points():
    """The tile that was placed completes a city. A meeple in this city scores at once, which is the best action."""
    game = carc_env.Game("base", deck=["E", "E", "U", "U", "U", "V"])
    game.play("E@0,-1/180")
    assert game.phase == Phase.PLACE_FIGURE
    assert game.text(bots.make("greedy").choose(game)) == "meeple city S"


def deeds(preset):
    """Return the texts of greedy's actions in some games against itself, and all events. Uncompiled, greedy only plays
    the last part of one game; random actions come before it.
    """
    texts, events, bot = [], [], bots.make("greedy")
    for seed in range(FEW):
        game = carc_env.Game(preset, seed=seed)
        while not jit.is_compiled() and not game.is_over and game.tiles_left > LAST:
            game.play(bots.make("random", seed=seed).choose(game))
        while not game.is_over:
            texts.append(game.text(bot.choose(game)))
            game.play(texts[-1])
            events += game.last_events
    return texts, events


FEW = 3 if jit.is_compiled() else 1
LAST = 70  # uncompiled, greedy plays while at most this many tiles are left
SHARE = FEW if jit.is_compiled() else 0.3  # the number of games that greedy plays


def test_greedy_sells_wine():
    """`greedy` takes many chips. It sells a wine at every opportunity, because wine is worth nothing at the end."""
    texts, events = deeds("carcassonne")
    chips, sales = (
        sum(isinstance(event, kind) for event in events) for kind in (carc_env.ChipTaken, carc_env.WineSold)
    )
    assert chips >= 20 * SHARE and sales >= 10 * SHARE
    assert sales == sum(text.startswith("sell") for text in texts)
    destinations = {text.split()[-1] for text in texts if text.startswith("sell")}
    assert destinations == {"abroad", "town"} if jit.is_compiled() else destinations <= {"abroad", "town"}


def test_greedy_uses_builders_pigs_and_abbots():
    """`greedy` places every kind of figure, gets goods for cities, and takes ingots."""
    texts, events = deeds("expansions")
    for kind in (carc_env.GoodsTaken, carc_env.IngotTaken, carc_env.FigureReturned):
        assert sum(isinstance(event, kind) for event in events) >= 3 * SHARE
    assert sum(text.startswith("builder") for text in texts) >= 2 * SHARE
    kinds = {"meeple", "big", "abbot", "builder", "pig"} if jit.is_compiled() else {"meeple", "abbot", "builder"}
    assert kinds <= {text.split()[0] for text in texts}


def test_greedy_does_not_see_what_chips_show():
    """Chips lie face down on the squares beside a start tile. `greedy` knows which chips there are, but not which chip
    lies where.
    """
    chips = [(5, 7, "purple", 1), (7, 7, "orange", 2), (6, 6, "light_blue", 1), (11, 2, "purple", 2)]
    others = [(*chip[:2], *other[2:]) for chip, other in zip(chips, chips[1:] + chips[:1])]
    for deck in (["U", "V", "E", "W"], ["K", "V", "E", "W"], ["B", "V", "E", "W"]):
        one, other = (carc_env.Game("france", seed=4, deck=deck, chips=some) for some in (chips, others))
        assert one.legal_actions().tolist() == other.legal_actions().tolist()
        assert bots.make("greedy").choose(one) == bots.make("greedy").choose(other)
        assert all(np.array_equal(one.observe(0, "both")[key], seen) for key, seen in other.observe(0, "both").items())
