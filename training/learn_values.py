"""Learn a value function from self-play games: `python -m training.learn_values --preset base --run runs/values-base`.

The method is policy iteration (Sutton and Barto 2018, chapter 4) with a network for the values. In each round, the
policy plays against itself, and chooses a small fraction of its actions at random from the nearly best actions. The
module `carc_env.observing.prospects` computes a hand-made estimate of the final margin. A network learns, by
regression, the difference between a target and the hand-made estimate. The target is the value of a later position or,
with `--horizon 0`, the final margin. The option `--sweeps` sets the number of regressions in a round. Each further
regression takes its targets from the network of the previous regression. The policy with the new network then plays a
match against the previous policy. If the new policy wins the match, it replaces the previous policy, and the new
network is accepted. The folder of the run contains the self-play data (shards) and the networks of all rounds. After
Ctrl-C or a crash, the same command continues the run.

With `--compared N`, each round adds a step of expert iteration (Anthony et al., 2017). The policy plays N additional
games in each round. At some decisions of these games, rollouts compare the best actions. The last accepted network
evaluates the final positions of the rollouts. The new network also learns the differences between the values of the
compared actions.
"""

import copy
import functools
import json
import platform
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from carc_env import __version__
from carc_env.arena.match import MatchResult, play_match
from carc_env.arena.noted_comparisons import Comparisons
from carc_env.arena.noted_tables import Tables
from carc_env.arena.shards import Notes, read, shards_in, write_shards
from carc_env.bots import checkpoint
from carc_env.bots.learned import KIND, LearnedBot, read_prices
from carc_env.boxes.prospect_parts import N_PARTS
from carc_env.commands.cli import Parser
from carc_env.common.errors import CarcError, ConfigError, FileError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE
from carc_env.common.progress import progress
from carc_env.observing.keen import keen_prices
from carc_env.observing.value_network import FIRST, N_INPUTS, SECOND, Asked, Input, chance_to_win
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.setup.config import GameConfig, preset

from .devices import CPU, add_device, check_device
from .ppo import OPPONENTS, commit, complain, table, tool
from .questions import Questions

UNIT = 10.0  # a network output of 1 stands for this number of points
BATCH = 1024  # the number of positions in a gradient step of the regression
COMPARED = 256  # the number of decisions in a gradient step of the comparison
COMPARE_RATE = 1.5e-3  # the highest learning rate of the comparison
HOLD = 0.01  # the weight of a penalty in the loss; the penalty is the mean squared change of the values
TESTED = 20  # of every TESTED games, one is held out for testing
GATE_SEED = 2 * 10**6  # the seed of the first game in the matches of new networks; it is 0 in the final matches
STRIDE = 10**7  # the distance between the first seeds of two rounds
SWEEP_STRIDE = 10**6  # the distance between the seeds of two regressions of a round
# The help texts of the options for the fields of `Plan`.
HELP = {
    "preset": "the preset of the games",
    "rounds": "the number of rounds",
    "games": "the number of games in each round",
    "every": "record one in this many tile placements",
    "horizon": "the regression target is the value this many recorded positions later; with 0, the final margin",
    "errors": "the number of mistakes per thousand actions",
    "sweeps": "the number of regressions in each round; each takes its targets from the network of the previous one",
    "steps": "the number of gradient steps of each regression",
    "learning_rate": "the highest learning rate of the regression",
    "compared": "the number of games in each round in which rollouts compare actions",
    "stacks": "the number of reshuffled stacks on which actions are compared",
    "compare_steps": "the number of gradient steps of the comparison in each round",
    "gate_pairs": "the number of pairs of games in the match that decides whether a network is accepted",
    "eval_pairs": "the number of pairs of games against each opponent at the end",
    "seed": "the seed of the self-play games and of the training",
}
# Settings that the user is allowed to change when a run is continued.
MAY_CHANGE = ("rounds", "compared", "compare_steps", "gate_pairs", "eval_pairs")


