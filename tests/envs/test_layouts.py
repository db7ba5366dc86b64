"""Tests of spaces that are as large as the game needs: their contents, the translation of actions, and that nothing is
missing.
"""

import copy
import dataclasses
import pickle

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env.boxes import layout
from carc_env.boxes.actions import table
from carc_env.common.errors import ArgumentError, DeckError
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from carc_env.observing.spaces import layout_of
from tests.left_out import PRESETS, config_of, left_out
from tests.modes import sized

SHEETS = ("france", "carcassonne")


@pytest.mark.parametrize("number", range(len(PRESETS) + sized(150, 30, 2)))
def test_what_is_left_out_is_never_seen(number):
    """Checks that random games never use what their layout leaves out. `python -m tests.left_out` checks more
    configurations.
    """
    assert left_out(config_of(number), number, sized(10, 10, 40)) is None


@pytest.mark.parametrize("preset", carc_env.presets())
def test_spaces_have_the_order_of_the_common_numbering(preset):
    own, common = layout_of(carc_env.preset(preset)), layout_of(carc_env.preset(preset), "common")
    for names, every in ((own.planes, common.planes), (own.globals, common.globals), (own.table, common.table)):
        assert list(names) == [name for name in every if name in names] and all(
            names[name] == every[name] for name in names
        )
    assert (np.diff(own.action_ids) > 0).all() and common.action_ids.tolist() == list(range(common.n_actions))
    assert [block.name for block in own.blocks] == [
        block.name for block in table(own.size) if block.name in {b.name for b in own.blocks}
    ]
    assert sum(block.size for block in own.blocks) == own.n_actions and own.blocks[-1].name == "pass"
    assert own.to_common(own.pass_action) == common.pass_action == common.n_actions - 1


@pytest.mark.parametrize("preset", carc_env.presets())
def test_actions_and_ids_are_inverse(preset):
    own = layout_of(carc_env.preset(preset))
    actions = np.arange(own.n_actions)
    assert np.array_equal(own.from_common(own.to_common(actions)), actions)
    assert own.from_common(own.to_common(3)) == 3 and isinstance(own.to_common(3), int)
    for past in (-1, own.n_actions, 10**9):
        assert own.to_common(past) == -1
    for past in (-1, layout_of(own.size, "common").n_actions, 10**9):
        assert own.from_common(past) == -1
    if preset in SHEETS:
        assert own.from_common(24 * 25 + 24) == -1  # a cell outside the sheet


@pytest.mark.parametrize("preset", SHEETS)
def test_a_sheet_has_its_own_rows_and_columns(preset):
    """The tile of `E@5,4/0` lies in row 4, column 5 of the sheet."""
    own, common = layout_of(carc_env.preset(preset)), layout_of(carc_env.preset(preset), "common")
    assert (own.rows, own.columns, common.rows, common.columns) == (14, 13, 25, 25)
    assert own.to_common(4 * 13 + 5) == 4 * 25 + 5 == 105


def test_an_observation_is_the_common_one_cut():
    """Checks, for all presets, that an observation contains the entries of the common observation that the layout
    keeps.
    """
    for preset in carc_env.presets():
        game, rng = carc_env.Game(preset, seed=3), np.random.default_rng(3)
        for _ in range(sized(60, 60, 8)):
            game.play(int(rng.choice(game.legal_actions())))
        own = layout_of(game.config)
        whole, cut = (
            game.observe(0, encode.ObservationSpec(of, "both", table=True))
            for of in (layout_of(game.config, "common"), own)
        )
        assert np.array_equal(cut["planes"], whole["planes"][own.plane_numbers, : own.rows, : own.columns])
        assert np.array_equal(cut["globals"], whole["globals"][own.global_numbers])
        assert np.array_equal(cut["table"], whole["table"][own.table_numbers])
        assert np.array_equal(cut["action_mask"], whole["action_mask"][own.action_ids])
        assert np.array_equal(cut["candidates"], whole["candidates"])
        assert np.array_equal(cut["candidate_actions"], own.from_common(whole["candidate_actions"]))


