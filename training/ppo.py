"""Train an agent with MaskablePPO from sb3-contrib: `python -m training.ppo --config configs/quick.toml`, or `carc
train --config quick`.

Exit status: 0 success, 1 failure, 2 invalid arguments, 130 interrupted (Ctrl-C). After Ctrl-C or a crash, `--resume`
continues from the last saved update. On a CPU, a resumed run gives exactly the same results as an uninterrupted run,
unless the time limit `max_minutes` ends one of the two runs.
"""

import argparse
import dataclasses
import importlib.util
import json
import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from carc_env import __version__
from carc_env.arena.match import MatchResult, play_match
from carc_env.bots import checkpoint
from carc_env.bots.policy import PolicyBot
from carc_env.commands.cli import Parser
from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE

from .config import TrainConfig, find, shipped_names
from .devices import CPU, add_device

RUNS = Path("runs")
CHECK_SEED = 10**6  # the first seed in matches of the learning curve; final matches begin with seed 0
LIBRARIES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")  # of the extra `train`
OPPONENTS = ("random", "greedy")  # the opponents in the final evaluation
FOR_LOWER_RANKS = 5.0  # seconds that a rank waits for each lower rank, so that lower ranks print their errors first


def main(argv: Sequence[str] | None = None) -> int:
    """Train, evaluate and report. Returns the exit status. For --help and invalid arguments, argparse raises
    SystemExit.
    """
    return start(parser().parse_args(argv))


def start(arguments: argparse.Namespace) -> int:
    """Train with the parsed arguments. Returns the exit status."""
    folder = arguments.folder or RUNS / Path(arguments.config).stem
    try:
        config = TrainConfig.from_toml(find(arguments.config))
        check_libraries()
        run(config, folder, arguments.resume, arguments.device)
    except KeyboardInterrupt:
        if leads():
            print(f"\ninterrupted; {what_is_kept(arguments, folder)}", flush=True)
        return INTERRUPTED
    except ConfigError as error:
        return complain(arguments.command, error, WRONG_USAGE)
    except (MissingLibrary, OSError) as error:
        return complain(arguments.command, error, FAILED)
    except ValueError as error:
        if type(error).__module__.split(".")[0] not in ("carc_env", "training"):
            raise  # show the traceback of an internal error
        return complain(arguments.command, error, FAILED)
    return GOOD


def parser(command: str = "python -m training.ppo") -> Parser:
    """Return the argument parser. The parser's messages show `command` as the name of the program."""
    found = Parser(command, description="Train an agent by PPO and evaluate it.")
    found.set_defaults(run=start, command=command)
    found.add_argument(
        "--config",
        required=True,
        metavar="FILE",
        help="a TOML file with fields of TrainConfig, or the name of a configuration that comes with the package: "
        f"{', '.join(shipped_names())}",
    )
    found.add_argument("--resume", action="store_true", help="continue the run in the folder")
    add_device(found)
    found.add_argument(
        "--run", type=Path, metavar="DIR", dest="folder", help="the folder of the run (runs/<name of the config>)"
    )
    return found


def complain(command: str, what: object, status: int) -> int:
    """Print an error in one line on standard error. Returns `status`.

    If several processes fail, only the process with the lowest rank prints its error. The higher the rank of a process,
    the longer the process waits before it prints. When the process with the lowest rank ends, torchrun stops all other
    processes, so they do not print their errors.
    """
    time.sleep(FOR_LOWER_RANKS * rank())
    print(f"{command.removeprefix('python -m ')}:", " ".join(str(what).split()), file=sys.stderr, flush=True)
    return status


class MissingLibrary(ImportError):
    """Raised if a library for training is not installed. The message contains the name of the library and a command
    that installs it.
    """


def check_libraries() -> None:
    """Raise MissingLibrary if a library of the extra `train` is missing. Libraries for the final report are checked,
    too.
    """
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingLibrary(f'training needs {", ".join(missing)}: pip install ".[train]"')


