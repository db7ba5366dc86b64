"""Behaviour cloning: train a network to imitate the players of a data set.

    python -m training.clone DATASET --config configs/clone.toml

DATASET is the folder or the name of a data set from `carc dataset --observation candidates`. The network scores
candidates, as in `training.ppo`. Training raises the logit of the action in the data, by minimising the cross-entropy
loss. One game in ten is held out. The loss and the accuracy are measured on the held-out games. Exit status: 0 success,
1 failure, 2 invalid arguments, 130 interrupted. If the training is interrupted, the agent of the last completed epoch
is kept.
"""

import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carc_env.arena.dataset import load, record_of
from carc_env.bots.checkpoint import write_whole
from carc_env.boxes.layout import N_COLUMNS
from carc_env.commands.cli import Parser
from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE
from carc_env.networks.candidates import Score
from carc_env.networks.layers import pad
from carc_env.observing.encode import layout_hash
from carc_env.observing.spaces import SPACES, layout_of
from carc_env.rules.state import NONE
from carc_env.setup.config import GameConfig

from . import files, ppo
from .buffer import stretches
from .config import TrainConfig
from .devices import CPU, add_device, check_device

if TYPE_CHECKING:
    from minari import EpisodeData

COMMAND = "python -m training.clone"
HELD_OUT = 10  # one game in HELD_OUT is held out for validation
MATCH_SEED = 10**9  # the seed of the first tile stack in the matches; games of data sets usually have smaller seeds


@dataclass(frozen=True)
class Decisions:
    """Decisions in games, with the chosen actions. The candidates of all decisions are concatenated without padding."""

    rows: np.ndarray  # float32[all candidates, columns]
    count: np.ndarray  # int64[n], the number of candidates of each decision
    choice: np.ndarray  # int64[n], the index of the chosen candidate within its decision
    game: np.ndarray  # uint64[n], for each decision, the seed of the game

    def __len__(self) -> int:
        return len(self.count)

    def some(self, which: np.ndarray) -> "Decisions":
        """Return the decisions with the indices in `which`."""
        first = np.cumsum(self.count) - self.count
        return Decisions(
            self.rows[stretches(first[which], self.count[which])],
            self.count[which],
            self.choice[which],
            self.game[which],
        )


def read(name: str, config: TrainConfig) -> tuple[Decisions, int]:
    """Read a data set. Returns the decisions, and the maximum number of candidates in an observation. Raises
    ConfigError for a data set that cannot be used.
    """
    dataset = load(name)
    made = dataset.storage.metadata.get("carc_env", {})
    if "config" not in made or GameConfig.from_dict(made["config"]) != config.game_config:
        raise ConfigError(
            f"{name}: the games differ from those of the configuration ({config.preset}); choose another preset or "
            f"another data set"
        )
    if made["observation"] == "planes":
        raise ConfigError(
            f"{name}: observation = 'planes', but cloning needs candidates; see carc dataset --observation"
        )
    if made.get("spaces") not in SPACES or made["layout_hash"] != layout_hash(
        made["observation"], layout_of(config.game_config, made["spaces"])
    ):
        raise ConfigError(
            f"{name}: the layout of its observations and actions is not the layout of this version; create the data "
            "set again"
        )
    parts = [part_of(episode) for episode in dataset.iterate_episodes()]
    found = Decisions(*(np.concatenate(arrays) for arrays in zip(*parts)))
    if len(np.unique(found.game)) < 2:
        raise ConfigError(f"{name}: has only one game, but at least two are needed, because one is held out")
    if config.price != (found.rows.shape[1] == N_COLUMNS):
        raise ConfigError(
            f"price = {str(config.price).lower()}: the data set {name} {'does not have' if config.price else 'has'} "
            f"the columns price and rank, so price should be {str(not config.price).lower()}"
        )
    return found, dataset.observation_space["candidate_actions"].shape[0]


def part_of(episode: "EpisodeData") -> tuple[np.ndarray, ...]:
    """Return the decisions of an episode, as the four arrays of `Decisions`. A decision is left out if its action is
    not among the candidates.
    """
    actions = episode.observations["candidate_actions"][:-1]
    is_choice = actions == episode.actions[:, None]
    listed = is_choice.any(1)
    valid = (actions != NONE) & listed[:, None]
    seeds = np.full(listed.sum(), record_of(episode)["seed"], np.uint64)
    return episode.observations["candidates"][:-1][valid], valid[listed].sum(1), is_choice[listed].argmax(1), seeds


def held_out(decisions: Decisions) -> tuple[Decisions, Decisions]:
    """Split decisions into a training set and a held-out set. Every tenth game is held out, beginning with the first
    game.
    """
    games = np.unique(decisions.game)
    is_out = np.isin(decisions.game, games[::HELD_OUT])
    return decisions.some(np.flatnonzero(~is_out)), decisions.some(np.flatnonzero(is_out))


# --- learning ---------------------------------------------------------------------------------------------------------
def logits(score: Score, some: Decisions) -> tuple[Tensor, Tensor]:
    """Return the padded logits of all candidates in a minibatch, and the indices of the chosen candidates. Both
    returned values are tensors on the network's device.
    """
    device = score.scale.mean.device
    rows, count, choice = (torch.from_numpy(array).to(device) for array in (some.rows, some.count, some.choice))
    valid = torch.arange(int(some.count.max()), device=device) < count[:, None]
    return pad(score(rows), valid), choice


def learn(
    score: Score,
    decisions: Decisions,
    config: TrainConfig,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    rng: np.random.Generator,
) -> float:
    """Learn from all decisions once, in random order. Returns the mean loss."""
    order, losses = rng.permutation(len(decisions)), []
    for first in range(0, len(order), config.minibatch):
        values, choices = logits(score, decisions.some(order[first : first + config.minibatch]))
        loss = functional.cross_entropy(values, choices)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(score.parameters(), config.max_gradient)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()) * len(choices))
    return sum(losses) / len(decisions)


