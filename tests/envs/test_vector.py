"""Tests of the vector environment. It has to behave like Gymnasium's SyncVectorEnv of single environments."""

import copy
import dataclasses
import gc
import tracemalloc

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import carc_env
from carc_env import bots
from carc_env.common.errors import ArrayError, IllegalAction
from carc_env.compiling import jit
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode

ID = "carc_env/Goldmines-v0"
SHORT = carc_env.GameConfig(boxes=("goldmines",), starts=(("D", 0, 0, 0),), players=3)  # eight tiles
PART = 1 if jit.is_compiled() else 12  # divides the numbers of steps, which are smaller uncompiled


def small(config="goldmines", n=3, **settings):
    return CarcassonneVectorEnv(n, config, **settings)


def answers(rng, masks, wrong=0.0):
    """Return a random legal action for each row or, with the probability `wrong`, any action."""
    legal = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
    return np.where(rng.random(len(masks)) < wrong, rng.integers(len(masks[0]), size=len(masks)), legal)


def assert_same(a, b, where=""):
    """Check that two values are equal, including the dtypes of arrays. They may be dicts, tuples, arrays or None."""
    if isinstance(b, dict):
        assert a.keys() == b.keys(), where
        for key in b:
            assert_same(a[key], b[key], f"{where}.{key}")
    elif isinstance(b, tuple) or isinstance(b, np.ndarray) and b.dtype == object:
        assert len(a) == len(b)
        for one, other in zip(a, b):
            assert_same(one, other, where)
    elif b is None:
        assert a is None, where
    else:
        np.testing.assert_array_equal(a, b, where)
        assert np.asarray(a).dtype == np.asarray(b).dtype, where