def run(config: TrainConfig, folder: Path, resume: bool, device: str) -> None:
    """Train to the end, and evaluate the agent."""
    from . import files  # these imports load torch, which takes seconds
    from .curve import draw
    from .learner import Learner
    from .ranks import joined

    with joined(device) as ranks:
        if ranks.leads:
            prepare(config, folder, resume)
        learner = Learner(config, ranks)
        if not ranks.leads:
            return learner.follow()
        figures = begin(learner, folder, resume)
        try:
            train(learner, folder, figures)
        finally:
            figures.close()
        learner.finish()
    draw(figures.rows, folder / files.CURVE)
    write_checkpoint(learner, folder, [])
    results = measure(config, folder)
    write_checkpoint(learner, folder, results)
    report(learner, folder, figures.rows, results)


def leads() -> bool:
    """True if this process leads the training. With torchrun, the process with rank 0 leads. Without torchrun, there is
    only one process.
    """
    return rank() == 0


def rank() -> int:
    """Return the rank of this process. With torchrun, the environment variable RANK gives the rank. Without torchrun,
    the rank is 0.
    """
    return int(os.environ.get("RANK", "0"))


def prepare(config: TrainConfig, folder: Path, resume: bool) -> None:
    """If `resume` is True, check that the folder contains a run that can be resumed. Otherwise, make the folder of a
    new run.

    Raises RunError if there is no run to resume, or if the folder of the new run is not empty.
    """
    from . import files

    if resume:
        files.saved_update(folder)
    else:
        files.fresh_folder(folder)
    if config.game:
        checkpoint.write_whole(folder / files.GAME, config.game_config.to_toml().encode())


def begin(learner: Any, folder: Path, resume: bool) -> Any:
    """Resume the run in the folder, or begin a new run. Prepare the teacher if the network imitates the teacher in at
    least one of the remaining updates. Returns a `Figures` object for writing the metrics of the run to files.
    """
    from . import files
    from .teacher import Teacher

    config, ranks = learner.config, learner.ranks
    print(
        f"{folder}: {config.updates} updates of {config.games * ranks.count} games x {config.steps} decisions on "
        f"{config.preset}, network of width {config.width} on {ranks.device}"
        f"{f', {ranks.count} ranks' if ranks.count > 1 else ''}.",
        "First, the code is compiled.",
        flush=True,
    )
    if resume:
        files.load(folder, learner)
        print(f"continuing after update {learner.update}", flush=True)
    else:
        files.save(folder, learner)
    if learner.update < config.lessons:
        began = time.monotonic()
        teacher = Teacher(config, folder / files.TEACHER)
        learner.begin_lessons(teacher)
        learner.seconds += time.monotonic() - began
        files.save(folder, learner)
        print(f"the network imitates the teacher on {len(teacher.questions):,} decisions", flush=True)
    return files.Figures(folder, learner.update)


def train(learner: Any, folder: Path, figures: Any) -> None:
    """Make the remaining updates, within the time limit."""
    from . import files
    from .progress import Progress

    config = learner.config
    with Progress(config) as progress:
        while learner.update < config.updates:
            if learner.update and learner.seconds > 60 * config.max_minutes:
                print(
                    f"the time limit max_minutes = {config.max_minutes:g} is reached; training ends after update "
                    f"{learner.update}"
                )
                files.save(folder, learner)
                break
            row = learner.learn()
            last = learner.update == config.updates
            if config.check_pairs and (last or learner.update % config.check_every == 0):
                row |= check(learner)
                learner.keep_best(row["check_margin"])
            figures.add(row)
            if last or learner.update % config.save_every == 0:
                files.save(folder, learner)
            progress.show(row)