@torch.no_grad()
def judge(score: Score, decisions: Decisions, at_once: int = 4096) -> tuple[float, float]:
    """Return the mean loss and the accuracy. The accuracy is the fraction of decisions in which the chosen action has
    the highest logit.
    """
    loss = right = 0.0
    for first in range(0, len(decisions), at_once):
        values, choices = logits(score, decisions.some(np.arange(first, min(first + at_once, len(decisions)))))
        loss += float(functional.cross_entropy(values, choices, reduction="sum"))
        right += int((values.argmax(1) == choices).sum())
    return loss / len(decisions), right / len(decisions)


def clone(name: str, config: TrainConfig, folder: Path, device: str = CPU) -> list[dict[str, float]]:
    """Train a network on a data set, and write the agent after every epoch. Returns the metrics of the untrained
    network and of every epoch.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    decisions, rows = read(name, config)
    known, unknown = held_out(decisions)
    print(
        f"{name}: {len(known):,} decisions to learn from, {len(unknown):,} held out, "
        f"{known.count.mean():.1f} candidates per decision",
        flush=True,
    )
    score, rng, began = (
        Score(config.width, config.layers, known.rows.shape[1], config.greedy_start),
        np.random.default_rng(config.seed),
        time.perf_counter(),
    )
    score.scale.measure(known.rows)
    score.to(device)
    optimizer = torch.optim.Adam(score.parameters(), 1.0)
    schedule = falling_rate(optimizer, config, config.epochs * -(-len(known) // config.minibatch))
    figures = [row(0, judge(score, known)[0], *judge(score, unknown))]
    for epoch in range(1, config.epochs + 1):
        figures.append(row(epoch, learn(score, known, config, optimizer, schedule, rng), *judge(score, unknown)))
        ppo.write_agent(
            folder,
            config,
            score.numbers(),
            [],
            rows=rows,
            steps=epoch * len(known),
            games=len(np.unique(known.game)),
            minutes=round((time.perf_counter() - began) / 60, 2),
        )
    return figures


def falling_rate(
    optimizer: torch.optim.Optimizer, config: TrainConfig, steps: int
) -> torch.optim.lr_scheduler.LRScheduler:
    """Make a schedule that lowers the learning rate linearly, as in `training.ppo`."""
    first, last = config.learning_rate, config.final_learning_rate
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: first + (last - first) * step / steps)


def row(epoch: int, loss: float, held_out_loss: float, accuracy: float) -> dict[str, float]:
    """Print the metrics of an epoch, and return these metrics as a dict."""
    print(
        f"epoch {epoch:3}: loss {loss:.3f}, held-out loss {held_out_loss:.3f}, {accuracy:.1%} of the held-out "
        f"actions predicted",
        flush=True,
    )
    return {"epoch": epoch, "loss": loss, "held_out_loss": held_out_loss, "accuracy": accuracy}


# --- the command ------------------------------------------------------------------------------------------------------
def main(argv: Sequence[str] | None = None) -> int:
    """Train, evaluate and report. Returns the exit status. For --help and invalid arguments, argparse raises
    SystemExit.
    """
    arguments = parser().parse_args(argv)
    folder = arguments.run or ppo.RUNS / Path(arguments.config).stem
    try:
        config = TrainConfig.from_toml(arguments.config)
        check_device(arguments.device)
        run(arguments.dataset, config, folder, arguments.device)
    except KeyboardInterrupt:
        kept = (folder / f"{files.CHECKPOINT}.json").is_file()
        print(
            "\ninterrupted; "
            f"{f'the agent of the last epoch is {folder / files.CHECKPOINT}' if kept else 'no epoch was completed'}",
            flush=True,
        )
        return INTERRUPTED
    except ValueError as error:
        if type(error).__module__.split(".")[0] not in ("carc_env", "training"):
            raise  # show the traceback of an internal error
        return ppo.complain(COMMAND, error, WRONG_USAGE if isinstance(error, ConfigError) else FAILED)
    except OSError as error:
        return ppo.complain(COMMAND, error, FAILED)
    return GOOD


def parser() -> Parser:
    """Return the argument parser."""
    found = Parser(COMMAND, description="Train a network to imitate the players of a data set, and evaluate the agent.")
    found.add_argument(
        "dataset", metavar="DATASET", help="the folder or the name of a data set with candidates (see carc dataset)"
    )
    found.add_argument(
        "--config",
        required=True,
        metavar="FILE",
        help="a TOML file with fields of TrainConfig (see training/config.py)",
    )
    found.add_argument("--run", type=Path, metavar="DIR", help="the folder of the run (runs/<name of the config>)")
    add_device(found)
    return found


def run(name: str, config: TrainConfig, folder: Path, device: str) -> None:
    """Train a network on a data set, write the agent to a new folder, evaluate it, and report."""
    files.fresh_folder(folder)
    figures = clone(name, config, folder, device)
    results = ppo.measure(config, folder, MATCH_SEED)
    ppo.write_strength(folder, results)
    told = {"dataset": name, "epochs": figures, "results": [result.to_dict() for result in results]}
    write_whole(folder / files.RESULT, (json.dumps(told, indent=2) + "\n").encode())
    print(
        f"\n{ppo.table(results)}\n" * bool(results)
        + f"\nagent           {folder / files.CHECKPOINT}.safetensors, with its card in the same folder",
        flush=True,
    )


if __name__ == "__main__":
    # SIGINT raises KeyboardInterrupt even if the shell made this process ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