CASES = [
    ("goldmines", {"opponent": "random"}, 0.0),
    ("goldmines", {"opponent": "self", "reward": "potential"}, 0.0),
    ("carcassonne", {"opponent": "self"}, 0.0),
    ("expansions", {"opponent": "random", "seat": 1, "reward": "outcome"}, 0.002),
    (SHORT, {"opponent": "greedy", "observation": "both"}, 0.0),
    (SHORT, {"opponent": "self", "illegal_action": "lose"}, 0.05),
    (SHORT, {"opponent": "random", "illegal_action": "random", "observation": "candidates"}, 0.05),
    (SHORT, {"opponent": "ppo", "reward": "outcome"}, 0.0),
    (SHORT, {"opponent": ["greedy", "random"]}, 0.0),  # one bot for each seat
    (
        SHORT,
        {
            "opponent": ["greedy", ("random", 2.0)],
            "observation": "candidates",
            "actions": "candidates",
            "rows": 20,
            "table": True,
        },
        0.0,
    ),
    (SHORT, {"opponent": "self", "observation": "both", "actions": "candidates", "illegal_action": "random"}, 0.05),
    (SHORT, {"opponent": [("greedy", 1.0), ("random", 3.0)], "players": 4}, 0.0),  # a pool
]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.value)
@pytest.mark.parametrize(("config", "settings", "wrong"), CASES)
def test_it_is_gymnasiums_vector_of_single_environments(config, settings, wrong, mode):
    """Observations, rewards, ends of episodes and infos are the same before and after resets, and so are the dtypes."""
    batch = gymnasium.make_vec(ID, 3, "vector_entry_point", config=config, autoreset_mode=mode, threads=2, **settings)
    sync = gymnasium.make_vec(ID, 3, "sync", vector_kwargs={"autoreset_mode": mode}, config=config, **settings)
    assert batch.observation_space == sync.observation_space and batch.action_space == sync.action_space
    assert batch.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"] == mode
    rng = np.random.default_rng(3)
    assert_same(batch.reset(seed=5), sync.reset(seed=5))
    masks, ends = sync.call("action_masks"), 0
    for _ in range((300 if config is not SHORT else 120) // PART):
        actions = answers(rng, masks, wrong)
        expected = sync.step(actions)
        assert_same(batch.step(actions), expected)
        masks, ends = expected[0]["action_mask"], ends + expected[2].sum()
    assert ends >= 3 or PART > 1
    assert_same(batch.reset(seed=[7, 8, 9]), sync.reset(seed=[7, 8, 9]))
    assert_same(batch.reset(), sync.reset())


def episode_bytes(n, threads, order, preset="carcassonne", steps=60 // PART):
    """Play the games with the seeds 100 + k, for each k in `order`. Return, for each k, a list of the rewards, the ends
    of episodes and the bytes of the observations.
    """
    envs = CarcassonneVectorEnv(n, preset, "random", observation="both", threads=threads)
    (observations, infos), rng = (
        envs.reset(seed=[100 + int(k) for k in order]),
        {k: np.random.default_rng(int(k)) for k in order},
    )
    told = {k: [] for k in order}
    for _ in range(steps):
        actions = [answers(rng[k], masks[None])[0] for k, masks in zip(order, observations["action_mask"])]
        observations, rewards, ends, _, infos = envs.step(np.array(actions))
        for i, k in enumerate(order):
            told[k].append((rewards[i], ends[i], *(array[i].tobytes() for array in observations.values())))
    return told


def test_neither_batch_size_nor_order_nor_threads_matter():
    alone = {k: episode_bytes(1, 1, [k])[k] for k in range(3)}
    many = episode_bytes(40 // PART, 2, range(40 // PART))
    assert all(many[k] == alone[k] for k in alone)
    assert episode_bytes(3, 1, [2, 0, 1]) == alone


@pytest.mark.parametrize("preset", carc_env.presets())
@pytest.mark.parametrize("players, spaces", [(2, "game"), (3, "game"), (6, "game"), (2, "common")])
def test_what_is_kept_up_to_date_is_what_is_written_anew(preset, players, spaces):
    """The environment updates planes, globals and masks after each action. They equal those that `encode.observe` makes
    anew.
    """
    config = carc_env.preset(preset)
    if players == 6 and "inns_and_cathedrals" not in config.boxes:
        players = 5
    envs = CarcassonneVectorEnv(3, dataclasses.replace(config, players=players), "self", spaces=spaces)
    (observations, infos), rng = envs.reset(seed=players), np.random.default_rng(players)
    for _ in range(250 // PART):
        observations, _, _, _, infos = envs.step(answers(rng, observations["action_mask"]))
        expected = encode.observe(envs.games.records, infos["player"], envs._observation_spec)
        expected["action_mask"][envs.games.is_over, envs.layout.pass_action] = 1
        assert_same(observations, expected)


def test_episode_statistics_of_gymnasiums_wrapper():
    envs = RecordEpisodeStatistics(small(SHORT, opponent="self", autoreset_mode="SameStep"))
    observations, _ = envs.reset(seed=1)
    rng, total, length, seen = np.random.default_rng(1), np.zeros(3), np.zeros(3, int), 0
    for _ in range(60):
        observations, rewards, ends, _, infos = envs.step(answers(rng, observations["action_mask"]))
        total, length = total + rewards, length + 1
        for i in np.flatnonzero(ends):
            assert infos["episode"]["r"][i] == pytest.approx(total[i]) and infos["episode"]["l"][i] == length[i]
            total[i], length[i], seen = 0, 0, seen + 1
    assert seen > 3


def test_without_autoreset_the_caller_begins_games():
    envs = small(SHORT, opponent="random", autoreset_mode="Disabled")
    observations, _ = envs.reset(seed=1)
    rng, ends = np.random.default_rng(1), np.zeros(3, bool)
    while not ends.any():
        observations, _, ends, _, _ = envs.step(answers(rng, observations["action_mask"]))
    before = envs.games.records.copy()
    with pytest.raises(gymnasium.error.ResetNeeded, match=f"game {ends.argmax()} is over"):
        envs.step(answers(rng, observations["action_mask"]))
    _, infos = envs.reset(options={"reset_mask": ends})
    assert (infos["_player"] == ends).all() and (envs.games.records[~ends] == before[~ends]).all()
    assert not envs.games.is_over.any()
    envs.step(answers(rng, envs.action_masks()))
    for mask in (np.zeros(3, bool), np.ones(2, bool), np.ones(3, int)):
        with pytest.raises(ValueError, match="reset_mask should be bool"):
            envs.reset(options={"reset_mask": mask})


def test_copies_may_be_kept_and_the_environments_own_arrays_change():
    for copies in (False, True):
        envs = small(opponent="self", copy=copies)
        first, infos = envs.reset(seed=1)
        kept, mask = first["action_mask"].copy(), infos["action_mask"].copy()
        second, _, _, _, _ = envs.step(mask.argmax(1))
        assert (first["planes"] is second["planes"]) is not copies
        assert copies == ((first["action_mask"] == kept).all() and (infos["action_mask"] == mask).all())


@pytest.mark.parametrize("actions", ["ids", "candidates"])
def test_what_is_done_to_copies_changes_nothing(actions):
    """If the caller overwrites the arrays that a step returned, the observations and masks of the environment and its
    next steps do not change.
    """
    settings = {"opponent": "random", "observation": "both", "actions": actions, "table": True, "rows": 20}
    spoilt, envs = small(SHORT, **settings), small(SHORT, **settings)
    given, expected = spoilt.reset(seed=1), envs.reset(seed=1)
    for _ in range(6):
        assert_same(given, expected)
        for array in (*given[0].values(), *given[-1].values()):
            array[:] = array.max()
        assert_same(spoilt.observations(), expected[0])
        assert_same(spoilt.action_masks(), envs.action_masks())
        chosen = np.array([np.flatnonzero(mask)[-1] for mask in envs.action_masks()])
        given, expected = spoilt.step(chosen), envs.step(chosen)


def test_an_illegal_action_can_raise_and_changes_nothing():
    envs = small(opponent="random", illegal_action="raise")
    observations, _ = envs.reset(seed=1)
    before, actions = envs.games.records.copy(), observations["action_mask"].argmax(1)
    for wrong in (-1, 10**6, int((observations["action_mask"][1] == 0).argmax())):
        with pytest.raises(IllegalAction, match=f"game 1: action {wrong} is not legal"):
            envs.step(np.array([actions[0], wrong, actions[2]]))
        assert (envs.games.records == before).all()
    envs.step(actions)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"n": 0}, "num_envs = 0"),
        ({"threads": 0}, "threads = 0"),
        ({"opponent": "nobody"}, "unknown bot 'nobody'"),
        ({"seat": 2}, "seat = 2"),
        ({"reward": "gold"}, "reward = 'gold'"),
        ({"render_mode": "human"}, "render_mode = 'human'"),
        ({"autoreset_mode": "never"}, "never"),
        ({"observation": "all"}, "observation = 'all'"),
        ({"actions": "rows"}, "actions = 'rows'"),
        ({"actions": "candidates"}, "observation should be 'candidates' or 'both'"),
        ({"observation": "candidates", "rows": 0}, "rows = 0"),
        ({"observation": "candidates", "rows": 193}, "rows = 193"),
        ({"config": "chess"}, "unknown preset 'chess'"),
    ],
)
def test_settings_that_cannot_be(settings, reason):
    with pytest.raises(ValueError, match=reason):
        small(**settings)


