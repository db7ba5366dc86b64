"""Tests of `analyse`: bots return the values of all legal actions, best first. The first action is the one that they
play.
"""

import math
import sys

import numpy as np
import pytest

import carc_env
from carc_env import BotError, Game, make_bot
from carc_env.bots import checkpoint, command
from carc_env.bots.command import value_of
from carc_env.bots.policy import PolicyBot, read_agent
from carc_env.setup.config import presets

TELLS = """
import json, sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "carc":
        print("id name teller\\nready")
    elif word == "position":
        legal = json.loads(rest)["legal"]
    elif word == "go":
        print({info}, sep="\\n")
        print("best", legal[-1])
    sys.stdout.flush()
"""


def positions(config: str, seed: int, every: int = 7) -> list[Game]:
    """Return copies of positions of a game of random actions: the first, and then every `every`-th one."""
    game, choose, found = Game(config, seed=seed), np.random.default_rng(seed), []
    while not game.is_over:
        found.append(game.clone())
        game.play(int(choose.choice(game.legal_actions())))
    return found[::every]


def test_values_of_greedy_count_from_the_margin_on_the_track():
    """A value is a margin: the player's score on the scoring track minus the best score of the other players."""
    game = next(game for game in positions("base", seed=4) if game.tiles_left < 50)
    bot, others = make_bot("greedy"), [player for player in range(game.players) if player != game.player]

    def change(points: dict[int, int]) -> set[float]:
        other = game.clone()
        for player, more in points.items():
            other._games["players"]["score"][0, player] += more
        before, after = dict(bot.analyse(game)), dict(bot.analyse(other))
        return {round(after[action] - before[action], 2) for action in before}

    assert change({game.player: 5}) == {5.0} and change({others[0]: 5}) == {-5.0}
    assert change(dict.fromkeys([game.player, *others], 5)) == {0.0}


@pytest.mark.parametrize("config", presets())
@pytest.mark.parametrize("spec", ["greedy", "ppo"])
def test_all_legal_answers_best_first_and_the_first_is_played(spec, config):
    bot = make_bot(spec)
    for game in positions(config, 2):
        before = game.clone()
        found = bot.analyse(game)
        assert found[0][0] == bot.choose(game) and game == before
        assert sorted(action for action, _ in found) == game.legal_actions().tolist()
        values = [value for _, value in found]
        assert values == sorted(values, reverse=True) and all(map(math.isfinite, values))
        assert all(type(action) is int and type(value) is float for action, value in found)


def test_the_best_answer_of_an_agent_is_worth_what_greedy_makes_of_it():
    agent, greedy = make_bot("ppo"), make_bot("greedy")
    lost = []
    for game in positions("goldmines", 3, 3):
        (played, value), *others = agent.analyse(game)
        by_greedy = dict(greedy.analyse(game))
        assert value == pytest.approx(by_greedy[played], abs=0.002)
        if len(others) > 4 and np.std(list(by_greedy.values())) > 0.01:  # the agent scales its values to greedy's
            assert np.std([value, *(value for _, value in others)]) == pytest.approx(
                np.std(list(by_greedy.values())), rel=0.02
            )
        lost.append(max(by_greedy.values()) - by_greedy[played])
    assert max(lost) > 0  # it does not always play greedy's action


def test_an_answer_that_an_agent_does_not_look_at_is_worth_no_more_than_what_it_plays():
    agent = read_agent(checkpoint.shipped("goldmines-quick"))
    blind = PolicyBot.of(agent.network, 1, agent.prices)  # one row: it plays greedy's action
    orders = []
    for game in positions("goldmines", 4, 5):
        found = blind.analyse(game)
        assert found[0][0] == blind.choose(game) and found[0][1] == max(value for _, value in found)
        orders.append(found[0][0] == make_bot("ppo").choose(game))
    assert not all(orders)


@pytest.mark.parametrize("spec", ["greedy", "ppo"])
def test_nothing_hidden_changes_what_answers_are_worth(spec):
    bot, game = make_bot(spec), positions("carcassonne", 5)[6]
    shuffled = game.clone()
    shuffled.reshuffle_hidden(9)
    assert bot.analyse(shuffled) == bot.analyse(game) and shuffled.deck != game.deck


