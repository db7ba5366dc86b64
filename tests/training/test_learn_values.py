"""Tests of learning the values of positions: the network, the rounds of a run, and the evaluation of values."""

import dataclasses
import itertools
import json
import types

import numpy as np
import pytest

import carc_env
from carc_env.arena.match import MatchResult
from carc_env.arena.noted_tables import Tables, play_tables
from carc_env.bots import checkpoint, make
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE
from carc_env.observing.keen import keen_prices
from carc_env.observing.value_network import N_INPUTS, THOUGHT, Asked, Input, chance_to_win, half, network_of
from tests import modes

torch = pytest.importorskip("torch")
pytest.importorskip("pyarrow")
from training import judge_values, learn_values
from training.learn_values import Half, Plan, compare, half_of, judged, learn, scale_of, scatter_of, swapped, targets

BASE = carc_env.preset("base")
SMALL = Plan(rounds=1, games=6, steps=5, gate_pairs=1, eval_pairs=1)


@pytest.fixture(scope="module")
def columns():
    return play_tables(*Tables(BASE, keen_prices()).job(0, modes.sized(40, 20, 20)))


def test_a_checkpoint_holds_what_was_learned(columns):
    """Checks that the torch network with scaled inputs and the compiled network with unscaled inputs give the same
    values.
    """
    torch.manual_seed(0)
    learned, thought = Half(scale_of(columns["inputs"])), np.zeros(1, THOUGHT)
    network, inputs = (
        network_of(learned.tensors() | {"scatter": np.array([2.0])}, Asked.LEAVES),
        torch.as_tensor(columns["inputs"][:20]),
    )
    expected = learned(inputs).detach().numpy()
    for k, row in enumerate(inputs):
        found = []
        for seen in (row[None], swapped(row[None])):
            thought[0]["inputs"] = seen[0].numpy()
            found.append(half(network[0], thought[0]))
        assert found[0] - found[1] == pytest.approx(expected[k], abs=1e-3)
    again = half_of(learned.tensors())
    np.testing.assert_allclose(again(columns["inputs"][:20]), expected, atol=1e-3)