def check(learner: Any) -> dict[str, float]:
    """Play a match of the current agent against greedy. Returns the agent's win rate with its 95 % interval, and the
    margin.
    """
    config = learner.config
    result = play_match(learner.bot(), "greedy", config.game_config, config.check_pairs, CHECK_SEED)
    return {
        "check": result.win_rate_a,
        "check_low": result.ci95[0],
        "check_high": result.ci95[1],
        "check_margin": result.margin,
    }


def measure(config: TrainConfig, folder: Path, seed: int = 0) -> list[MatchResult]:
    """Play the final matches of the agent in the checkpoint.

    A match consists of pairs of games. Each bot plays first in one game of each pair. The stack of pair k is shuffled
    with the seed `seed + k`.
    """
    from . import files

    results = []
    for opponent in OPPONENTS if config.eval_pairs else ():
        print(f"evaluation: {config.eval_pairs} pairs of games against {opponent}", flush=True)
        agent = PolicyBot(str(folder / files.CHECKPOINT))
        agent.name = "ppo"
        game = config.game_config if config.game else config.preset
        results.append(play_match(agent, opponent, game, config.eval_pairs, seed))
    return results


def write_checkpoint(learner: Any, folder: Path, results: Sequence[MatchResult]) -> None:
    """Write the agent and its model card. The saved network is the one that had the best margin in the matches of the
    learning curve. If no matches of the learning curve were played, the final network is saved.
    """
    write_agent(
        folder,
        learner.config,
        learner.best or learner.policy.score.numbers(),
        results,
        rows=learner.config.rows,
        steps=learner.steps,
        games=learner.games,
        minutes=round(learner.seconds / 60, 2),
    )


def write_agent(
    folder: Path, config: TrainConfig, numbers: dict[str, Any], results: Sequence[MatchResult], **learned: Any
) -> None:
    """Write an agent that scores candidates, and write its model card. `learned` contains additional entries of the
    model card, such as the number of training games.
    """
    from . import files

    card = checkpoint.Card(
        network="candidates",
        preset="custom" if config.game else config.preset,
        config=config.game_config.to_dict(),
        prices=checkpoint.prices_to_dict(),
        training=config.to_dict(),
        seed=config.seed,
        commit=commit(),
        versions={
            "python": platform.python_version(),
            "carc_env": __version__,
            **{name: version(name) for name in ("numpy", "torch", "stable-baselines3", "sb3-contrib")},
        },
        strength=[result.to_dict() for result in results],
        **learned,
    )
    checkpoint.write(folder / files.CHECKPOINT, card, numbers)


def write_strength(folder: Path, results: Sequence[MatchResult]) -> None:
    """Write the results of matches to the model card of an agent."""
    from . import files

    found = checkpoint.read(folder / files.CHECKPOINT)
    card = dataclasses.replace(found.card, strength=[result.to_dict() for result in results])
    checkpoint.write(folder / files.CHECKPOINT, card, found.tensors)


def commit() -> str | None:
    """Return the commit of this checkout. A `+` at the end of the text means that files have changed since the commit.
    If this code is not in a checkout, return None.

    If the installed package lies inside a checkout of another project, the commit of that project is not used.
    """
    here = Path(__file__).parent
    if not (here.parent / "pyproject.toml").is_file():
        return None
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip() or None


# --- the report -------------------------------------------------------------------------------------------------------
def report(learner: Any, folder: Path, rows: Sequence[dict[str, float]], results: Sequence[MatchResult]) -> None:
    """Print the results and suggestions for further commands, and write result.json."""
    from . import files

    speeds = [row["decisions_per_s"] for row in rows if not math.isnan(row["decisions_per_s"])]
    told = {
        "updates": learner.update,
        "steps": learner.steps,
        "games": learner.games,
        "minutes": round(learner.seconds / 60, 2),
        "decisions_per_s": round(sum(speeds) / len(speeds), 1) if speeds else None,
        "illegal": learner.illegal,
        "results": [result.to_dict() for result in results],
    }
    checkpoint.write_whole(folder / files.RESULT, (json.dumps(told, indent=2) + "\n").encode())
    print(
        f"\nlearned from {told['steps']:,} decisions in {told['games']:,} games in {told['minutes']:.1f} minutes "
        f"with {told['illegal']} illegal actions\n"
    )
    if results:
        print(table(results))
    print(what_next(learner.config, folder))