def test_calls_that_cannot_be():
    envs = small(opponent="random")
    with pytest.raises(gymnasium.error.ResetNeeded, match="not begun"):
        envs.step(np.zeros(3, int))
    with pytest.raises(gymnasium.error.ResetNeeded, match="not begun"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    with pytest.raises(ValueError, match="3 games need 3 seeds, not 2"):
        envs.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="unknown option 'decks'"):
        envs.reset(options={"decks": []})
    envs.reset(seed=1)
    for actions in (np.zeros(2, int), [1, 2], 5, None, "123"):
        with pytest.raises(IllegalAction, match="3 games need 3 actions"):
            envs.step(actions)


def test_a_dictated_deck_and_pictures():
    envs = small("base", opponent="self", render_mode="ansi")
    assert envs.render() is None
    envs.reset(seed=1, options={"deck": ["U", "E"]})
    assert [envs.games.game(i).tile for i in range(3)] == ["U"] * 3
    assert envs.render() == tuple(carc_env.render.ansi(envs.games.game(i)) for i in range(3))
    envs.close()


class LastAnswer(bots.Bot):
    """A user's own bot, which plays the last legal action."""

    name = "last"

    def choose_batch(self, games):
        masks = games.legal_mask()
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


class SeededAnswer(LastAnswer):
    """A bot whose actions depend on its seed."""

    def reseed(self, seed):
        self.pick = seed

    def choose_batch(self, games):
        return np.array([np.flatnonzero(mask)[self.pick % mask.sum()] for mask in games.legal_mask()])


@pytest.mark.parametrize("bot", [LastAnswer(), SeededAnswer()])
def test_bots_of_a_users_own(bot):
    batch = gymnasium.make_vec(ID, 3, "vector_entry_point", opponent=bot)
    sync = gymnasium.vector.SyncVectorEnv([lambda: CarcassonneEnv(opponent=copy.copy(bot))] * 3)
    assert_same(batch.reset(seed=4), sync.reset(seed=4))
    for _ in range(8):
        actions = batch.action_masks().argmax(1)
        assert_same(batch.step(actions), sync.step(actions))