@pytest.mark.parametrize("name", ["Base", "Carcassonne"])
@pytest.mark.parametrize(
    "settings", [{}, {"observation": "candidates", "actions": "candidates", "table": True}], ids=["planes", "rows"]
)
def test_both_spaces_play_the_same_episode(name, settings):
    """Environments with both kinds of spaces play the same episode, if they have the same seed and the actions have the
    same positions in the lists of legal actions.
    """
    envs = [
        gymnasium.make(f"carc_env/{name}-v0", opponent="random", spaces=spaces, **settings)
        for spaces in ("game", "common")
    ]
    infos, rng = [env.reset(seed=4)[1] for env in envs], np.random.default_rng(4)
    for _ in range(sized(80, 80, 10)):
        masks = [np.flatnonzero(info["action_mask"]) for info in infos]
        which = int(rng.integers(len(masks[0])))
        steps = [env.step(int(mask[which])) for env, mask in zip(envs, masks)]
        assert steps[0][1:4] == steps[1][1:4] and envs[0].unwrapped.game == envs[1].unwrapped.game
        assert all(env.observation_space.contains(step[0]) for env, step in zip(envs, steps))
        infos = [step[4] for step in steps]
        if steps[0][2]:
            return


def test_a_batch_and_a_single_environment_have_the_same_layout():
    one, many = gymnasium.make("carc_env/France-v0").unwrapped, CarcassonneVectorEnv(2, preset="france")
    assert one.layout is many.layout is one.observation_space.layout is many.single_observation_space.layout
    assert one.action_space.n == many.single_action_space.n == one.layout.n_actions
    agents = carc_env.aec_env("france").unwrapped
    assert agents.layout is one.layout and agents.action_space("player_0").n == one.layout.n_actions


def test_layouts_are_made_once_and_survive_copies():
    own = layout_of(carc_env.preset("goldmines"))
    space = gymnasium.make("carc_env/Goldmines-v0").observation_space
    assert pickle.loads(pickle.dumps(own)) is own is copy.deepcopy(own)
    assert pickle.loads(pickle.dumps(space)).layout is own is copy.deepcopy(space).layout
    assert repr(own) == "<Layout spaces='game': 44 planes of 25 x 25, 101 globals, 32 numbers of table, 3139 actions>"


def test_more_players_have_more_globals():
    sizes = [
        len(layout_of(dataclasses.replace(carc_env.preset("base"), players=players)).globals) for players in (2, 3, 5)
    ]
    assert sizes[0] < sizes[1] < sizes[2]


def test_what_cannot_be_is_told():
    with pytest.raises(ArgumentError, match="^spaces = 'small': should be one of 'game', 'common'$"):
        gymnasium.make("carc_env/Base-v0", spaces="small")
    for env in (gymnasium.make("carc_env/Base-v0", opponent="random"), carc_env.aec_env("base")):
        with pytest.raises(
            DeckError,
            match=r"^deck\[1\] = 'GM1': the configuration does not contain this tile.*spaces='common' to observe.*$",
        ):
            env.reset(seed=1, options={"deck": ["U", "GM1"]})
    common = gymnasium.make("carc_env/Base-v0", opponent="random", spaces="common")
    common.reset(seed=1, options={"deck": ["GM1"]})
    with pytest.raises(ArgumentError, match="tables of 25 rows and columns, but these games have tables of 75"):
        carc_env.Game("everything", seed=1).observe(0, encode.ObservationSpec(layout_of(25, "common")))
    game = carc_env.Game("base", seed=1)
    with pytest.raises(ArgumentError):
        game.observe(0, "pictures")


def test_every_entry_that_needs_something_names_what_there_is():
    """If an entry needed something that no configuration has, every layout would leave the entry out."""
    from carc_env.observing.spaces import things_of

    there = set().union(*(things_of(config) for config in map(config_of, range(len(PRESETS) + sized(60, 60, 20)))))
    there |= {"phase " + phase.name.lower() for phase in carc_env.Phase} | {f"player {player}" for player in range(6)}
    for entries in (layout.PLANES, layout.GLOBALS, layout.STANDING):
        for name, entry in entries.items():
            for need in entry.needs:
                assert need in there or need.startswith("tile "), (name, need)
