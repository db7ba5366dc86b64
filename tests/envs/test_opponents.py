"""Tests of opponents, in single environments and in batches: the user's own bots, one bot for each seat, and pools with
weights.
"""

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env import ArgumentError, IllegalAction, bots
from carc_env.envs.opponents import Opponents
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from tests.envs.test_vector import SHORT, assert_same

ID = "carc_env/Goldmines-v0"


def first(game):
    """Return the first legal action."""
    return game.legal_actions()[0]


class Last:
    """Plays the last legal action. Not a subclass of Bot."""

    def choose(self, game):
        return int(game.legal_actions()[-1])


class Middle(bots.Bot):
    """A bot with only the method `choose`, which plays the middle legal action."""

    name = "middle"

    def choose(self, game):
        legal = game.legal_actions()
        return legal[len(legal) // 2]


class Noted(bots.Bot):
    """Plays the first legal action, and notes for which players it had to act."""

    def __init__(self, name):
        self.name, self.asked = name, []

    def choose_batch(self, games):
        self.asked += games.players.tolist()
        return games.legal_mask().argmax(1)


GIVEN = {
    "function": first,
    "object": Last(),
    "bot": Middle(),
    "one a seat": [first, Last()],
    "pool": [first, ("random", 2.0), Middle(), ("greedy", 0.5)],
    "list pairs": [["random", 1], ["greedy", 4]],
}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("opponent", GIVEN.values(), ids=GIVEN)
def test_a_batch_is_single_environments_with_any_opponent(opponent, mode):
    settings = {"config": SHORT, "opponent": opponent}
    batch = gymnasium.make_vec(ID, 3, "vector_entry_point", autoreset_mode=mode, threads=2, **settings)
    sync = gymnasium.make_vec(
        ID, 3, "sync", vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode(mode)}, **settings
    )
    assert_same(batch.reset(seed=4), sync.reset(seed=4))
    rng = np.random.default_rng(1)
    for _ in range(25):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks()])
        assert_same(batch.step(actions), sync.step(actions))


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_a_list_is_one_a_seat_in_turn_order_after_the_agent(seat):
    for make in (lambda *a, **k: CarcassonneEnv(*a, **k), lambda *a, **k: CarcassonneVectorEnv(1, *a, **k)):
        noted = [Noted("a"), Noted("b"), Noted("c")]
        env = make("base", noted, seat, players=4)
        env.reset(seed=1)
        for _ in range(10):
            mask = env.action_masks().reshape(-1)
            env.step(int(mask.argmax()) if isinstance(env, CarcassonneEnv) else [mask.argmax()])
        assert [set(bot.asked) for bot in noted] == [{(seat + k) % 4} for k in (1, 2, 3)]


def test_a_pool_is_drawn_from_by_weight_with_the_environments_generator():
    pool = [("greedy", 3.0), ("random", 1)]
    opponents = Opponents(pool, 3)
    rng = np.random.default_rng(0)
    drawn = np.array([opponents.draw(rng, 0)[1:] for _ in range(2000)])
    assert 0.20 < drawn.mean() < 0.30 and abs(np.corrcoef(drawn.T)[0, 1]) < 0.1  # each seat is drawn independently
    env = CarcassonneEnv(SHORT, pool)
    seen = [(env.reset(seed=5 if k == 0 else None), env._bots.tolist())[1] for k in range(20)]
    again = [(env.reset(seed=5 if k == 0 else None), env._bots.tolist())[1] for k in range(20)]
    assert seen == again and len(set(map(tuple, seen))) > 3


def test_entries_without_a_weight_have_weight_one():
    rng = np.random.default_rng(0)
    for pool, share in (
        (["greedy", "random", "random"], 1 / 3),
        (["greedy", ("random", 3.0)], 1 / 4),
        ((("greedy", 1e308), ("random", 1e308)), 1 / 2),
    ):
        opponents = Opponents(pool, 2)
        assert abs(np.mean([opponents.draw(rng, 0)[1] == 0 for _ in range(2000)]) - share) < 0.05


def test_what_is_no_pool_draws_nothing_so_that_seeds_keep_their_meaning():
    games = []
    for opponent in ("random", ["random"], ("random",), [("random", 2.0)], carc_env.bots.make("random")):
        env = CarcassonneEnv("base", opponent)
        env.reset(seed=8)
        env.reset()
        games.append((env.seat, env.game.record()))
    assert all(game == games[0] for game in games)


