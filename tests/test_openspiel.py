"""Tests of carc_env as a game of OpenSpiel: it passes OpenSpiel's own checks, tree search works on it, and states hold
no hidden information.
"""

import json

import numpy as np
import pytest

import carc_env
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.spaces import layout_of

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
from open_spiel.python.algorithms import mcts
from open_spiel.python.bots import uniform_random
from open_spiel.python.observation import make_observation

from carc_env.envs.openspiel import NAME, Observer


@pytest.fixture
def small(tmp_path):
    """Return the OpenSpiel game with only the eight tiles of The Goldmines."""
    path = tmp_path / "small.toml"
    path.write_text('boxes = ["goldmines"]\n')
    return pyspiel.load_game(NAME, {"preset": str(path)})


def chance(state, rng):
    numbers, shares = zip(*state.chance_outcomes())
    assert sum(shares) == pytest.approx(1)
    state.apply_action(int(rng.choice(numbers, p=shares)))


def played(game, rng, most=10**6):
    """Return a state after `most` random actions, or the state at the end of the game."""
    state = game.new_initial_state()
    while not state.is_terminal() and (state.is_chance_node() or most):
        if state.is_chance_node():
            chance(state, rng)
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            most -= 1
    return state


@pytest.mark.long
@pytest.mark.parametrize(
    "parameters",
    [
        {"preset": "base"},
        {"preset": "goldmines", "players": 3},
        {"preset": "carcassonne", "tables": 3},
        {"preset": "base", "returns": "outcome"},
        {"preset": "goldmines", "spaces": "common"},
    ],
    ids=str,
)
def test_openspiels_own_check_of_random_games(parameters):
    pyspiel.random_sim_test(pyspiel.load_game(NAME, parameters), num_sims=1, serialize=False, verbose=False)


def test_openspiels_own_check_of_a_small_game_written_down_and_read_again(small):
    pyspiel.random_sim_test(small, num_sims=5, serialize=True, verbose=False)


def test_its_tree_search_beats_chance(small):
    won = []
    for seed in range(4):
        rng = np.random.RandomState(seed)
        search = mcts.MCTSBot(small, 20.0, 20, mcts.RandomRolloutEvaluator(1, rng), solve=False, random_state=rng)
        bots = [search, uniform_random.UniformRandomBot(1 - seed % 2, rng)][:: 1 - 2 * (seed % 2)]
        state = small.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                chance(state, rng)
            else:
                state.apply_action(bots[state.current_player()].step(state))
        won.append(state.returns()[seed % 2])
    assert sum(won) > 0 and sum(margin > 0 for margin in won) >= 3, won


def test_the_same_history_is_the_same_state_and_nothing_to_come_is_in_it(small):
    state = played(small, np.random.default_rng(1), 6)
    again = small.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert str(again) == str(state) and again.table.game == state.table.game
    shown = json.loads(str(state))
    assert len(shown["deck"]) == int(state.table.game.state["n_drawn"]) < 8
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == str(again) != str(copy)


def test_returns_are_the_margins_of_a_game_that_replays():
    two, three = (
        played(pyspiel.load_game(NAME, {"preset": "base", "players": players}), np.random.default_rng(3))
        for players in (2, 3)
    )
    scores = carc_env.replay(two.table.game.record()).scores
    assert two.returns() == [scores[0] - scores[1], scores[1] - scores[0]] and two.returns()[0] != 0
    scores = carc_env.replay(three.table.game.record()).scores.tolist()
    assert three.returns() == [
        score - max(scores[:player] + scores[player + 1 :]) for player, score in enumerate(scores)
    ]


def test_what_is_told_of_the_utility_is_so():
    two, three = (
        pyspiel.load_game(NAME, {"players": players, "returns": returns})
        for players, returns in ((2, "margin"), (3, "outcome"))
    )
    assert two.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM and two.utility_sum() == 0
    assert three.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM and three.utility_sum() is None
    assert (three.min_utility(), three.max_utility(), three.num_players()) == (-1, 1, 3)
    assert played(three, np.random.default_rng(0)).returns().count(1) <= 1


@pytest.mark.parametrize("spaces", ["game", "common"])
@pytest.mark.parametrize("preset", ["base", "france"])
def test_observations_and_actions_are_those_of_the_layout(preset, spaces):
    game, layout = (
        pyspiel.load_game(NAME, {"preset": preset, "spaces": spaces}),
        layout_of(carc_env.preset(preset), spaces),
    )
    state, observation = played(game, np.random.default_rng(2), 5), make_observation(game)
    while state.is_chance_node():
        chance(state, np.random.default_rng(3))
    assert game.num_distinct_actions() == layout.n_actions
    assert (
        layout.to_common(state.legal_actions()).tolist() == state.table.legal_actions().tolist()
        and state.legal_actions()
    )
    for player in (0, 1):
        observation.set_from(state, player)
        seen = state.table.game.observe(player, ObservationSpec(layout))
        assert (observation.dict["planes"] == seen["planes"]).all() and (
            observation.dict["globals"] == seen["globals"]
        ).all()
        assert observation.tensor.sum() == pytest.approx(seen["planes"].sum() + seen["globals"].sum(), rel=1e-5)
    assert observation.string_from(state, 0) == str(state)


def test_names_of_what_is_drawn_and_answered(small):
    state = small.new_initial_state()
    assert state.action_to_string(state.chance_outcomes()[0][0]) == "tile GM1"
    state.apply_action(state.chance_outcomes()[0][0])
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert names == [state.table.game.text(action) for action in state.table.legal_actions()] and "GM1@" in names[0]


def test_parameters_that_cannot_be():
    for parameters, wrong in (
        ({"returns": "points"}, "'margin' or 'outcome'"),
        ({"tables": 0}, "tables"),
        ({"preset": "chess"}, "chess"),
        ({"spaces": "all"}, "spaces"),
    ):
        with pytest.raises(ValueError, match=wrong):
            pyspiel.load_game(NAME, parameters)
    with pytest.raises(ValueError, match="no parameters"):
        Observer(layout_of(25, "common"), {"a": 1})