class CountedAnswer(LastAnswer):
    """A bot that notes, at each call, in how many games it has to act."""

    asked: list[int]

    def choose_batch(self, games):
        self.asked.append(len(games))
        return super().choose_batch(games)


def test_a_bot_is_asked_for_all_games_that_wait_at_once():
    bot = CountedAnswer()
    bot.asked = []
    envs = small(n=8, opponent=bot, seat=1)
    envs.reset(seed=1)
    assert bot.asked[0] == 8 and len(bot.asked) < 8


@pytest.mark.parametrize(
    "settings", [{}, {"observation": "candidates", "actions": "candidates", "rows": 20}], ids=["ids", "rows"]
)
def test_random_actions_are_legal_and_every_legal_action_comes(settings):
    envs = small(SHORT, n=40, opponent="self", **settings)
    envs.reset(seed=[1] * 40)  # all games are the same
    chances, seen = np.random.default_rng(1).integers(1, 2**32, (40, 2)), set()
    for _ in range(30):
        actions = envs.random_actions(chances)
        assert envs.action_masks()[np.arange(40), actions].all()
        seen |= set(actions.tolist())
    assert seen == set(np.flatnonzero(envs.action_masks()[0]).tolist())


@pytest.mark.parametrize(
    "chances, message",
    [
        (np.ones((3, 2), np.int64), r"chances should be a writeable array int64\[4, 2\], not int64\[3, 2\]"),
        (np.ones((4, 2)), "not float64"),
        (7, "not 7"),
        (np.ones((2, 4), np.int64).T, "C-contiguous"),
    ],
)
def test_generators_that_are_none_are_refused(chances, message):
    envs = small(n=4, opponent="self")
    envs.reset(seed=1)
    with pytest.raises(ArrayError, match=message):
        envs.random_actions(chances)


class WrongAnswer(LastAnswer):
    """A bot that always returns the action 3, legal or not."""

    name = "wrong"

    def choose_batch(self, games):
        return np.full(len(games), 3)


def test_a_bot_that_answers_illegally_is_named():
    envs = small(opponent=WrongAnswer(), seat=0)
    envs.reset(seed=1)
    with pytest.raises(IllegalAction, match="game 0: <bot wrong> played 3, which is not legal"):
        for _ in range(9):
            envs.step(envs.action_masks().argmax(1))


def test_a_reset_that_cannot_be_changes_nothing():
    envs = small(opponent="random")
    envs.reset(seed=1)
    before, rngs = envs.games.records.copy(), envs.np_random
    for arguments in ({"seed": [1, 2, -3]}, {"options": {"deck": ["U", "Z9"]}}):
        with pytest.raises((ValueError, gymnasium.error.Error)):
            envs.reset(**arguments)
        assert (envs.games.records == before).all() and envs.np_random == rngs


def test_a_thousand_resets_leave_nothing_behind():
    """The memory that Python and NumPy have allocated does not grow in the second half of the resets. What is loaded
    only once is loaded in the first half.
    """
    envs, grown = small(SHORT, n=4, opponent="random"), []
    envs.reset(seed=1)
    tracemalloc.start()
    for _ in range(2):
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(500 // PART // PART):
            envs.reset()
        gc.collect()
        grown.append(tracemalloc.get_traced_memory()[0] - before)
    tracemalloc.stop()
    assert grown[1] < 20_000


def test_what_was_given_may_be_kept_and_what_was_not_is_written_to_again():
    """With copy=True, an array is not overwritten as long as the caller holds the array or a part of it. The memory of
    other arrays is used again.
    """
    envs = CarcassonneVectorEnv(2, SHORT, "self")
    observations, infos = envs.reset(seed=1)
    kept, part, masks = observations["planes"], observations["globals"][0], infos["action_mask"]
    before = kept.copy(), part.copy(), masks.copy()
    for _ in range(6):
        observations, _, _, _, infos = envs.step(infos["action_mask"].argmax(1))
    assert all(np.array_equal(now, then) for now, then in zip((kept, part, masks), before))
    assert not np.shares_memory(kept, observations["planes"]) and not np.shares_memory(masks, infos["action_mask"])
    assert not np.shares_memory(observations["action_mask"], infos["action_mask"])
    places = set()
    for _ in range(12):
        observations, _, _, _, infos = envs.step(infos["action_mask"].argmax(1))
        places.add(observations["planes"].ctypes.data)
    assert len(places) <= 2
