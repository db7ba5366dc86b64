"""Tests of the user's own bots. One method is enough, functions and objects can be bots, and the actions that a bot
returns are checked.
"""

import copy
import os
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env.bots import Bot, BotError, make
from carc_env.bots.greedy import GreedyBot
from carc_env.bots.random import RandomBot
from carc_env.common.errors import IllegalAction, SeedError
from carc_env.games.games import Games
from carc_env.rules.state import NONE

SHORT = carc_env.GameConfig(boxes=("goldmines",), tiles_only=("ferries",))


class Last(Bot):
    """Plays the last legal action, one game at a time."""

    def choose(self, game):
        return game.legal_actions()[-1]


class LastOfMany(Bot):
    """Plays the last legal action in all games at once."""

    name = "last"

    def choose_batch(self, games):
        masks = games.legal_mask()
        return np.where(masks.any(1), masks.shape[1] - 1 - masks[:, ::-1].argmax(1), NONE)


class Dice(Bot):
    """Plays a random action that depends only on the seed and on the game, and not on earlier decisions."""

    def __init__(self, seed=None):
        self.reseed(seed or 0)

    def reseed(self, seed):
        self.seed = seed

    def choose(self, game):
        return np.random.default_rng([self.seed, len(game.moves)]).choice(game.legal_actions())


def last(game):
    return game.legal_actions()[-1]


class Player:
    """Not a subclass of Bot, but it has the method `choose`."""

    def choose(self, game):
        return last(game)


def mixed_games():
    """Return five games, the second of which is over."""
    games = Games(SHORT, 5, range(5))
    game = games.game(1)
    while not game.is_over:
        game.play(last(game))
    return games


# --- one method is enough --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bot", [Last(), make(last), make(Player()), make(Player), make(Last)], ids=repr)
def test_choosing_for_one_game_is_enough(bot):
    games = mixed_games()
    expected = LastOfMany().choose_batch(games).tolist()
    assert expected[1] == NONE
    answers = bot.choose_batch(games)
    assert answers.dtype == np.int64 and answers.tolist() == expected
    assert bot.choose_for(games, np.array([3, 0]), np.array([8, 9], np.uint64)).tolist() == [expected[3], expected[0]]
    assert bot.choose(games.game(2)) == expected[2]


def test_choosing_for_a_batch_is_enough():
    games, bot = mixed_games(), LastOfMany()
    assert bot.choose(games.game(2)) == Last().choose(games.game(2)) and type(bot.choose(games.game(2))) is int
    assert bot.choose_for(games, np.array([2]), np.array([8])).tolist() == [bot.choose(games.game(2))]


def test_chance_goes_by_the_seed_of_the_game():
    games, bot = Games(SHORT, 4, [1] * 4), Dice()
    seeds = np.array([5, 6, 5, 2**64 - 1], np.uint64)
    answers = bot.choose_for(games, np.arange(4), seeds)
    assert answers[0] == answers[2]
    assert answers.tolist() == [int(Dice(int(seed)).choose(games.game(0))) for seed in seeds]
    assert len({int(Dice(seed).choose(games.game(0))) for seed in range(9)}) > 1


def play_on(game):
    """Return the last legal action, but also play five actions in the given game."""
    answer = last(game)
    for _ in range(5):
        game.play(last(game))
    return answer


class PlaysOn(LastOfMany):
    """Chooses the last legal action in each game of a batch, but also plays it in the given games."""

    def choose_batch(self, games):
        answers = super().choose_batch(games)
        games.step(answers)
        return answers


@pytest.mark.parametrize("bot", [make(play_on), PlaysOn()], ids=repr)
def test_a_bot_may_play_on_what_it_is_handed(bot):
    games = Games(SHORT, 3, [1, 2, 3])
    before, expected = games.records.tobytes(), Last().choose_batch(games).tolist()
    assert bot.ask(games).tolist() == expected and bot.ask(games, [1]).tolist() == expected[1:2]
    assert bot.choose_for(games, np.array([2, 0]), np.array([0, 0])).tolist() == [expected[2], expected[0]]
    by_the_other_method = bot.choose_batch(games)[1] if bot.name == "play_on" else bot.choose(games.game(1))
    assert by_the_other_method == expected[1]
    assert games.records.tobytes() == before