@dataclass(frozen=True)
class Plan:
    """The settings for learning a value function.

    In each round, the policy plays `compared` additional games, in which rollouts compare actions. Raises ConfigError
    if `compared` is negative or 1. A comparison needs at least two games, because one game is held out for testing.
    Also raises ConfigError if `sweeps` is below 1. With `horizon` 0, `sweeps` must be 1.
    """

    preset: str = "base"
    rounds: int = 3
    games: int = 20_000  # in each round
    every: int = 3  # with the value k, the position before every k-th tile placement is recorded
    # the target is the value of the position that is `horizon` recorded positions later; 0: the final margin
    horizon: int = 1
    errors: int = 80  # the mean number of random actions per thousand actions
    # the number of regressions in each round; each regression after the first takes its targets from the previous
    # network
    sweeps: int = 8
    steps: int = 1_000  # the number of gradient steps in each regression
    learning_rate: float = 4e-3  # the highest learning rate of the regression
    compared: int = 0  # the number of additional games in each round; rollouts compare actions in them
    stacks: int = 12  # the number of reshuffled stacks on which actions are compared
    compare_steps: int = 3_000  # the number of gradient steps of the comparison in each round
    gate_pairs: int = 400  # the number of pairs of games in the match that decides whether a network is accepted
    eval_pairs: int = 1000  # the number of pairs of games against each opponent in the final matches
    seed: int = 0

    def __post_init__(self) -> None:
        if self.compared < 0 or self.compared == 1:
            raise ConfigError(
                f"compared = {self.compared}: should be 0, or at least 2, so that one game can be held out for testing"
            )
        if self.sweeps < 1:
            raise ConfigError(f"sweeps = {self.sweeps}: should be at least 1")
        if self.sweeps > 1 and not self.horizon:
            raise ConfigError(
                f"sweeps = {self.sweeps}: should be 1 with horizon = 0, because every regression then has the same "
                f"targets, the final margins"
            )