@pytest.mark.parametrize(
    ("opponent", "error", "reason"),
    [
        ([], ArgumentError, "list is empty"),
        (["greedy", "self"], ArgumentError, "'self' cannot be in a list"),
        ([("self", 1.0)], ArgumentError, "the bot cannot be 'self'"),
        ([("greedy", 0)], ArgumentError, "larger than 0"),
        ([("greedy", -1.0)], ArgumentError, "larger than 0"),
        ([("greedy", float("nan"))], ArgumentError, "larger than 0"),
        ([("greedy", float("inf"))], ArgumentError, "larger than 0"),
        ([("greedy", True)], ArgumentError, "a pair"),
        ([("greedy", "1")], ArgumentError, "a pair"),
        ([("greedy",)], ArgumentError, "a pair"),
        ([[]], ArgumentError, "a pair"),
        ("nobody", bots.BotError, "nobody"),
        (["greedy", "nobody"], bots.BotError, "nobody"),
        (None, bots.BotError, "None"),
        (("greedy", 3.0), bots.BotError, "3.0"),
    ],
)
def test_opponents_that_cannot_be(opponent, error, reason):
    for make in (CarcassonneEnv, CarcassonneVectorEnv):
        with pytest.raises(error, match=reason):
            make(opponent=opponent)


class Wrong(bots.Bot):
    """Returns the given value as its action in every game."""

    name = "wrong"

    def __init__(self, answer):
        self.answer = answer

    def choose_batch(self, games):
        return [self.answer] * len(games)


@pytest.mark.parametrize("answer", [3, 3.5, None, "pass", 10**30, True])
def test_an_opponent_that_answers_illegally_is_an_error(answer):
    for make in (CarcassonneEnv, CarcassonneVectorEnv):
        env = make(config="base", opponent=Wrong(answer), seat=1)
        with pytest.raises(IllegalAction):
            env.reset(seed=1)


def test_an_opponent_that_plays_on_its_game_changes_nothing():
    def player(game):
        answer = game.legal_actions()[0]
        game.play(answer)
        return answer

    env = CarcassonneEnv(SHORT, player, seat=1)
    env.reset(seed=1)
    again = CarcassonneEnv(SHORT, first, seat=1)
    again.reset(seed=1)
    assert env.game.record() == again.game.record()


class Seeded(bots.Bot):
    """A bot whose actions depend on its seed."""

    name = "seeded"

    def reseed(self, seed):
        self.seed = seed

    def choose_batch(self, games):
        return np.array([np.flatnonzero(mask)[self.seed % mask.sum()] for mask in games.legal_mask()])


SHARED = Seeded()


@pytest.mark.parametrize("shared", [Seeded(), "tests.envs.test_opponents:SHARED"], ids=["object", "spec"])
def test_a_bot_that_several_environments_share_plays_each_with_its_seed(shared):
    many, alone = (
        [CarcassonneEnv(SHORT, shared, 0) for _ in range(3)],
        [CarcassonneEnv(SHORT, Seeded(), 0) for _ in range(3)],
    )
    for k, (env, other) in enumerate(zip(many, alone)):
        env.reset(seed=k)
        other.reset(seed=k)
    for _ in range(12):
        for env, other in zip(many, alone):
            if not other.game.is_over:
                action = int(env.action_masks().argmax())
                env.step(action)
                other.step(action)
                assert env.game == other.game


class Failing(bots.Bot):
    """Plays the first legal action, but raises an error while `fails` is set."""

    fails = False

    def choose_batch(self, games):
        if self.fails:
            raise RuntimeError("the bot has failed")
        return games.legal_mask().argmax(1)


def fail_in_step(env, bot):
    """Step until the bot has to act and fails."""
    bot.fails = True
    with pytest.raises(RuntimeError, match="the bot has failed"):
        for _ in range(9):
            masks = env.action_masks()
            env.step(int(masks.argmax()) if masks.ndim == 1 else masks.argmax(1))
    bot.fails = False


def fail_in_reset(env, bot):
    """Reset the environment. The bot acts first, and fails."""
    bot.fails = True
    with pytest.raises(RuntimeError, match="the bot has failed"):
        env.reset()
    bot.fails = False


@pytest.mark.parametrize("fail, seat", [(fail_in_step, 0), (fail_in_step, 1), (fail_in_reset, 1)])
@pytest.mark.parametrize("mode", [None, "NextStep", "SameStep", "Disabled"])
def test_after_an_error_of_an_opponent_the_environment_needs_a_reset(mode, fail, seat):
    bot = Failing()

    def make():
        return (
            CarcassonneEnv("base", bot, seat)
            if mode is None
            else CarcassonneVectorEnv(2, "base", bot, seat, autoreset_mode=mode)
        )

    env, other = make(), make()
    expected = env.reset(seed=1)
    fail(env, bot)
    other.restore(env.save())
    for broken in (env, other):
        for call in (lambda: broken.step(0 if mode is None else [0, 0]), broken.action_masks):
            with pytest.raises(gymnasium.error.ResetNeeded, match=r"an opponent has raised an error; call reset\(\)"):
                call()
        if mode is not None:
            with pytest.raises(gymnasium.error.ResetNeeded, match="without a reset_mask"):
                broken.reset(options={"reset_mask": np.array([True, False])})
        assert_same(broken.reset(seed=1), expected)
        masks = broken.action_masks()
        broken.step(int(masks.argmax()) if mode is None else masks.argmax(1))