def test_neither_method_is_an_error():
    class Lazy(Bot):
        pass

    with pytest.raises(TypeError, match=r"the bot Lazy needs a method choose\(game\) or choose_batch\(games\)"):
        Lazy()
    with pytest.raises(BotError, match="creating a bot from Lazy raised TypeError: the bot Lazy needs"):
        make(Lazy)


@pytest.mark.parametrize("parent", [RandomBot, GreedyBot, LastOfMany])
def test_choose_beside_an_inherited_choose_batch_is_an_error(parent):
    """If a class defines `choose` beside an inherited `choose_batch`, some places would call one method and other
    places the other.
    """

    class Torn(parent):
        def choose(self, game):
            return last(game)

    with pytest.raises(TypeError, match="the bot Torn has both methods choose and choose_batch"):
        Torn()


def test_a_word_too_many_where_a_class_is_written_is_an_error():
    """Bot accepts no keyword arguments in the definition of a subclass, like any other class."""
    with pytest.raises(TypeError, match="takes no keyword arguments"):

        class Coloured(Bot, colour="red"):
            pass


def test_names():
    assert [Last().name, LastOfMany().name, make(last).name, make(Player).name] == ["Last", "last", "last", "Player"]

    class Child(Last):
        pass

    assert repr(Child()) == "<bot Child>"
    player = Player()
    player.name = "me"
    assert make(player).name == "me"
    assert make(lambda game: 0).name == "<lambda>"


def test_copies_of_bots():
    for bot in (
        Last(),
        Dice(3),
        make(last),
        make(Player()),
        make("random", 3),
        make("greedy"),
        make("ppo"),
        make("ppo:goldmines-quick"),
    ):
        for other in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
            game = carc_env.Game(SHORT, seed=1)
            assert (other.name, other.choose(game)) == (bot.name, bot.choose(game))


# --- checks of actions ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("answer", [3.0, None, "pass", True, np.float32(3), float("nan"), 10**30, [3], np.array([3])])
def test_what_is_no_id_is_an_error_that_names_the_bot(answer):
    def fool(game):
        return answer

    class Fools(Bot):
        def choose_batch(self, games):
            return [answer] * len(games)

    games = Games(SHORT, 2, [1, 2])
    for bot, name in ((make(fool), "fool"), (Fools(), "Fools")):
        for ask in (
            bot.ask,
            Bot.choose_batch.__get__(bot),
            lambda games: bot.choose_for(games, np.arange(2), np.arange(2)),
        ):
            with pytest.raises(IllegalAction, match=f"bot {name}: .*(is not an action|games need|of dtype)"):
                ask(games)
    assert make(fool).ask(games, strict=False).tolist() == [NONE, NONE]


@pytest.mark.parametrize("answer", [np.int8(3), np.array(3), np.uint64(3), 3])
def test_ints_of_all_kinds_are_ids(answer):
    assert make(lambda game: answer).ask(Games(SHORT, 2, [1, 2])).tolist() == [3, 3]


@pytest.mark.parametrize("answers", [None, 3, "33", [3], [3, 3, 3], np.zeros((3, 2), int), np.zeros(0)])
def test_answers_for_another_number_of_games_are_always_an_error(answers):
    class Odd(Bot):
        def choose_batch(self, games):
            return answers

    for strict in (True, False):
        with pytest.raises(IllegalAction, match="bot Odd: 2 games need 2 actions"):
            Odd().ask(Games(SHORT, 2, [1, 2]), strict=strict)


# --- what `make` takes ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spec", [None, 3, 2.5, ["greedy"], b"greedy", {}, object()])
def test_what_is_no_bot(spec):
    with pytest.raises(
        BotError,
        match=r"is not a bot; a bot is a Bot, a function game -> action, or an object with a method choose\(game\)",
    ):
        make(spec)


@pytest.mark.parametrize(
    "thing", [lambda: 3, lambda game, more: 3, os.getcwd, type("P", (), {"choose": lambda self: 3})()]
)
def test_what_cannot_be_asked_with_a_game(thing):
    with pytest.raises(BotError, match=r"cannot be called with a game as its only argument \("):
        make(thing)


def test_a_class_gets_the_seed():
    assert make(Dice, seed=7).seed == 7

    class Later(Dice):
        def __init__(self):
            self.seed = 0

    assert (make(Later, seed=7).seed, make(Later).seed) == (7, 0)