def test_the_other_side_has_the_opposite_value(columns):
    inputs = torch.as_tensor(columns["inputs"])
    learned = Half(scale_of(columns["inputs"]))
    torch.testing.assert_close(learned(swapped(inputs)), -learned(inputs))
    torch.testing.assert_close(swapped(swapped(inputs)), inputs)
    other = swapped(inputs)
    assert (other[:, Input.MOVES] == -1).all() and torch.equal(other[:, Input.LEAD], -inputs[:, Input.LEAD])
    assert torch.equal(other[:, : Input.OWN_INGOTS // 2], inputs[:, Input.OWN_INGOTS // 2 : Input.OWN_INGOTS])
    assert inputs.shape[1] == N_INPUTS == Input.LEFT + 1


def test_it_learns_what_prospects_leave_out(columns):
    """Here, the estimate leaves out one point for each tile left, for the player who moves next."""
    told = columns | {"margin": columns["promised"] + columns["left"]}
    plan = dataclasses.replace(SMALL, steps=300, horizon=0, sweeps=1)
    found = judged(learn(told, plan, 1, lambda inputs: np.zeros(len(inputs))), told)
    assert found.error < 0.1 * found.error_before


def test_it_learns_which_answer_is_better_and_little_else(columns):
    """Here, an action gains two points for each point of lead on the scoring track. What is the same for all actions is
    not learned.
    """
    n = len(columns["game"]) // 3 * 3
    inputs, question = columns["inputs"][:n], np.arange(n) // 3
    better = 2 * inputs[:, Input.LEAD] + 50 * (question % 2)
    told = {
        "inputs": inputs, "promised": columns["promised"][:n], "value": columns["promised"][:n] + better,
        "move": np.zeros(n, np.int16), "game": question,
    }  # fmt: skip
    half = Half(scale_of(inputs))
    was = half_of(half.tensors())(inputs)
    before, after = compare(half, told, dataclasses.replace(SMALL, compare_steps=150), 1)
    found = half_of(half.tensors())(inputs)
    assert after <= before and np.abs(found - was).mean() < 10
    apart = [value - np.repeat(value.reshape(-1, 3).mean(1), 3) for value in (was, found, better)]
    assert np.abs(apart[1] - apart[2]).mean() < 0.5 * np.abs(apart[0] - apart[2]).mean()


def test_one_game_is_not_enough_to_compare_in(run, capsys):
    assert run(1.0, "--compared=1") == WRONG_USAGE
    assert "compared = 1: should be 0, or at least 2" in capsys.readouterr().err


def test_a_round_of_expert_iteration(run, tmp_path, capsys):
    """Checks that a run with `--compared` reports the points lost, and that rollouts compare actions in games of their
    own.
    """
    assert run(1.0, "--compared=2", "--stacks=1", "--compare-steps=2", "--horizon=1") == GOOD
    assert "points lost per decision, measured by rollouts: " in capsys.readouterr().out
    assert run(1.0, "--compared=2", "--stacks=1", "--compare-steps=2", "--horizon=1", "--rounds=2") == GOOD
    for number in (1, 2):
        (shard,) = (tmp_path / "run" / f"comparisons-{number}").glob("games-*.parquet")
        (other,) = (tmp_path / "run" / f"games-{number}").glob("games-*.parquet")
        assert shard.name != other.name  # the shards hold other games


def result_of(wins):
    return MatchResult("a", "b", "base", 1, wins, (wins, wins), 0, 0, 0, None, 0, 0, 0)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command. `wins` is the win rate of a new network in its evaluation match."""

    def start(wins, *words):
        monkeypatch.setattr(learn_values.Run, "gate", lambda self, number: result_of(wins))
        small = [f"--{name.replace('_', '-')}={value}" for name, value in dataclasses.asdict(SMALL).items()]
        return learn_values.main([*small, "--workers=1", f"--run={tmp_path / 'run'}", *words])

    return start


def test_a_run_and_its_agent(run, tmp_path, capsys):
    assert run(1.0) == GOOD
    told = capsys.readouterr().out
    agent = tmp_path / "run" / "round-1"
    assert (
        "100.0% (100.0% to 100.0%) against the previous policy: accepted" in told
        and f"match learned:{agent} greedy" in told
    )
    card = checkpoint.read(agent).card
    assert (card.network, card.games, card.training["games"]) == ("values", 6, 6)
    assert [match["b"] for match in card.strength] == ["random", "greedy", "keen"]
    assert make(f"learned:{agent}").choose(carc_env.Game("base", seed=1)) is not None
    before = agent.with_suffix(".safetensors").read_bytes()
    assert run(1.0) == GOOD and "round 1" not in capsys.readouterr().out  # all rounds are complete
    assert agent.with_suffix(".safetensors").read_bytes() == before
    assert run(0.0, "--rounds=2") == GOOD
    assert "rejected" in capsys.readouterr().out
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] | {"seconds": 0} == {
        "round": 2, "passed": 1, "games": 12, "seconds": 0,
    }  # fmt: skip
    assert run(1.0, "--errors=3") == WRONG_USAGE and "other settings" in capsys.readouterr().err
    assert run(1.0, "--preset=nowhere") == WRONG_USAGE and "unknown preset 'nowhere'" in capsys.readouterr().err
    (tmp_path / "run" / "run.json").write_text('{"plan": {}')
    assert (
        run(1.0) == FAILED and "run.json: this file does not contain the progress of a run" in capsys.readouterr().err
    )


def test_each_sweep_takes_its_targets_from_the_one_before(run, tmp_path, monkeypatch):
    """Checks that the first sweep takes its targets from the last accepted network. Without such a network, the
    correction is 0.
    """
    whole, before, made = learn_values.learn, [], []

    def watched(columns, plan, seed, network, device):
        before.append(network(columns["inputs"]))
        made.append(whole(columns, plan, seed, network, device))
        return made[-1]

    monkeypatch.setattr(learn_values, "learn", watched)
    assert run(1.0, "--sweeps=3", "--rounds=2", "--horizon=1") == GOOD
    first, both = len(before[0]), len(before[3])
    assert not before[0].any() and first < both
    inputs = torch.as_tensor(learn_values.read(sorted((tmp_path / "run").glob("games-*/*.parquet")))["inputs"])
    for sweep, learned in enumerate(made[:5], 1):
        expected = learned(inputs)[: len(before[sweep])].detach().numpy()
        np.testing.assert_allclose(before[sweep], expected, atol=1e-3)
    assert checkpoint.read(tmp_path / "run" / "round-2").card.steps == 2 * 3 * SMALL.steps
    networks = [learned.tensors()["first"].tobytes() for learned in made]
    assert len(set(networks)) == 6  # each begins with its own random weights


def test_a_card_counts_the_time_of_its_own_round(run, tmp_path, monkeypatch):
    """Uses a clock that advances by a minute each time it is read."""
    clock = itertools.count(60, 60)
    monkeypatch.setattr(learn_values, "time", types.SimpleNamespace(monotonic=lambda: next(clock)))
    assert run(1.0, "--rounds=2") == GOOD
    assert [checkpoint.read(tmp_path / "run" / f"round-{number}").card.minutes for number in (1, 2)] == [1, 3]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"]["seconds"] == 4 * 60


def test_a_round_has_at_least_one_sweep(run, capsys):
    assert run(1.0, "--sweeps=0") == WRONG_USAGE and "sweeps = 0: should be at least 1" in capsys.readouterr().err


def test_a_run_that_does_not_name_its_sweeps_has_one(run, tmp_path, capsys):
    """Runs of earlier versions did not name their sweeps. Checks that such a run continues as it began."""
    assert run(1.0, "--horizon=0", "--sweeps=1") == GOOD
    path = tmp_path / "run" / "run.json"
    told = json.loads(path.read_text())
    del told["plan"]["sweeps"]
    path.write_text(json.dumps(told))
    assert run(1.0, "--horizon=0", "--sweeps=1", "--rounds=2") == GOOD
    assert json.loads(path.read_text())["state"]["round"] == 2


def test_final_margins_need_one_sweep(run, capsys):
    assert run(1.0, "--horizon=0", "--sweeps=1") == GOOD
    assert run(1.0, "--horizon=0", "--sweeps=2") == WRONG_USAGE
    assert "sweeps = 2: should be 1 with horizon = 0, because every regression" in capsys.readouterr().err


def test_what_does_not_pass_plays_no_further(run, tmp_path, capsys):
    assert run(0.4) == FAILED
    assert "no new network won its match, so there is no learned value function" in capsys.readouterr().out


def test_an_interrupted_run_goes_on(run, tmp_path, monkeypatch, capsys):
    whole, sound = tmp_path / "run" / "games-1", learn_values.learn

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(learn_values, "learn", stop)
    assert run(1.0) == INTERRUPTED and "the same command continues" in capsys.readouterr().out
    shard = next(whole.glob("*.parquet"))
    before = shard.stat().st_mtime_ns
    monkeypatch.setattr(learn_values, "learn", sound)
    assert run(1.0) == GOOD and shard.stat().st_mtime_ns == before


def test_an_answer_is_judged_by_how_it_ranks():
    truth = np.array([3.0, 1.0, 2.0])
    assert judge_values.judged(truth, truth) == (1.0, 0.0)
    assert judge_values.judged(-truth, truth) == (-1.0, 2.0)
    assert judge_values.judged(np.array([1.0, 0.0, 2.0]), truth) == (pytest.approx(1 / 3), 1.0)


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="many whole games")
def test_values_are_judged(tmp_path, capsys):
    path = tmp_path / "calibration.svg"
    words = ["--questions", "3", "--stacks", "4", "--games", "30", "--out", str(path)]
    assert judge_values.main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["ranking"]) == {"greedy", "keen", "learned"} and path.stat().st_size > 10_000
    assert all(-1 <= one["tau"] <= 1 and one["points_lost"] >= 0 for one in told["ranking"].values())
    assert told["squared_error"]["learned"] > 0


def test_what_a_table_is_to_expect():
    """Checks targets computed by hand, for two games with three and two recorded positions."""
    told = {
        "game": np.array([7, 7, 7, 8, 8]),
        "player": np.array([0, 1, 1, 0, 0]),
        "promised": np.array([1.0, 2.0, 4.0, 8.0, 16.0], np.float32),
        "margin": np.array([50.0, -50.0, -50.0, 60.0, 60.0], np.float32),
        "inputs": np.arange(5.0, dtype=np.float32)[:, None],
    }

    def before(inputs):
        return 100.0 * inputs[:, 0]

    assert targets(told, 0, before).tolist() == told["margin"].tolist()
    assert targets(told, 1, before).tolist() == [-102.0, 204.0, -50.0, 416.0, 60.0]
    assert targets(told, 2, before).tolist() == [-204.0, -50.0, -50.0, 60.0, 60.0]
    assert targets(told, 5, before).tolist() == told["margin"].tolist()


def test_chances_to_win_fit_what_games_ended_with():
    """Checks that games drawn from such a curve give its scale back."""
    rng = np.random.default_rng(0)
    promised, left = rng.normal(scale=15, size=50_000), rng.integers(0, 70, 50_000)
    won = rng.random(50_000) < chance_to_win(promised, left, 2.5)
    told = {"promised": promised, "left": left, "margin": np.where(won, 1.0, -1.0), "inputs": promised[:, None]}
    assert scatter_of(told, lambda inputs: np.zeros(len(inputs))) == pytest.approx(2.5, rel=0.05)
    assert chance_to_win(np.array([0.0, 1e6, -1e6]), 10, 2.0).tolist() == [0.5, 1.0, 0.0]
    assert chance_to_win(np.array(5.0), 3, 2.5) == pytest.approx(1 / (1 + np.exp(-1)))