def what_next(config: TrainConfig, folder: Path) -> str:
    """Return a text with the files of a run and the commands for using these files."""
    from . import files
    from .teacher import value_agent

    agent, value = folder / files.CHECKPOINT, value_agent(config, folder / files.TEACHER)
    game = f" --preset {folder / files.GAME if config.game else config.preset}"
    lines = [f"agent           {agent}.safetensors, its card {agent}.json"]
    lines += [f"value           {value}.safetensors, its card {value}.json"] if value else []
    lines += [f"learning curve  {folder / files.CURVE}, figures in {folder / files.PROGRESS}", "", "What next?"]
    lines += [f"  {tool('carc')} match ppo:{agent} greedy{game} --pairs 1000"]
    lines += [f"  {tool('carc')} match learned:{value} greedy{game} --pairs 1000"] if value else []
    lines += [f"  {tool('carc')} evaluate ppo:{agent} --against ppo{game} --pairs 1000"]
    lines += [f"  {tool('tensorboard')} --logdir {folder / 'tensorboard'}"]
    return "\n" + "\n".join(lines)


def table(results: Sequence[MatchResult]) -> str:
    """Return a table of match results, with one line for each opponent."""
    lines = [f"{'against':10}{'wins':>8}   {'95 % interval':18}{'points':18}{'margin':>8}{'illegal':>10}{'pairs':>8}"]
    for result in results:
        interval = f"{result.ci95[0]:.1%} to {result.ci95[1]:.1%}"
        points = f"{result.points_a:.1f} : {result.points_b:.1f}"
        lines.append(
            f"{result.b:10}{result.win_rate_a:8.1%}   {interval:18}{points:18}{result.margin:+8.1f}"
            f"{result.illegal:10}{result.pairs:8}"
        )
    return "\n".join(lines)


def tool(name: str) -> str:
    """Return the command that runs a program installed in this Python environment."""
    beside = Path(sys.prefix) / "bin" / name
    if sys.prefix == sys.base_prefix or not beside.exists():
        return name
    return str(beside.relative_to(Path.cwd())) if beside.is_relative_to(Path.cwd()) else str(beside)


def what_is_kept(arguments: argparse.Namespace, folder: Path) -> str:
    """Return a message about an interrupted run. The message tells which update was saved last, and gives a command
    that continues the run.
    """
    from . import files

    if not (folder / files.RESUME).is_file():
        return "no update was saved"
    program, _, words = arguments.command.partition(" ")
    command = f"{tool(program)} {words}"
    if "WORLD_SIZE" in os.environ:
        command = f"{tool('torchrun')} {nodes()}--nproc-per-node {os.environ['LOCAL_WORLD_SIZE']} -m -- training.ppo"
    command += f" --config {arguments.config} --resume"
    command += f" --device {arguments.device}" * (arguments.device != CPU)
    command += f" --run {folder}" * (arguments.folder is not None)
    kept = f"what was learned up to update {files.saved_update(folder)} is kept"
    games = ", and so are the games that the teacher has played" if (folder / files.TEACHER).is_dir() else ""
    return f"{kept}{games}. Continue with\n  {command}"


def nodes() -> str:
    """Return the options of torchrun for several machines, or an empty string for one machine."""
    machines = int(os.environ["WORLD_SIZE"]) // int(os.environ["LOCAL_WORLD_SIZE"])
    if machines == 1:
        return ""
    return f"--nnodes {machines} --rdzv-backend c10d --rdzv-endpoint {os.environ.get('MASTER_ADDR', 'HOST')}:29500 "


if __name__ == "__main__":
    # SIGINT raises KeyboardInterrupt even if the shell made this process ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
