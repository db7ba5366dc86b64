"""Compute the versions of the code, the settings and the games that produced a result. A version is a name and a hash
of the relevant code and settings, such as `reinforce@5d2c9a01b7`.

| what has a version | what its hash is computed from |
|---|---|
| a task | its fields, except `seeds` and `pool` |
| a game | observations, acting players and rewards in some random games of the task |
| the protocol | the code of the matches, and how the seeds of a run are derived |
| an algorithm | its code in `training` or in a user's file, and the versions of Stable-Baselines3 if it is used |
| a network | the code of `carc_env.networks` that the algorithm uses |
| settings | the algorithm's settings |
| a bot, such as an opponent of the evaluation | its code and its heuristic weights; a second hash covers its network |

Code is hashed as a syntax tree, so comments, docstrings and line breaks do not change the hash. The code of the rules
is not hashed. So a change to the code of a rule leaves all results valid, unless the random games change, too.
"""

import ast
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import carc_env
from carc_env.bots import Bot, checkpoint, learned, make, policy
from carc_env.observing import encode
from carc_env.setup.config import GameConfig

from .algorithms import seed_for
from .tasks import JUDGES, Task

PACKAGE, TRAINING = Path(carc_env.__file__).parent, Path(__file__).parent
NETWORKS = PACKAGE / "networks"
BOT_ROOMS = ("bots", "observing", "searching")  # folders of carc_env on which a bot's actions depend
# Files that affect neither what is learned nor which actions are chosen.
PASSED_OVER = {TRAINING / f"{name}.py" for name in ("algorithms", "config", "ppo", "state", "tasks")}
PASSED_OVER |= {PACKAGE / "bots" / f"{name}.py" for name in ("__init__", "bot", "checkpoint", "options")}
# The file with the environments for Stable-Baselines3. An algorithm can also learn in these environments.
ENVIRONMENTS = PACKAGE / "envs" / "sb3.py"
# Libraries with learning algorithms. The keys are the names to import, and the values are the names to install.
LIBRARIES = {"stable_baselines3": "stable-baselines3", "sb3_contrib": "sb3-contrib"}
EVALUATION = (TRAINING / "evaluation.py", TRAINING / "actor.py", PACKAGE / "arena" / "match.py")
CARD = ("network", "rows", "prices")  # fields of a bot's model card that affect the actions of the bot
DIGITS = 10  # the number of hexadecimal digits in a hash
GAMES = 8  # the number of random games that are hashed for the version of a game
KINDS = ("task", "game", "protocol", "algorithm", "network", "settings", "bots")  # the kinds of versions in a result
KNOWN = tuple(kind for kind in KINDS if kind != "settings")  # the kinds that are known before the algorithm is made