class Half(nn.Module):
    """A torch module with the network of `carc_env.observing.value_network`. The module scales its inputs first."""

    scale: Tensor

    def __init__(self, scale: np.ndarray):
        super().__init__()
        self.register_buffer("scale", torch.as_tensor(scale, dtype=torch.float32))
        self.layers = nn.Sequential(
            nn.Linear(N_INPUTS, FIRST), nn.ReLU(), nn.Linear(FIRST, SECOND), nn.ReLU(), nn.Linear(SECOND, 1, bias=False)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the correction to the hand-made estimate of the margin, in points.

        The correction is the network's output for one player minus the network's output for the opponent. Returns a
        tensor of shape [n].
        """
        both = [self.layers(seen / self.scale)[:, 0] for seen in (inputs, swapped(inputs))]
        return UNIT * (both[0] - both[1])

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the weights as arrays for a checkpoint. The returned weights include the scales of the inputs and the
        unit of the output.
        """
        numbers = self.layers.state_dict()
        found = {
            "first": numbers["0.weight"].T / self.scale[:, None],
            "first_bias": numbers["0.bias"],
            "second": numbers["2.weight"].T,
            "second_bias": numbers["2.bias"],
            "last": UNIT * numbers["4.weight"][0],
        }
        return {name: array.detach().cpu().numpy().copy() for name, array in found.items()}


@torch.random.fork_rng(devices=[])  # restores the state of torch's random number generator after the call
def half_of(tensors: dict[str, np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that applies the network of a checkpoint to an array of inputs, float32[n, N_INPUTS]."""
    half = Half(np.ones(N_INPUTS, np.float32))
    names = {"0.weight": "first", "0.bias": "first_bias", "2.weight": "second", "2.bias": "second_bias"}
    numbers = {key: torch.as_tensor(tensors[name].T) for key, name in names.items()}
    half.layers.load_state_dict(numbers | {"4.weight": torch.as_tensor(tensors["last"][None] / UNIT)})
    return lambda inputs: half(torch.as_tensor(inputs)).detach().numpy()


def swapped(inputs: Tensor) -> Tensor:
    """Convert the inputs of positions to the opponent's point of view."""
    parts, own, other = inputs[:, : 2 * N_PARTS].roll(N_PARTS, 1), Input.OWN_INGOTS, Input.OTHER_INGOTS
    rest = [inputs[:, [other, own]], -inputs[:, [Input.LEAD, Input.MOVES]], inputs[:, [Input.TURNS, Input.LEFT]]]
    return torch.cat([parts, *rest], 1)


def scale_of(inputs: np.ndarray) -> np.ndarray:
    """For each input of the network, return the number by which the input is divided. Inputs that describe the same
    quantity for the two players are divided by the same number. An input that hardly varies is divided by 1.
    """
    spread = inputs.std(0)
    parts = np.maximum(spread[:N_PARTS], spread[N_PARTS : 2 * N_PARTS])
    spread = np.concatenate([parts, parts, np.ones(len(spread) - 2 * N_PARTS)])
    return np.where(spread < 1e-3, 1.0, spread)


@dataclass(frozen=True)
class Fit:
    """A learned network with its mean squared errors on the games that were held out for testing."""

    half: Half
    scatter: float  # the fitted scale of the logistic function that gives the probability of winning
    error_before: float  # mean squared error of the hand-made estimate, without the network
    error: float


def targets(columns: dict[str, np.ndarray], horizon: int, before: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the regression target for each position, as in n-step returns.

    The target is the predicted margin of the position that was recorded `horizon` positions later in the same game. The
    prediction is the hand-made estimate of the margin plus the correction by the network `before`. Near the end of a
    game, the target is the final margin. With `horizon` 0, all targets are final margins.
    """
    game, player, found = columns["game"], columns["player"], columns["margin"].copy()
    if horizon:
        values = columns["promised"] + before(columns["inputs"])
        later = np.flatnonzero(game[horizon:] == game[:-horizon])
        same_side = player[later] == player[later + horizon]
        found[later] = np.where(same_side, 1.0, -1.0) * values[later + horizon]
    return found


@torch.random.fork_rng(devices=[])  # restores the state of torch's random number generator after the call
def learn(
    columns: dict[str, np.ndarray], plan: Plan, seed: int, before: Callable[[np.ndarray], np.ndarray], device: str = CPU
) -> Half:
    """Train a new network on recorded positions. The network learns the difference between the target and the hand-made
    estimate of the margin. `before` is the previous network.
    """
    torch.manual_seed(seed)
    inputs = torch.as_tensor(columns["inputs"], device=device)
    aims = targets(columns, plan.horizon, before).astype(np.float32) - columns["promised"]
    aims = torch.as_tensor(aims, device=device)
    learned = torch.as_tensor(np.flatnonzero(columns["game"] % TESTED))
    half = Half(scale_of(columns["inputs"])).to(device)
    optimizer = torch.optim.Adam(half.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.learning_rate, plan.steps)
    with progress() as show:
        for step in range(plan.steps):
            batch = learned[torch.randint(len(learned), (BATCH,))].to(device)
            loss = (half(inputs[batch]) - aims[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            show("steps of the regression", step + 1, plan.steps)
    return half


def compare(half: Half, columns: dict[str, np.ndarray], plan: Plan, seed: int) -> tuple[float, float]:
    """Train a network to predict the differences between the values of the actions that are compared at a decision.

    The targets were measured by rollouts. A penalty keeps the network's outputs close to its outputs before this
    training.

    Returns the mean number of points lost per decision, before and after the training. Both numbers are measured on the
    held-out games. The points lost at a decision are the value of the best action minus the value of the action with
    the highest predicted value.
    """
    questions = Questions.of_comparisons(columns)
    game = columns["game"][np.cumsum(questions.count) - 1]
    learned, tested = np.flatnonzero(game % TESTED), np.flatnonzero(game % TESTED == 0)
    known = replace(questions, worth=columns["value"]).some(tested)
    promised = replace(questions, worth=columns["promised"]).some(tested).worth

    def regret() -> float:
        return known.regret(promised + half_of(half.tensors())(known.rows)) if len(tested) else float("nan")

    before, held, rng = regret(), copy.deepcopy(half), np.random.default_rng(seed)
    optimizer = torch.optim.Adam(half.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, COMPARE_RATE, plan.compare_steps)
    with progress() as show:
        for step in range(plan.compare_steps):
            some = questions.some(rng.choice(learned, COMPARED))
            rows = torch.as_tensor(some.rows, device=half.scale.device)
            with torch.no_grad():
                was = held(rows)
            moved = (half(rows) - was).square().mean()
            loss = some.loss(half, half.scale.device) + HOLD * moved
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            show("steps of the comparison", step + 1, plan.compare_steps)
    return before, regret()


def judged(half: Half, columns: dict[str, np.ndarray]) -> Fit:
    """Measure the errors of a network on the held-out games, and fit the logistic function for the probability of
    winning. See `scatter_of`.
    """
    is_tested = columns["game"] % TESTED == 0
    more = (columns["margin"] - columns["promised"])[is_tested]
    network = half_of(half.tensors())
    errors = network(columns["inputs"][is_tested]) - more
    return Fit(half, scatter_of(columns, network), float(np.square(more).mean()), float(np.square(errors).mean()))


def scatter_of(columns: dict[str, np.ndarray], network: Callable[[np.ndarray], np.ndarray]) -> float:
    """Fit the scale of the logistic function that converts a predicted margin to a probability of winning. The fitted
    scale minimises the mean log loss of the predicted probabilities.
    """
    some = np.linspace(0, len(columns["margin"]) - 1, min(len(columns["margin"]), 100_000)).astype(int)
    margins, left = columns["promised"][some] + network(columns["inputs"][some]), columns["left"][some]
    won = np.sign(columns["margin"][some]) / 2 + 0.5

    def loss(scatter: float) -> float:
        chance = chance_to_win(margins, left, scatter).clip(1e-6, 1 - 1e-6)
        return -float((won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())

    return float(min(np.geomspace(0.5, 10.0, 100), key=loss))


# --- a run ------------------------------------------------------------------------------------------------------------
@dataclass
class State:
    """The progress of a run. The progress is saved in the file run.json."""

    round: int = 0  # the number of complete rounds
    passed: int = 0  # the last round whose network was accepted; 0: no network was accepted
    games: int = 0
    seconds: float = 0.0


class Run:
    """Learns a value function in rounds, and keeps the progress in a folder.

    Args:
        folder: the folder of the run. If the folder already contains a run, that run is continued.
        plan: the settings.
        workers: the number of worker processes.
        backend, address: where the worker processes run, as in the options of `carc match`.
        game: the game configuration, if it differs from the plan's preset.
        device: the device on which the network learns.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        workers: int,
        backend: str | None = None,
        address: str | None = None,
        game: GameConfig | None = None,
        device: str = CPU,
    ):
        self.folder, self.plan, self.workers, self.crew = folder, plan, workers, (backend, address)
        self.device = device
        self.config, self._json = game or preset(plan.preset), folder / "run.json"
        self.state = State()
        folder.mkdir(parents=True, exist_ok=True)
        if self._json.exists():
            self.state = self.reached()

    def reached(self) -> State:
        """Read the progress of the run in the folder.

        Raises ConfigError if the settings of the run differ from the plan in a field that is not in MAY_CHANGE. Raises
        FileError if the file run.json is not valid.
        """
        try:
            told = json.loads(self._json.read_text(encoding="utf-8"))
            plan = {"sweeps": 1} | told["plan"]  # the default for a saved plan without `sweeps`
            before, state = Plan(**plan), State(**told["state"])
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(f"{self._json}: this file does not contain the progress of a run: {error}") from None
        if any(getattr(before, name) != value for name, value in asdict(self.plan).items() if name not in MAY_CHANGE):
            raise ConfigError(f"{self.folder} holds a run with other settings: {before}; choose another folder")
        return state

    def agent(self, number: int) -> Path:
        """Return the path of the checkpoint of a round."""
        return self.folder / f"round-{number}"

    def prices(self) -> np.ndarray:
        """Return the heuristic weights of the current policy. The weights are those of the bot `keen`. If a network has
        been accepted, the array also contains the weights of the last accepted network.
        """
        return read_prices(self.agent(self.state.passed), Asked.PRICES) if self.state.passed else keen_prices()

    def network(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function that applies the last accepted network to an array of inputs. If no network has been
        accepted, the outputs are zeros.
        """
        if not self.state.passed:
            return lambda inputs: np.zeros(len(inputs), np.float32)
        return half_of(checkpoint.read(self.agent(self.state.passed)).tensors)

    def go_on(self) -> None:
        """Run the remaining rounds. In each round, games are played, and a network is trained and tested."""
        while self.state.round < self.plan.rounds:
            began, number = time.monotonic(), self.state.round + 1
            self.play(number)
            columns = self.noted(number, "games")
            half = self.learned(number, columns)
            if self.plan.compared:
                lost = compare(half, self.noted(number, "comparisons"), self.plan, self.plan.seed + number)
                print(
                    f"round {number}: points lost per decision, measured by rollouts: {lost[0]:.3f} before the "
                    f"comparison, {lost[1]:.3f} after it",
                    flush=True,
                )
            fit = judged(half, columns)
            trained = time.monotonic()
            self.state.seconds += trained - began
            self.write(number, fit, [])
            result = self.gate(number)
            self.state.round, self.state.games = number, number * self.plan.games
            if result.win_rate_a > 0.5:
                self.state.passed = number
            self.state.seconds += time.monotonic() - trained
            self.save()
            print(
                f"round {number}: {len(columns['margin']):,} positions; squared error {fit.error_before:.1f} without "
                f"the network, {fit.error:.1f} with the network; win rate {result.win_rate_a:.1%} "
                f"({result.ci95[0]:.1%} to {result.ci95[1]:.1%}) against the previous policy: "
                f"{'accepted' if self.state.passed == number else 'rejected'}",
                flush=True,
            )

    def learned(self, number: int, columns: dict[str, np.ndarray]) -> Half:
        """Run the regressions of a round, and return the last network. The first regression takes its targets from the
        last accepted network. Each further regression takes its targets from the network of the previous regression.
        """
        before = self.network()
        for sweep in range(self.plan.sweeps):
            seed = self.plan.seed + number + SWEEP_STRIDE * sweep
            half = learn(columns, self.plan, seed, before, self.device)
            before = half_of(half.tensors())
        return half

    def shards(self, number: int, what: str = "games") -> Path:
        """Return the folder with the shards of a round. `what` is `games` or `comparisons`."""
        return self.folder / f"{what}-{number}"

    def noted(self, number: int, what: str) -> dict[str, np.ndarray]:
        """Read the shards of all rounds up to the round `number`, and return their columns."""
        return read([path for done in range(1, number + 1) for path in shards_in(self.shards(done, what))])

    def play(self, number: int) -> None:
        """Play the missing games of a round, and write their shards."""
        plan, prices = self.plan, self.prices()
        notes: dict[str, tuple[Notes, int]] = {
            "games": (Tables(self.config, prices, plan.errors, every=plan.every), plan.games)
        }
        if plan.compared:
            found = Comparisons(self.config, prices, plan.stacks, every=plan.every, errors=plan.errors)
            notes["comparisons"] = found, plan.compared
        for which, (what, (how, games)) in enumerate(notes.items()):
            seed = (plan.seed * 1000 + number) * STRIDE + which * STRIDE // 2
            with progress() as show:
                tell = functools.partial(show, f"{what} of round {number}")
                write_shards(self.shards(number, what), how, games, seed, self.workers, tell, *self.crew)

    def gate(self, number: int) -> MatchResult:
        """Play the evaluation match of a new network.

        The policy with the new network plays against the current policy. The result decides whether the new network is
        accepted.
        """
        before = str(self.agent(self.state.passed)) if self.state.passed else None
        one, other = LearnedBot(str(self.agent(number))), LearnedBot(before) if before else "keen"
        return play_match(one, other, self.config, self.plan.gate_pairs, GATE_SEED, workers=1)

    def write(self, number: int, fit: Fit | None, results: Sequence[MatchResult]) -> None:
        """Write the checkpoint of a round, with the results of its final matches. If `fit` is None, keep the existing
        checkpoint, and write only the results.
        """
        path, strength = self.agent(number), [result.to_dict() for result in results]
        if not fit:
            found = checkpoint.read(path)
            checkpoint.write(path, replace(found.card, strength=strength), found.tensors)
            return
        tensors = fit.half.tensors() | {"scatter": np.array([fit.scatter], np.float32)}
        card = checkpoint.Card(
            network=KIND,
            preset=self.plan.preset if self.config == preset(self.plan.preset) else "custom",
            config=self.config.to_dict(),
            rows=MAX_ANSWERS,
            prices=checkpoint.prices_to_dict(keen_prices()),
            training=asdict(self.plan),
            steps=number * self.plan.sweeps * self.plan.steps,
            games=number * self.plan.games,
            minutes=round(self.state.seconds / 60, 2),
            seed=self.plan.seed,
            commit=commit(),
            versions={
                "python": platform.python_version(),
                "carc_env": __version__,
                **{name: version(name) for name in ("numpy", "torch")},
            },
            strength=strength,
            valid_for="games of two players with these boxes",
        )
        checkpoint.write(path, card, tensors)

    def save(self) -> None:
        """Write the progress of the run."""
        told = {"plan": asdict(self.plan), "state": asdict(self.state)}
        checkpoint.write_whole(self._json, (json.dumps(told, indent=2) + "\n").encode())

    def measure(self) -> list[MatchResult]:
        """Play the final matches of the last accepted network."""
        agent, results = LearnedBot(str(self.agent(self.state.passed))), []
        for opponent in (*OPPONENTS, "keen"):
            print(f"evaluation: {self.plan.eval_pairs} pairs of games against {opponent}", flush=True)
            agent.name = "learned"
            results.append(play_match(agent, opponent, self.plan.preset, self.plan.eval_pairs))
        return results


def parser() -> Parser:
    """Return the argument parser. The parser has an option for each field of `Plan`, and options for the folder and the
    workers.
    """
    found = Parser("python -m training.learn_values", description="Learn a value function of positions from games.")
    for name, value in asdict(Plan()).items():
        found.add_argument(
            f"--{name.replace('_', '-')}", type=type(value), default=value, metavar="N", help=f"{HELP[name]} ({value})"
        )
    found.add_argument("--run", type=Path, metavar="DIR", help="the folder of the run (runs/values-<preset>)")
    found.add_argument("--workers", type=int, default=2, metavar="N", help="the number of processes (2)")
    found.add_argument("--backend", choices=("loky", "dask", "ray"), help="the backend, as for `carc match`")
    found.add_argument("--address", metavar="A", help="the address of the cluster")
    add_device(found)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Learn a value function, evaluate it and report. Returns the exit status."""
    asked = parser().parse_args(argv)
    folder = asked.run or Path("runs", f"values-{asked.preset}")
    try:
        plan = Plan(**{name: getattr(asked, name) for name in asdict(Plan())})
        check_device(asked.device)
        run = Run(folder, plan, asked.workers, asked.backend, asked.address, device=asked.device)
        run.go_on()
        if not run.state.passed:
            print("no new network won its match, so there is no learned value function")
            return FAILED
        results = run.measure()
        run.write(run.state.passed, None, results)
    except KeyboardInterrupt:
        print(
            f"\ninterrupted; the games and networks are in {folder}, and the same command continues the run", flush=True
        )
        return INTERRUPTED
    except (CarcError, OSError, ImportError) as error:
        return complain("training.learn_values", error, WRONG_USAGE if isinstance(error, ConfigError) else FAILED)
    agent = run.agent(run.state.passed)
    print(f"""
{table(results)}

agent  {agent}.safetensors, its card {agent}.json

What next?
  {tool("carc")} match learned:{agent} greedy --preset {plan.preset} --pairs 1000""")
    return GOOD


if __name__ == "__main__":
    # SIGINT raises KeyboardInterrupt even if the shell made this process ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
