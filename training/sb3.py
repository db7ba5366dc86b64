"""Train with an algorithm of Stable-Baselines3: `python -m training.sb3 --config configs/sb3_base_planes.toml`.

The command supports PPO, MaskablePPO, A2C, DQN and QR-DQN on any preset. The observations are planes or candidates. The
command always uses action masks. `--resume` continues from the last saved state. The resumed run begins new games, and
its replay buffer is empty. A network for planes can first be trained to imitate a bot (`training/distill.py`). The
folder of the run (runs/<name of the config>) contains `state.safetensors`, `progress.csv`, `tensorboard/`, `curve.png`
and `result.json`. Exit status: 0 success, 1 failure, 2 invalid arguments, 130 interrupted.
"""

import csv
import io
import json
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from carc_env.arena.match import MatchResult, play_match
from carc_env.bots.checkpoint import write_whole
from carc_env.commands.cli import Parser
from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE

from .algorithms import seed_for
from .devices import CPU, add_device, check_device
from .ppo import CHECK_SEED, OPPONENTS, RUNS, MissingLibrary, check_libraries, complain, table
from .sb3_config import SB3Config

COMMAND = "python -m training.sb3"
COLUMNS = (
    "questions",  # number of decisions in the imitation phase
    "decisions",
    "minutes",
    "decisions_per_s",
    "games",
    "margin",
    "illegal",
    *(f"{opponent}_{what}" for opponent in OPPONENTS for what in ("win", "low", "high", "margin")),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Train, evaluate and report. Returns the exit status. For --help and invalid arguments, argparse raises
    SystemExit.
    """
    arguments = parser().parse_args(argv)
    folder = arguments.run or RUNS / Path(arguments.config).stem
    try:
        config = SB3Config.from_toml(arguments.config)
        check_libraries()
        run(config, folder, arguments.resume, arguments.device)
    except KeyboardInterrupt:
        print(f"\n{what_is_kept(folder)}", flush=True)
        return INTERRUPTED
    except ConfigError as error:
        return complain(COMMAND, error, WRONG_USAGE)
    except (MissingLibrary, OSError) as error:
        return complain(COMMAND, error, FAILED)
    except ValueError as error:
        if type(error).__module__.split(".")[0] not in ("carc_env", "training"):
            raise  # show the traceback of an internal error
        return complain(COMMAND, error, FAILED)
    return GOOD


def what_is_kept(folder: Path) -> str:
    """Return a message about an interrupted run."""
    if not (folder / "state.safetensors").is_file():
        return "interrupted before anything was saved"
    return f"interrupted; the last saved state is in {folder}; --resume continues from it"


def parser() -> Parser:
    """Return the argument parser."""
    found = Parser(COMMAND, description="Train an agent by an algorithm of Stable-Baselines3 and evaluate it.")
    found.add_argument("--config", required=True, metavar="FILE", help="a TOML file (see training/sb3_config.py)")
    found.add_argument("--resume", action="store_true", help="continue the run in the folder")
    add_device(found)
    found.add_argument("--run", type=Path, metavar="DIR", help="the folder of the run (runs/<name of the config>)")
    return found


def run(config: SB3Config, folder: Path, resume: bool, device: str = CPU) -> None:
    """Train to the end, and evaluate the agent."""
    from . import distill, sb3_model  # these imports load torch, which takes seconds
    from .state import fresh_folder

    check_device(device)
    model, told = (
        sb3_model.load(folder, config, device)
        if resume
        else (sb3_model.make_model(config, fresh_folder(folder, sb3_model.STATE), seed_for(config.seed), device), {})
    )
    weights = sum(parameter.numel() for parameter in model.policy.parameters())
    print(
        f"{folder}: {config.algorithm} with the network {config.network} ({weights:,} weights) on {config.preset} "
        f"against {config.opponent}, {config.questions:,} decisions in lessons and {config.decisions:,} in games "
        f"({told.get('questions', 0):,} and {model.num_timesteps:,} already made)",
        flush=True,
    )
    watch = Watch(model, config, folder, told)
    if not resume:
        watch.save()
    if watch.questions < config.questions:
        distill.give_lessons(model, config, watch)
    if model.num_timesteps < config.decisions:
        model.learn(
            config.decisions - model.num_timesteps,
            sb3_model.Watching(watch),
            reset_num_timesteps=not resume,
            tb_log_name="run",
        )
    watch.save()
    report(watch, folder, measure(sb3_model.ModelBot(model, config), config, config.eval_pairs, 0))


def measure(bot: Any, config: SB3Config, pairs: int, seed: int) -> list[MatchResult]:
    """Let a bot play a match against each bot in OPPONENTS. Returns the results. The argument `pairs` is the number of
    pairs in a match. A pair consists of two games, and each bot plays first in one of them. If `pairs` is 0, no matches
    are played.
    """
    what = config.game_config if config.game else config.preset
    return [play_match(bot, opponent, what, pairs, seed) for opponent in OPPONENTS if pairs]


class Watch:
    """Counts the games of a training run and saves the state of the run. The class also plays the matches of the
    learning curve and prints their results.

    Args:
        model: the Stable-Baselines3 model.
        config: the configuration of the run.
        folder: the folder of the run.
        told: the JSON content of the last saved state. For a new run, `told` is empty.
    """

    def __init__(self, model: Any, config: SB3Config, folder: Path, told: dict[str, Any]):
        self.model, self._config, self._folder = model, config, folder
        self.games, self.illegal, self.minutes = told.get("games", 0), told.get("illegal", 0), told.get("minutes", 0.0)
        self.questions = told.get("questions", 0)  # number of decisions in the imitation phase
        self._saved = self._checked = self._since = self.made
        self._seen_illegal = 0
        self._margins: list[float] = []
        self._began = self._counted = time.perf_counter()
        self.rows = [row for row in read_progress(folder) if made_in(row) <= self.made]

    @property
    def made(self) -> int:
        """The number of decisions from which the model has learned so far. The number includes the decisions of the
        imitation phase.
        """
        return self.questions + int(self.model.num_timesteps)

    def taught(self, questions: int) -> None:
        """Add `questions` to the number of decisions of the imitation phase. If it is time for the next matches, play
        them. If it is time to save the state, save it.
        """
        self.questions += questions
        self._check_if_due()
        self.learned()

    def step(self) -> None:
        """Record the games that ended in the last step. If it is time for the next matches, play them."""
        finished = self.model.env.take_finished()
        self.games += len(finished)
        self._margins += [game.margin for game in finished]
        self._check_if_due()

    def learned(self) -> None:
        """Save the state if there have been `save_every` decisions since the last saved state. Call this method only
        when the model has learned from all decisions so far.
        """
        if self.made - self._saved >= self._config.save_every:
            self._saved = self.made
            self.save()

    def _check_if_due(self) -> None:
        if self.made - self._checked >= self._config.check_every:
            self._checked = self.made
            self.check()

    def check(self) -> None:
        """Play the matches for a point of the learning curve. Write the results as a row to progress.csv, and print
        them.
        """
        from .sb3_model import ModelBot

        self._count()
        results = measure(ModelBot(self.model, self._config), self._config, self._config.check_pairs, CHECK_SEED)
        self.illegal += sum(result.illegal for result in results)
        speed = (self.made - self._since) / (self._counted - self._began)
        row = {
            "questions": self.questions,
            "decisions": self.model.num_timesteps,
            "minutes": round(self.minutes, 3),
            "decisions_per_s": round(speed, 1),
            "games": self.games,
            "margin": round(sum(self._margins) / max(1, len(self._margins)), 2),
            "illegal": self.illegal,
        }
        for result in results:
            row |= {
                f"{result.b}_win": round(result.win_rate_a, 4),
                f"{result.b}_low": round(result.ci95[0], 4),
                f"{result.b}_high": round(result.ci95[1], 4),
                f"{result.b}_margin": round(result.margin, 2),
            }
        self.rows.append(row)
        self._write_rows()
        print(
            "  ".join(f"{name} {value}" for name, value in row.items() if not name.endswith(("low", "high"))),
            flush=True,
        )
        self._margins, self._began, self._since = [], time.perf_counter(), self.made

    def _write_rows(self) -> None:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS)
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self._folder / "progress.csv", text.getvalue().encode())

    def save(self) -> None:
        """Write the state of the run, and write progress.csv again. In a resumed run, progress.csv may still contain
        rows that were written after the saved state. Writing the file again removes these rows.
        """
        from .sb3_model import save

        self._count()
        self._write_rows()
        save(
            self._folder,
            self.model,
            self._config,
            {"games": self.games, "illegal": self.illegal, "minutes": self.minutes, "questions": self.questions},
        )

    def _count(self) -> None:
        """Update the number of illegal actions and the learning time. The duration of matches does not count as
        learning time.
        """
        now, illegal = time.perf_counter(), self.model.env.illegal
        self.minutes += (now - max(self._began, self._counted)) / 60
        self.illegal += illegal - self._seen_illegal
        self._counted, self._seen_illegal = now, illegal


def read_progress(folder: Path) -> list[dict[str, str]]:
    """Read the rows of progress.csv in a folder. Returns an empty list if the file does not exist."""
    path = folder / "progress.csv"
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def made_in(row: dict[str, Any]) -> int:
    """Return the total number of decisions in one row of progress.csv. The total includes the decisions of the
    imitation phase. In the files of old runs, there is no column for the imitation phase.
    """
    return int(row.get("questions") or 0) + int(row["decisions"])


def report(watch: Watch, folder: Path, results: Sequence[MatchResult]) -> None:
    """Print the results, write result.json, and draw the learning curve."""
    told = {
        "questions": watch.questions,
        "decisions": watch.model.num_timesteps,
        "games": watch.games,
        "minutes": round(watch.minutes, 2),
        "illegal": watch.illegal + sum(result.illegal for result in results),
        "results": [result.to_dict() for result in results],
    }
    write_whole(folder / "result.json", (json.dumps(told, indent=2) + "\n").encode())
    print(
        f"\nlearned from {told['questions']:,} decisions in lessons, and from {told['decisions']:,} decisions in "
        f"{told['games']:,} games\n"
        f"{told['minutes']:.1f} minutes of learning, {told['illegal']} illegal actions (including evaluation)\n"
    )
    if results:
        print(table(results))
    checked = [row for row in watch.rows if row.get("random_win") not in (None, "")]
    if checked:
        draw(checked, folder / "curve.png")
        print(
            f"\nlearning curve {folder / 'curve.png'}, its numbers in {folder / 'progress.csv'} and "
            f"{folder / 'tensorboard'}"
        )


def draw(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the win rate and the margin as functions of the number of decisions, with one curve for each opponent."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    picture, (wins, points) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    steps = [made_in(row) / 1000 for row in rows]
    what = "decisions in lessons and games" if made_in(rows[0]) > int(rows[0]["decisions"]) else "decisions"
    for opponent in OPPONENTS:
        win, low, high, margin = (
            [float(row[f"{opponent}_{what}"]) for row in rows] for what in ("win", "low", "high", "margin")
        )
        wins.plot(steps, [100 * value for value in win], "o-", ms=3, label=f"against {opponent}")
        wins.fill_between(steps, [100 * value for value in low], [100 * value for value in high], alpha=0.2)
        points.plot(steps, margin, "o-", ms=3, label=f"against {opponent}")
    wins.set(xlabel=f"thousand {what}", ylabel="games won, %", ylim=(0, 102), title="Win rate, playing its best (95 %)")
    points.set(xlabel=f"thousand {what}", ylabel="points", title="Margin")
    points.axhline(0, color="0.8", lw=0.8, zorder=0)
    wins.legend()
    points.legend()
    picture.savefig(path, dpi=130)
    pyplot.close(picture)


if __name__ == "__main__":
    # SIGINT raises KeyboardInterrupt even if the shell made this process ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