@pytest.mark.parametrize("bot", ["greedy", "ppo", "random"])
def test_a_game_that_is_over_or_a_bot_that_cannot_say(bot):
    game = Game("base", deck=["V"])
    game.play("V@1,0/0")
    asked = game.clone()
    game.play("pass")
    with pytest.raises(ValueError):
        make_bot(bot).analyse(game)
    if bot == "random":
        with pytest.raises(BotError, match="<bot random> cannot compute values of actions"):
            make_bot(bot).analyse(asked)


# --- programs ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def teller(tmp_path):
    """Return a function that makes a bot from a program. The program prints the lines of the Python expression `info`,
    in which `legal` is the list of legal actions, and plays the last legal action.
    """

    def make(info: str):
        path = tmp_path / "teller.py"
        path.write_text(TELLS.replace("{info}", info))
        return make_bot(f"cmd:{sys.executable} {path}")

    return make


@pytest.fixture
def game() -> Game:
    return Game("goldmines", deck=["V", "GM2", "K"])


def test_our_own_bot_as_a_program_says_what_it_says(game, monkeypatch):
    monkeypatch.setattr(command, "PATIENCE", 120.0)  # the program may start slowly on a busy machine
    program = make_bot(f"cmd:{sys.executable} -m carc_env bot greedy")
    known = make_bot("greedy").analyse(game)[:3]
    assert program.analyse(game) == [(action, pytest.approx(value, abs=0.006)) for action, value in known]


def test_values_of_a_program_are_sorted_and_of_equal_ones_its_answer_is_first(game, teller):
    legal = game.legal_actions().tolist()
    found = teller(
        "*(f'info value 1.5 answer {text}' for text in legal), f'info depth 3 value 7 answer {legal[1]}'"
    ).analyse(game)
    assert (
        found[0] == (legal[1], 7.0)
        and found[1] == (game.action(game.text(legal[-1])), 1.5)
        and len(found) == len(legal)
    )


@pytest.mark.parametrize(
    "info",
    [
        "'info'",
        "'info value much answer ' + legal[0]",
        "'info value nan answer ' + legal[0]",
        "'info value 3 answer Z@9,9/0'",
        "'info value 3', 'infovalue 3 answer ' + legal[0]",
    ],
)
def test_a_program_that_tells_no_values_is_named(game, teller, info):
    bot = teller(info)
    with pytest.raises(
        BotError, match=r"teller\.py> cannot compute values of actions: the program writes no lines such as"
    ):
        bot.analyse(game)
    assert bot.choose(game) == game.action(game.text(game.legal_actions()[-1]))


def test_a_line_of_info(game):
    text = game.text(game.legal_actions()[0])
    assert value_of(f"rank 1 value -2.5 answer {text}", game) == (game.legal_actions()[0], -2.5)
    assert value_of(f"value 3 answer {text}", game)[1] == 3
    assert [
        value_of(line, game)[0]
        for line in ("", "value 3", f"answer {text}", f"value inf answer {text}", "value 1 answer sleep")
    ] == [None] * 5


# --- the user's own bots ----------------------------------------------------------------------------------------------
class Player:
    """Not a subclass of Bot, but it has the methods `choose` and `analyse`."""

    def choose(self, game):
        return game.legal_actions()[0]

    def analyse(self, game):
        return [(int(action), -float(action)) for action in game.legal_actions()]


def test_an_object_of_ones_own_may_say(game):
    bot = make_bot(Player())
    assert bot.analyse(game) == Player().analyse(game) and bot.choose(game) == bot.analyse(game)[0][0]
    bot.reseed(3)  # no effect: the bot is not random
    assert carc_env.play_match(bot, "random", carc_env.GameConfig(boxes=("goldmines",)), pairs=1).illegal == 0
    with pytest.raises(BotError, match="cannot compute values of actions"):
        make_bot(Player().choose).analyse(game)