def digest(*parts: Any) -> str:
    """Return the hash of objects that can be written as JSON."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:DIGITS]


def named(name: str, *parts: Any) -> str:
    """Return a version, which consists of a name and the hash of `parts`."""
    return f"{name}@{digest(*parts)}"


# --- code -------------------------------------------------------------------------------------------------------------
def of_code(paths: Iterable[Path]) -> list[list[str]]:
    """Return the name and the hash of each source file."""
    return [[path.name, meaning(path.read_bytes())] for path in sorted(paths)]


@functools.cache
def meaning(code: bytes) -> str:
    """Return a hash of Python code, computed from its syntax tree without the docstrings. Raises SyntaxError for
    invalid code.
    """
    return digest(list(_nodes(ast.parse(code))))


def _nodes(node: Any) -> Iterator[Any]:
    """Yield the names of the node types, the names of the fields and the values in a syntax tree. Empty fields are left
    out. Therefore, every Python version that can parse the code yields the same names and values.
    """
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            value = _without_docstring(node, value) if name == "body" else value
            if value is not None and value != [] and name != "kind":
                yield [name, list(_nodes(value))]
    elif isinstance(node, list):
        for one in node:
            yield list(_nodes(one))
    else:
        yield repr(node)


def _without_docstring(node: ast.AST, body: Any) -> Any:
    has_one = isinstance(
        node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) and ast.get_docstring(node, clean=False)
    return body[1:] if has_one else body


def reached(first: Path, folders: Iterable[Path]) -> set[Path]:
    """Return a file and all files in `folders` that the file imports, directly or indirectly. Files in PASSED_OVER and
    files outside `folders` are left out. The imports of a file that is left out are not followed.
    """
    folders, found, left = tuple(folders), {first}, [first]
    while left:
        file = left.pop()
        for path in _imported(file, file.read_bytes()) - found:
            if any(path.is_relative_to(folder) for folder in folders) and path not in PASSED_OVER:
                found.add(path)
                left.append(path)
    return found


@functools.cache
def _imported(path: Path, code: bytes) -> frozenset[Path]:
    """Return the source files in `carc_env` and `training` that a file imports. `path` is the path of this file, and
    `code` is its content.
    """
    wanted: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            wanted += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            wanted += [package, *(f"{package}.{alias.name}".replace("..", ".") for alias in node.names)]
    places = [place for name in wanted if (place := _place(name, path)) is not None]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return frozenset(file for file in files if file.is_file())


def _place(name: str, path: Path) -> Path | None:
    """Return the path of a module's file without the suffix `.py`. For a module outside carc_env and training, return
    None.
    """
    if name.startswith("."):
        return TRAINING.joinpath(*name.strip(".").split(".")) if path.parent == TRAINING else None
    parts = name.split(".")
    if parts[:2] == ["carc_env", "training"] or parts[0] == "training":
        return TRAINING.joinpath(*parts[1 + (parts[0] == "carc_env") :])
    return PACKAGE.joinpath(*parts[1:]) if parts[0] == "carc_env" else None


# --- what is measured -------------------------------------------------------------------------------------------------
def of_algorithm(name: str, path: Path) -> dict[str, str]:
    """Return the versions of an algorithm and of its network. `path` is the file with the class of the algorithm."""
    files = reached(path, (TRAINING, NETWORKS))
    networks = {file for file in files if file.is_relative_to(NETWORKS)}
    own = files - networks
    own |= {ENVIRONMENTS for file in own if ENVIRONMENTS in _imported(file, file.read_bytes())}
    imported = {name for file in own for name in imports(file.read_bytes())}
    libraries = sorted(LIBRARIES[name] for name in imported & LIBRARIES.keys())
    return {
        "algorithm": named(name, of_code(own), [[library, version(library)] for library in libraries]),
        "network": named("networks", of_code(networks)) if networks else "none",
    }


@functools.cache
def imports(code: bytes) -> frozenset[str]:
    """Return the names of the top-level packages that Python code imports."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return frozenset(name.partition(".")[0] for name in names)


@functools.cache
def of_protocol() -> str:
    """Return the version of the protocol: how seeds are derived, and how matches are played. The protocol is the same
    for all algorithms.
    """
    return named("protocol", of_code(EVALUATION), [seed_for(seed, made) for seed, made in ((1, 0), (2, 0), (1, 5000))])


def of_task(task: Task) -> str:
    """Return the version of a task. The fields `seeds` and `pool` of the task do not affect a result, so the hash
    ignores them.
    """
    return named(task.id, {key: value for key, value in task.to_dict().items() if key not in ("seeds", "pool")})


@functools.cache
def of_game(task: Task) -> str:
    """Return the version of a task's game. The version contains a hash of the observations, acting players and rewards
    in some games. In these games, random actions are played against the task's training opponent until each game ends.

    Floating-point numbers are rounded to two decimals, because their last digits may differ between machines.
    """
    found = hashlib.sha256(encode.layout_hash(task.observation, task.layout).encode())
    envs, rng = task.environment(GAMES), np.random.default_rng(0)
    observations, infos = envs.reset(seed=0)
    rewards, has_ended = np.zeros(GAMES), np.zeros(GAMES, bool)
    while not has_ended.all():
        shown = [observations[name] for name in sorted(observations)]
        for array in (*shown, infos["player"], rewards):
            whole = array.astype(np.int64) if array.dtype.kind in "iub" else np.rint(100 * array).astype(np.int64)
            found.update(whole.tobytes())
        legal = observations["action_mask"] == 1
        actions = np.where(legal, rng.random(legal.shape), -1).argmax(1)
        observations, rewards, ended, _, infos = envs.step(actions)
        has_ended |= ended
    envs.close()
    return f"{task.preset}-{task.players}@{found.hexdigest()[:DIGITS]}"