@pytest.mark.parametrize("seed", [1.0, "1", -1, 2**64, True])
def test_the_seed_is_one(seed):
    for spec in ("random", "greedy", "ppo", last):
        with pytest.raises(SeedError, match="should be an integer from 0 to"):
            make(spec, seed=seed)


MODULE = '''
"""Bots in a file."""
import carc_env

class Seeded(carc_env.Bot):
    name = "mine"
    def __init__(self, seed=5):
        self.seed = seed
    def choose(self, game):
        return game.legal_actions()[self.seed % len(game.legal_actions())]

class Plain:
    def choose(self, game):
        return game.legal_actions()[0]

class Group:
    class Inner(Plain):
        pass

class Needy:
    def __init__(self, size):
        pass

class Broken(Plain):
    def __init__(self):
        raise RuntimeError("out of luck")

class Nothing:
    pass

def first(game):
    return game.legal_actions()[0]

instance, number, text = Seeded(9), 3, "greedy"
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the name of a module in the current folder that has not been imported yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    name = f"own_bots_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / f"{name}_torn.py").write_text("def (")
    (tmp_path / f"{name}_needy.py").write_text("import no_such_module_at_all")
    (tmp_path / f"{name}_loud.py").write_text("raise ValueError('not today')")
    return name


@pytest.mark.parametrize(
    ("name", "called", "seed"),
    [
        ("Seeded", "mine", 3),
        ("Plain", "Plain", None),
        ("Group.Inner", "Inner", None),
        ("first", "first", None),
        ("instance", "mine", 9),
    ],
)
def test_a_bot_of_a_module_in_the_current_folder(module, name, called, seed):
    bot = make(f"{module}:{name}", seed=3)
    assert bot.name == called and getattr(bot, "seed", None) == seed
    games = Games(SHORT, 2, [1, 2])
    assert games.are_legal(bot.choose_batch(games)).all()


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("{}_gone:First", "there is no module '{}_gone' in the current folder, and none is installed"),
        ("{}.deep:First", "there is no module '{}.deep' in the current folder, and none is installed"),
        ("{}_torn:First", "importing the module {}_torn raised SyntaxError: invalid syntax"),
        ("{}_needy:First", "the module {}_needy needs the module no_such_module_at_all, which is not installed"),
        ("{}_loud:First", "importing the module {}_loud raised ValueError: not today"),
        ("{}:First", "the module {} has no First"),
        ("{}:Group.Outer", "the module {} has no Group.Outer"),
        ("{}:Needy", "creating a bot from Needy raised TypeError: "),
        ("{}:Broken", "creating a bot from Broken raised RuntimeError: out of luck"),
        ("{}:Nothing", "is not a bot; a bot is a Bot, a function"),
        ("{}:number", "3 is not a bot; a bot is a Bot, a function"),
        ("{}:text", "'greedy' is not a bot; a bot is a Bot, a function"),
    ],
)
def test_a_module_without_such_a_bot(module, spec, reason):
    with pytest.raises(BotError) as refusal:
        make(spec.format(module))
    assert spec.format(module) in str(refusal.value) and reason.format(module) in str(refusal.value)


def test_the_names_at_top_level():
    assert carc_env.Bot is Bot and carc_env.make_bot is make and carc_env.BotError is BotError
    assert isinstance(carc_env.play_match(last, Player(), SHORT, pairs=1), carc_env.MatchResult)
    assert {"Bot", "make_bot", "play_match", "MatchResult"} <= set(carc_env.__all__)


# --- docs/bots.md --------------------------------------------------------------------------------------------------
PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")


def test_the_page_names_what_make_takes():
    for spec in re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE):
        if "/" not in spec and "my_bots" not in spec:
            assert make(spec, seed=1).name == spec


@pytest.mark.parametrize("parent", [GreedyBot, RandomBot])
def test_a_choose_batch_of_ones_own_plays_instead_of_the_inherited_one(parent):
    """The package's bots read the games without copying them. A subclass with its own `choose_batch` has to be called
    instead.
    """

    class Child(parent):
        choose_batch = LastOfMany.choose_batch

    games = Games(SHORT, 3, [1, 2, 3])
    assert Child().ask(games).tolist() == LastOfMany().ask(games).tolist()
    assert Child().choose_for(games, np.arange(3), np.zeros(3, np.uint64)).tolist() == LastOfMany().ask(games).tolist()
    assert not Child.threaded, "what is not compiled keeps to one thread"
