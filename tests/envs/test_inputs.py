"""Tests of the wrappers that prepare observations for a network: their spaces, the conversion back, the same results
for single environments and batches, and the meaning of actions in a window.
"""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from carc_env.common.errors import ArgumentError, CountError
from carc_env.envs.common import ObservationSpace, observations_of
from carc_env.envs.inputs import Rescale, Window
from carc_env.envs.sb3 import make_vec_env
from carc_env.envs.wrappers import (
    RescaleObservation,
    VectorRescaleObservation,
    VectorWindowObservation,
    WindowObservation,
)
from tests.envs.test_vector import assert_same

WHAT = {"opponent": "random", "observation": "both", "table": True}


def one(name="Base", **more):
    return gymnasium.make(f"carc_env/{name}-v0", **WHAT | more)


def many(n=4, name="Base", **more):
    return gymnasium.make_vec(f"carc_env/{name}-v0", n, "vector_entry_point", **WHAT | more)


def play(env, steps, seed=3):
    """Yield the observations and infos of random play, from the reset on. After each game, a new game begins."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    for _ in range(steps):
        yield observation, info
        observation, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        if over:
            yield observation, info
            observation, info = env.reset()


@pytest.mark.parametrize("counts", ["log", "linear"])
@pytest.mark.parametrize(
    "name, spaces",
    [("Base", "game"), ("Base", "common"), ("France", "game"), ("Everything", "game"), ("Everything", "common")],
)
def test_numbers_lie_in_the_space_and_lead_back(name, spaces, counts):
    env = one(name, spaces=spaces)
    rescale = Rescale(env.observation_space, counts=counts)
    assert set(rescale.space) == set(env.observation_space) and isinstance(rescale.space, ObservationSpace)
    assert rescale.layout is rescale.space.layout is env.unwrapped.layout
    for observation, _ in play(env, 150):
        seen = rescale(observation)
        assert rescale.space.contains(seen)
        assert seen["candidates"].min() >= -1 and seen["planes"].min() == 0 and seen["planes"].max() == 1
        back = rescale.raw(seen)
        for exact in ("planes", "globals", "action_mask", "candidate_actions"):
            assert np.array_equal(back[exact], observation[exact]), exact
        for rounded in ("candidates", "table"):
            assert np.allclose(back[rounded], observation[rounded], rtol=1e-4, atol=2e-2), rounded


def test_half_precision_keeps_the_planes():
    env = one("Expansions", observation="planes")
    rescale = Rescale(env.observation_space, "float16")
    for observation, _ in play(env, 60):
        seen = rescale(observation)
        assert {seen[name].dtype for name in ("planes", "globals", "table")} == {
            np.dtype("float16")
        } and rescale.space.contains(seen)
        assert np.array_equal(rescale.raw(seen)["planes"], observation["planes"])


def test_categories_are_planes_and_wide_ones_are_not():
    rescale = Rescale(one().observation_space)
    assert {f"control_N={value}" for value in (1, 2, 3)} | {"tile", "city_N", "figure_spot", "square"} <= set(
        rescale.planes
    )
    assert "control_N" not in rescale.planes and len(set(rescale.planes)) == len(rescale.planes)
    assert "figure_spot=33" in Rescale(one().observation_space, widest=40).planes
    observation = {"planes": np.zeros((len(rescale.layout.planes), 25, 25), np.uint8)}
    observation["planes"][list(rescale.layout.planes).index("control_E"), 3, 4] = 2
    seen = rescale(observation)["planes"]
    assert seen[rescale.planes.index("control_E=2"), 3, 4] == 1 == seen.sum()
    assert "ferry=1" not in rescale.planes and "ferry=1" in Rescale(one(spaces="common").observation_space).planes


def test_numbers_grow_with_what_they_stand_for():
    rescale = Rescale(one().observation_space)
    at = list(rescale.layout.globals).index("score_0")
    globals_ = np.zeros((40, len(rescale.layout.globals)), np.float32)
    globals_[:, at] = np.arange(40)
    seen = rescale({"globals": globals_})["globals"]
    assert (np.diff(seen[:, at]) > 0).all() and not np.delete(seen, at, 1).any()


@pytest.mark.parametrize("name", ["Base", "France"])
@pytest.mark.parametrize(
    "wrap, wrap_many",
    [
        (RescaleObservation, VectorRescaleObservation),
        (lambda env: WindowObservation(env, 11), lambda env: VectorWindowObservation(env, 11)),
        (
            lambda env: RescaleObservation(WindowObservation(env, 9)),
            lambda env: VectorRescaleObservation(VectorWindowObservation(env, 9)),
        ),
    ],
)
def test_one_game_and_many_show_the_same(wrap, wrap_many, name):
    alone, together, rng = (
        [wrap(one(name)) for _ in range(3)],
        wrap_many(many(3, name, autoreset_mode="SameStep")),
        np.random.default_rng(1),
    )
    seen, infos = together.reset(seed=5)
    assert together.observation_space.contains(seen)
    now = [env.reset(seed=5 + i) for i, env in enumerate(alone)]
    ended = 0
    for _ in range(160):
        for i, (observation, info) in enumerate(now):
            assert alone[i].observation_space.contains(observation)
            assert all(np.array_equal(observation[name], seen[name][i]) for name in observation)
            assert np.array_equal(info["action_mask"], infos["action_mask"][i]) and np.array_equal(
                alone[i].action_masks(), info["action_mask"]
            )
        assert np.array_equal(together.action_masks(), infos["action_mask"])
        actions = np.array([rng.choice(np.flatnonzero(info["action_mask"])) for _, info in now])
        seen, rewards, over, _, infos = together.step(actions)
        for i, env in enumerate(alone):
            observation, reward, done, _, info = env.step(actions[i])
            assert (reward, done, "illegal_action" in info) == (rewards[i], over[i], False)
            if done:
                assert all(np.array_equal(observation[name], infos["final_obs"][i][name]) for name in observation)
                assert np.array_equal(info["action_mask"], infos["final_info"]["action_mask"][i])
                observation, info = env.reset()
                ended += 1
            now[i] = observation, info
    assert ended


def test_without_copies_the_arrays_stay_the_same_ones():
    for env in (VectorRescaleObservation(many(copy=False)), VectorWindowObservation(many(copy=False))):
        first, infos = env.reset(seed=1)
        then = env.step(infos["action_mask"].argmax(1))[0]
        assert all(then[name] is first[name] for name in first)
    env = VectorRescaleObservation(many())
    first, infos = env.reset(seed=1)
    kept = first["planes"].copy()
    env.step(infos["action_mask"].argmax(1))
    assert np.array_equal(first["planes"], kept)


@pytest.mark.parametrize(
    "name, size, spaces",
    [
        ("Base", 15, "game"),
        ("Base", 15, "common"),
        ("Base", 5, "game"),
        ("Base", 25, "game"),
        ("France", 11, "game"),
        ("France", 11, "common"),
        ("France", 13, "game"),
        ("Carcassonne", 5, "game"),
        ("Everything", 9, "game"),
    ],
)
def test_a_window_shows_the_table_and_its_actions_mean_the_same(name, size, spaces):
    env = one(name, spaces=spaces)
    window, rng, table = Window(env.observation_space, size), np.random.default_rng(0), env.unwrapped.layout
    n_cells, (n_naming, n_own) = (
        table.rows * table.columns,
        (sum(block.size for block in layout.blocks if "row" in block.axes) for layout in (table, window.space.layout)),
    )
    hidden = 0
    for observation, _ in play(env, 160):
        batch = {name: array[None] for name, array in observation.items()}
        corners = window.corners(batch)
        seen = window(batch, corners)
        assert window.space.contains({name: array[0] for name, array in seen.items()})
        assert table.is_torus or (corners >= 0).all() and (corners[0] + size <= (table.rows, table.columns)).all()
        rows, columns = ((corners[0, k] + np.arange(size)) % (table.rows, table.columns)[k] for k in range(2))
        assert np.array_equal(seen["planes"][0], observation["planes"][:, rows][:, :, columns])
        legal = np.flatnonzero(seen["action_mask"][0])
        ids = window.ids(legal, corners)
        assert (
            len(legal) and observation["action_mask"][ids].all() and np.array_equal(window.actions(ids, corners), legal)
        )
        for action in legal[legal < n_own]:
            within = action % size**2
            assert (
                ids[list(legal).index(action)] % n_cells
                == rows[within // size] * table.columns + columns[within % size]
            )
        hidden += observation["action_mask"].sum() - len(legal)
        assert set(np.setdiff1d(np.flatnonzero(observation["action_mask"]), ids)) <= set(range(n_naming))
        some = rng.integers(-1, table.n_actions, 50)
        there = window.actions(some, corners)
        assert np.array_equal(window.ids(there, corners)[there >= 0], some[there >= 0])
    assert hidden == 0 if size == table.size else hidden > 0 or size > 9


@pytest.mark.parametrize("name, size", [("Base", 9), ("France", 9), ("Everything", 5)])
def test_the_layout_of_a_window_says_what_its_actions_are(name, size):
    env = one(name)
    window, table = Window(env.observation_space, size), env.unwrapped.layout
    layout = window.space.layout
    assert (layout.rows, layout.columns, layout.window, layout.size) == (
        size,
        size,
        size,
        table.size,
    ) and not layout.is_torus
    assert (list(layout.planes), list(layout.globals), layout.spaces) == (
        list(table.planes),
        list(table.globals),
        "game",
    )
    assert (
        layout.n_actions == window.n_actions == sum(block.size for block in layout.blocks)
        and layout.pass_action == window.n_actions - 1
    )
    corner = np.array([2, 3])
    for block, whole in zip(layout.blocks, table.blocks):
        assert (block.name, block.axes) == (whole.name, whole.axes)
        for action in np.random.default_rng(1).integers(block.start, block.start + block.size, 30):
            mine, theirs = (
                dict(zip(one.axes, one.index(int(at))))
                for one, at in ((block, action), (whole, window.ids(np.array(action), corner)))
            )
            if "row" in mine:
                mine |= {"row": (mine["row"] + 2) % table.rows, "column": (mine["column"] + 3) % table.columns}
            assert mine == theirs
    with pytest.raises(
        ArgumentError, match="the common ids of a window's actions depend on the position of the window"
    ):
        layout.to_common(0)
    assert pickle.loads(pickle.dumps(window.space)).layout is layout and "in a window" in repr(layout)
    assert WindowObservation(env, size).layout is VectorWindowObservation(many(2, name), size).layout is layout


def test_a_window_stands_in_the_middle_of_the_layout_across_the_seam_of_the_torus():
    env = one(observation="planes", table=False)
    window, table = Window(env.observation_space, 7), env.unwrapped.layout
    observation = {
        "planes": np.zeros((3, len(table.planes), 25, 25), np.uint8),
        "action_mask": np.zeros((3, table.n_actions), np.int8),
    }
    observation["planes"][0, 0, [23, 24, 0, 1, 2], 4] = 1
    observation["planes"][1, 0, 10:15, 6:9] = 1
    assert window.corners(observation).tolist() == [[22, 1], [9, 4], [9, 9]]
    observation["action_mask"][1, 20 * 25 + 20] = 1  # the only legal action lies outside
    corners = window.corners(observation)
    assert corners.tolist() == [[22, 1], [17, 17], [9, 9]]
    seen = window(observation, corners)
    assert seen["action_mask"].sum(1).tolist() == [0, 1, 0] and seen["action_mask"][1, 3 * 7 + 3] == 1
    assert seen["planes"][0].any(0).any(1).tolist() == [False, True, True, True, True, True, False]


def test_a_window_stays_on_the_sheet():
    """On the map sheet of France, with 14 rows and 13 columns, the window is around the middle of the layout, but never
    extends beyond the border.
    """
    env = one("France", observation="planes", table=False)
    window, table = Window(env.observation_space, 7), env.unwrapped.layout
    observation = {
        "planes": np.zeros((6, len(table.planes), 14, 13), np.uint8),
        "action_mask": np.zeros((6, table.n_actions), np.int8),
    }
    for game, (rows, columns) in enumerate(
        (
            (slice(0, 3), slice(0, 2)),
            (slice(12, 14), slice(10, 13)),
            (slice(4, 9), slice(3, 7)),
            (slice(0, 14), slice(0, 13)),
            (slice(2, 3), slice(12, 13)),
        )
    ):
        observation["planes"][game, 0, rows, columns] = 1
    corners = window.corners(observation)
    assert corners.tolist() == [[0, 0], [7, 6], [3, 1], [3, 3], [0, 6], [4, 3]]
    observation["action_mask"][0, 13 * 13 + 12] = 1  # the only legal action lies in the far corner
    observation["planes"][1, list(table.planes).index("placed"), 0, 5] = 1
    corners = window.corners(observation)
    assert corners.tolist() == [[7, 6], [0, 2], [3, 1], [3, 3], [0, 6], [4, 3]]
    seen = window(observation, corners)
    assert np.flatnonzero(seen["action_mask"][0]).tolist() == [6 * 7 + 6]
    assert np.array_equal(seen["planes"][3], observation["planes"][3, :, 3:10, 3:10])


@pytest.mark.parametrize("name", ["Base", "France"])
def test_a_window_moves_to_the_game_of_a_restored_state(name):
    env = RescaleObservation(WindowObservation(one(name), 5))
    window, save, restore = env.env, env.get_wrapper_attr("save"), env.get_wrapper_attr("restore")
    before = save()
    rng, states = np.random.default_rng(1), []
    _, info = env.reset(seed=1)
    for _ in range(40):
        states.append((save(), window.corner.copy(), env.action_masks()))
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        *_, info = env.step(action)
    assert len({tuple(corner) for _, corner, _ in states}) > 1
    for state, corner, masks in states:
        restore(state)
        assert (window.corner == corner).all() and (env.action_masks() == masks).all()
    _, _, over, _, info = env.step(action)
    assert not over and "illegal_action" not in info
    restore(before)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_wrappers_of_gymnasium_may_stand_between():
    """Some wrappers of Gymnasium pass on no attributes, so the wrapped batch has to be found in another way."""
    envs = VectorRescaleObservation(
        RecordEpisodeStatistics(VectorWindowObservation(RecordEpisodeStatistics(many(3), stats_key="inner"), 9))
    )
    plain = VectorRescaleObservation(VectorWindowObservation(many(3), 9))
    (seen, infos), (expected, _) = envs.reset(seed=1), plain.reset(seed=1)
    assert envs.copy and len(envs.games) == 3 and envs.layout.window == 9
    state = envs.save()
    for _ in range(4):
        assert all(np.array_equal(seen[name], expected[name]) for name in expected)
        assert np.array_equal(envs.action_masks(), infos["action_mask"])
        actions = envs.action_masks().argmax(1)
        (seen, *_, infos), (expected, *_) = envs.step(actions), plain.step(actions)
    envs.restore(state)
    first = plain.reset(seed=1)[0]
    assert all(np.array_equal(array, first[name]) for name, array in envs.observations().items())
    assert np.array_equal(envs.action_masks(), plain.action_masks())
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        envs.nothing_of_this_name


def test_current_observations_pass_through_gymnasiums_wrappers_of_observations():
    space = many(2).observation_space
    envs = gymnasium.wrappers.vector.TransformObservation(
        many(2), lambda seen: seen | {"globals": seen["globals"] + 1}, space
    )
    seen, _ = envs.reset(seed=1)
    assert_same(observations_of(envs), seen)
    assert not np.array_equal(observations_of(envs.env)["globals"], seen["globals"])


def test_candidates_name_actions_of_the_window_or_none():
    env = WindowObservation(one(), 5)
    for observation, _ in play(env, 80):
        named = observation["candidate_actions"][observation["candidate_actions"] >= 0]
        if env.unwrapped.game.is_over:
            assert not len(named)
            continue
        assert sorted(named) == np.flatnonzero(observation["action_mask"]).tolist()


def test_rows_of_candidates_stay_actions_in_a_window():
    env = WindowObservation(one(actions="candidates", rows=40), 9)
    assert env.action_space.n == 40
    for observation, _ in play(env, 30):
        assert observation["planes"].shape[1:] == (9, 9)


def test_random_actions_of_windows_are_legal_and_every_legal_one_comes():
    envs, seen = VectorWindowObservation(many(40, opponent="self"), 9), set()
    envs.reset(seed=[1] * 40)  # all games are the same
    for _ in range(8):
        envs.step(envs.action_masks().argmax(1))
    chances = np.random.default_rng(1).integers(1, 2**32, (40, 2))
    for _ in range(30):
        actions = envs.random_actions(chances)
        assert envs.action_masks()[np.arange(40), actions].all()
        seen |= set(actions.tolist())
    assert seen == set(np.flatnonzero(envs.action_masks()[0]).tolist()) and len(seen) > 3
    for _ in range(20):
        assert "illegal_action" not in envs.step(envs.random_actions(chances))[-1]


def test_stable_baselines3_gets_them_too():
    env = make_vec_env(
        "carc_env/Base-v0",
        3,
        seed=1,
        opponent="random",
        wrapper_class=lambda batch, size: VectorRescaleObservation(VectorWindowObservation(batch, size)),
        wrapper_kwargs={"size": 9},
    )
    seen, ended = env.reset(), 0
    state = env.unwrapped.save()
    for _ in range(120):
        masks = env.action_masks()
        assert np.array_equal(seen["action_mask"], masks) and masks.shape == (3, env.action_space.n)
        seen, _, dones, infos = env.step(masks.argmax(1))
        for i in np.flatnonzero(dones):
            assert env.observation_space.contains(infos[i]["terminal_observation"])
            ended += 1
    assert ended and env.get_attr("illegal")[0] == 0
    assert env.observation_space["planes"].shape == env.unwrapped.restore(state)["planes"].shape[1:]


def test_refusals():
    env = one(observation="candidates")
    with pytest.raises(ArgumentError, match="a window needs planes"):
        WindowObservation(env)
    with pytest.raises(CountError, match="size"):
        WindowObservation(one(), 26)
    with pytest.raises(CountError, match="size = 14: should be .* 13"):
        WindowObservation(one("France"), 14)
    with pytest.raises(ArgumentError, match="dtype = 'int8': should be one of 'float32', 'float16'"):
        RescaleObservation(env, dtype="int8")
    with pytest.raises(ArgumentError, match="counts"):
        RescaleObservation(env, counts="squares")
    with pytest.raises(ArgumentError, match="cannot be cut out of another window"):
        WindowObservation(WindowObservation(one(), 9), 5)
    space = pickle.loads(pickle.dumps(one().observation_space))
    space.spaces["globals"] = gymnasium.spaces.Box(0, 1, (574,))
    with pytest.raises(
        ArgumentError,
        match=r"has globals of shape \(574,\), but its layout has \(80,\); the space comes from another version of carc_env",
    ):
        Rescale(space)
    for wrap in (WindowObservation, RescaleObservation):
        with pytest.raises(ArgumentError, match="are already rescaled; apply the rescaling last"):
            wrap(RescaleObservation(one()))
        with pytest.raises(ArgumentError, match="the observation space should have a `layout`.*this Dict has none"):
            wrap(
                gymnasium.wrappers.TransformObservation(
                    one(), lambda seen: seen, gymnasium.spaces.Dict(one().observation_space.spaces)
                )
            )