@functools.cache
def of_bot(spec: str, config: GameConfig) -> str:
    """Return the version of a bot for games with the configuration `config`. The first hash covers the code and the
    heuristic weights. A second hash covers the network, if the bot has one for these games.
    """
    bot = make(spec, 0)
    home = PACKAGE.joinpath(*type(bot).__module__.split(".")[1:]).with_suffix(".py")
    code = reached(home, [PACKAGE / room for room in BOT_ROOMS])
    prices = sorted((PACKAGE / "observing").glob("*.toml"))
    networks = [[hash_of(path), card_of(path)] for path in _networks(bot, config)]
    return named(spec, spec, of_code(code), [hash_of(path) for path in prices]) + f"-{digest(networks)}" * bool(
        networks
    )


def code_of(version: str) -> str:
    """Return the version of a bot without the hash of its network.

    >>> code_of("rollout:playouts=64@0123456789-abcdefghij"), code_of("keen@0123456789")
    ('rollout:playouts=64@0123456789', 'keen@0123456789')
    """
    spec, at, hashes = version.rpartition("@")
    return spec + at + hashes.partition("-")[0]


def card_of(numbers: Path) -> list[Any]:
    """Return those fields of a checkpoint's model card that affect the actions of the bot. `numbers` is the file with
    the weights.
    """
    card = json.loads(numbers.with_suffix(".json").read_text(encoding="utf-8"))
    return [card[name] for name in CARD]


def _networks(bot: Bot, config: GameConfig) -> list[Path]:
    """Return the files with the weights of all networks that a bot can use."""
    if isinstance(bot, policy.PolicyBot):
        return [checkpoint.paths(policy.shipped_for(config))[0]]
    value = learned.shipped_for(config) if config.players == 2 else None
    return [] if value is None or bot.name in ("random", "greedy", "keen") else [checkpoint.paths(value)[0]]


@functools.cache
def hash_of(path: Path) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]


def bots_of(task: Task) -> dict[str, str]:
    """Return the versions of a task's bots: the opponent in training and the opponents in the evaluation."""
    names = dict.fromkeys((*([task.opponent] if task.opponent != "self" else []), *JUDGES))
    return {name: of_bot(name, task.config) for name in names}


def of_measuring(task: Task) -> dict[str, Any]:
    """Return the version of a task, of its game, of the protocol, and of each bot in its matches. All algorithms on the
    task share these versions.
    """
    return {"task": of_task(task), "game": of_game(task), "protocol": of_protocol(), "bots": bots_of(task)}


# --- comparing --------------------------------------------------------------------------------------------------------
def flat(versions: dict[str, Any], kinds: Iterable[str] = KINDS) -> dict[str, str]:
    """Collect the versions of the given kinds in one dict. Each bot has its own entry."""
    found = {kind: versions[kind] for kind in kinds if kind != "bots" and kind in versions}
    bots = versions["bots"] if "bots" in kinds else {}
    return found | {f"bot {name}": told for name, told in bots.items()}


def differences(one: dict[str, Any], other: dict[str, Any], kinds: Iterable[str] = KINDS) -> list[str]:
    """Return the differences between the versions of two results. Each difference is a string such as
    `bot keen: keen@1, not keen@2`.
    """
    ours, theirs = flat(one, kinds), flat(other, kinds)
    return [
        f"{what}: {ours.get(what, 'none')}, not {theirs.get(what, 'none')}"
        for what in dict.fromkeys((*ours, *theirs))
        if ours.get(what) != theirs.get(what)
    ]
