"""Tests of the structure of the project: imports go one way, every box has its files, the package is complete, and no
file depends on a machine.
"""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from carc_env.boxes.tiles import BOX_NAMES
from carc_env.common import toml

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "carc_env"
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text())

# The floors from the bottom up, one on each line. A room is a folder of the package. The modules of a room import only
# from their own room and from rooms on lower floors.
FLOORS = (
    ("compiling", "common"),
    ("rules",),
    ("boxes",),
    ("systems",),
    ("setup",),
    ("observing", "notation"),
    ("render",),  # a game can draw itself, because drawings do not import the class `Game`
    ("games", "searching"),
    ("bots",),
    ("envs",),
    ("networks", "arena"),
    ("",),  # carc_env itself: the names that users import
    ("terminal", "web"),
    ("commands",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# The packages that may be imported before anybody asks for pictures, agents or TOML output.
LIGHT = {"numpy", "numba", "gymnasium", "platformdirs", "filelock"} | (
    {"tomli"} if sys.version_info < (3, 11) else set()
)
IMPORT_NAMES = {
    "resvg-py": "resvg_py",
    "pillow": "PIL",
    "tomli-w": "tomli_w",
    "stable-baselines3": "stable_baselines3",
    "sb3-contrib": "sb3_contrib",
    "pygame-ce": "pygame",
    "numba-cuda": "numba_cuda",
}  # distributions whose module has another name than the distribution
SECOND_NAMES = {"pyspiel"}  # second modules of distributions: pyspiel belongs to open_spiel


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"), str(path))


def imported(tree: ast.AST) -> set[str]:
    """Return the full names of all modules and names that are imported anywhere in a module."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not used"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def part(name: str) -> str:
    """Return the part of the package that contains a full name, such as `rules` for `carc_env.rules.batch.step`. The
    part is "" for the names of the package itself.
    """
    first = (name.split(".") + [""])[1]
    is_module = (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").exists()
    return first if is_module else ""


# Each test has a loop instead of a parameter, because some hundred modules in five tests would be five hundred tests to
# collect and report.
def test_imports_go_one_way():
    for path in MODULES:
        own = "" if str(path) == "__init__.py" else path.parts[0].removesuffix(".py")
        assert own in LEVEL, f"{own} has no place in FLOORS yet"
        for name in imported(syntax(path)):
            if name.split(".")[0] == "carc_env" and part(name) != own:
                assert LEVEL[part(name)] < LEVEL[own], f"{path} imports {name}, which stands above it or beside it"
            assert name.split(".")[0] not in ("training", "tests"), f"{path} imports {name}"


def test_rules_know_nothing_of_learning_files_or_screens():
    allowed = ("numpy", "enum", "functools", "math", "typing", "carc_env.compiling", "carc_env.rules")
    for path in MODULES:
        for name in imported(syntax(path)) if path.parts[0] == "rules" else ():
            assert name.split(".")[0] in allowed or ".".join(name.split(".")[:2]) in allowed, f"{path} imports {name}"


def test_every_room_has_a_floor_and_no_module_lies_outside_of_rooms():
    assert {path.parts[0] for path in MODULES if len(path.parts) > 1} == set(LEVEL) - {"", "__main__"}
    assert {path.name for path in MODULES if len(path.parts) == 1} == {"__init__.py", "__main__.py"}


SAME_MEANING = {
    "candidates",
    "expectimax",
    "keen",
    "mcts",
    "features",
    "seen",
    "signs",
    "words",
}  # each of these names means the same thing in all its rooms


def test_a_name_means_one_thing():
    """No two modules have the same name, unless the name means the same thing."""
    names = Counter(path.stem for path in MODULES if path.stem not in ("__init__", "__main__"))
    assert {name for name, count in names.items() if count > 1} == SAME_MEANING


def test_numba_is_used_through_our_decorator_only():
    """The only exception is the module that compiles the rules for a GPU."""
    users = {str(path) for path in MODULES if any(name.split(".")[0] == "numba" for name in imported(syntax(path)))}
    assert {user for user in users if not user.startswith("compiling/")} == {"envs/gpu.py"}


# --- readability -------------------------------------------------------------------------------------------------
def test_docstrings():
    """Every module, and every public function and class of a module, has a docstring that begins with a sentence."""
    for path in MODULES:
        tree = syntax(path)
        public = [
            node
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        ]
        for node in [tree, *public] if tree.body else []:
            first = (ast.get_docstring(node) or "").split("\n\n")[0]
            where = f"{path}: {getattr(node, 'name', 'the module')}"
            assert first, f"{where} has no docstring"
            assert re.search(r"[.:)`|]$", first), f"{where}: the first paragraph should be a sentence"


MOST_LINES = 40  # the largest number of lines in a function's body


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many lines a function has, from the first statement after its docstring to its end."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return function.end_lineno - statements[0].lineno + 1 if statements else 0


TRAINING = [Path("..") / path.relative_to(ROOT) for path in sorted((ROOT / "training").glob("*.py"))]  # from PACKAGE


def test_functions_are_short():
    for path in MODULES + TRAINING:
        for node in ast.walk(syntax(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = body_lines(node)
                assert lines <= MOST_LINES, f"{path}: {node.name} has {lines} lines; it is more than one thing"


# --- boxes ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("box", BOX_NAMES)
def test_every_box_has_its_addresses(box):
    addresses = [
        f"carc_env/systems/{box}/tiles.toml",
        f"carc_env/systems/{box}/words.py",
        f"tests/scenarios/{box}",
        f"docs/rules/{box}.md",
    ]
    if box != "base":
        addresses.append(f"carc_env/rules/expansions/{box}.py")
    missing = [address for address in addresses if not (ROOT / address).exists()]
    assert not missing, f"{box} has no {', '.join(missing)}"


HOME = {"__init__.py", "tiles.toml", "words.py", "seen.py", "signs.py"}  # the files that a system's folder may contain


def test_every_home_is_that_of_a_system():
    """Every folder in `systems` belongs to a box, except `maps`, the system of games on a map sheet. Each folder
    contains only files named in HOME.
    """
    for folder in (PACKAGE / "systems").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert folder.name in {*BOX_NAMES, "maps"}, f"{folder.name} is no system"
            assert {file.name for file in folder.iterdir()} - {"__pycache__"} <= HOME, folder.name
    assert {file.stem for file in (PACKAGE / "rules" / "expansions").glob("*.py")} <= {*BOX_NAMES, "maps", "__init__"}


# The largest number of lines outside a box's own files that may name the box. A new box should need only a few; see
# docs/design.md.
NAMING = {
    "goldmines": 91,
    "inns_and_cathedrals": 10,
    "traders_and_builders": 42,
    "abbot": 14,
    "crop_circles": 12,
    "map_chips": 59,
    "abbeys": 34,
    "castles": 40,
    "ferries": 35,
    "shrines": 22,
    "special_monasteries": 12,
    "darmstadt": 21,
    "baba_yaga": 8,
    "german_cathedrals": 24,
    "german_castles": 56,
}


def naming(box: str) -> list[str]:
    """Return the lines of code that name a box outside its own files. Such lines import the box's modules or call them,
    read its flag or its record, or contain its name as a string.

    Other things with the same name, such as a number of castles, do not count. Comments and docstrings do not count
    either.
    """
    found = []
    for path in MODULES:
        if path.as_posix() == f"rules/expansions/{box}.py" or path.parts[:2] == ("systems", box):
            continue
        lines = set()
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ImportFrom):
                if box in (node.module or "").split("."):
                    lines.add(node.lineno)
                lines |= {alias.lineno for alias in node.names if alias.name == box}
            elif isinstance(node, ast.Attribute):
                lines |= {node.lineno} if box in (node.attr, getattr(node.value, "id", "")) else set()
            elif isinstance(node, (ast.Constant, ast.FunctionDef)):
                lines |= {node.lineno} if box == getattr(node, "value", getattr(node, "name", "")) else set()
        found += [f"{path}, line {line}" for line in sorted(lines)]
    return found


@pytest.mark.parametrize("box", [box for box in BOX_NAMES if box != "base"])
def test_few_lines_elsewhere_name_a_box(box):
    found = naming(box)
    assert len(found) <= NAMING[box], "\n".join(found)


@pytest.mark.parametrize(
    ("path", "boxes"),
    [
        (
            "observing/encode.py",
            {"ferries", "castles", "german_castles", "darmstadt"},
        ),  # planes that several boxes share
        ("observing/prospects.py", {"castles", "abbeys", "german_castles", "darmstadt"}),  # parts of the prospects
        ("observing/candidates.py", set()),
        ("observing/standing.py", set()),
        ("envs/stepping.py", set()),
    ],
)
def test_what_is_seen_of_a_box_is_written_by_its_own_module(path, boxes):
    found = set(re.findall(r"\bboxes\.(\w+)", (PACKAGE / path).read_text(encoding="utf-8"))) - {
        path.stem for path in (PACKAGE / "boxes").glob("*.py")
    }
    assert found <= boxes, "that belongs in carc_env/systems"


# --- the package -----------------------------------------------------------------------------------------------------
def test_import_needs_numpy_numba_and_gymnasium_only():
    """Starts a process in which no other package can be imported. The process sets up games and plays."""
    program = f"""
import importlib.metadata, sys
allowed = set(sys.stdlib_module_names) | {LIGHT!r} | {{"carc_env"}}
queue = {sorted(LIGHT)!r}
while queue:  # what the allowed ones need themselves
    for need in importlib.metadata.requires(queue.pop()) or []:
        name = need.split(";")[0].split(" ")[0].split(">")[0].split("<")[0].split("=")[0].split("!")[0].split("~")[0]
        if "extra ==" not in need and name not in allowed:
            allowed |= {{name, name.lower().replace("-", "_")}}
            queue.append(name)

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in allowed:
            raise ModuleNotFoundError(f"{{name}} is not to be needed", name=name)

sys.meta_path.insert(0, Wall())
import carc_env, gymnasium
assert "carc_env.render" not in sys.modules, "the drawing is to be loaded when asked for"
game = carc_env.Game("base", seed=0)
game.play(int(game.legal_actions()[0]))
env = gymnasium.make("carc_env/Goldmines-v0", opponent="random")
env.reset(seed=0)
print(len(game.moves) > 0)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def declared() -> dict[str, Requirement]:
    """Return everything that pyproject.toml requires, by name."""
    lists = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    found = [Requirement(text) for requirements in lists for text in requirements]
    return {requirement.name: requirement for requirement in found}


def test_everything_imported_is_asked_for():
    # tomllib is part of Python only since 3.11
    known = (
        {IMPORT_NAMES.get(name, name) for name in declared()}
        | set(sys.stdlib_module_names)
        | SECOND_NAMES
        | {"carc_env", "tomllib"}
    )
    for path in MODULES:
        strangers = {name.split(".")[0] for name in imported(syntax(path))} - known
        assert not strangers, f"{path} imports {strangers}, which pyproject.toml does not ask for"


def test_everything_asked_for_has_a_floor_and_a_pin_above_it():
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            pins[requirement.name] = str(requirement.specifier).removeprefix("==")
    for name, requirement in declared().items():
        assert any(spec.operator == ">=" for spec in requirement.specifier), f"{name} has no floor"
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            assert pins[name] in requirement.specifier, f"{name} {pins.get(name)} is pinned, {requirement} asked for"


def test_training_can_be_installed_under_another_name():
    """The modules of `training` import each other relatively, because the installed package is `carc_env.training`."""
    for path in (ROOT / "training").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [node.module]
                if isinstance(node, ast.ImportFrom) and not node.level
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            assert not any(name.split(".")[0] == "training" for name in names), (
                f"{path.name}, line {node.lineno}: `from .x import y`"
            )


def test_every_folder_of_the_package_is_installed():
    folders = {
        ".".join(path.relative_to(ROOT).parts)
        for path in [PACKAGE, *PACKAGE.rglob("*")]
        if path.is_dir() and path.name != "__pycache__" and any(child.is_file() for child in path.iterdir())
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == folders | {
        "carc_env.checkpoints",
        "carc_env.configs",
        "carc_env.training",
    }


def test_every_kind_of_data_file_is_installed():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    for path in [*PACKAGE.rglob("*"), *(ROOT / "checkpoints").iterdir(), *(ROOT / "configs").iterdir()]:
        if path.is_file() and path.suffix not in (".py", ".md") and "__pycache__" not in path.parts:
            assert f"*{path.suffix}" in patterns, f"{path} would not be installed"


def test_the_version_is_one():
    import carc_env

    assert carc_env.__version__ == PROJECT["project"]["version"]
    for file, words in {
        "CHANGELOG.md": "## [{}] - ",
        "CITATION.cff": "version: {}\n",
        "docs/citing.md": "version = {{{}}}",
        "docs/package.md": "carc_env-{}-py3-none-any.whl",
    }.items():
        assert words.format(carc_env.__version__) in (ROOT / file).read_text(encoding="utf-8"), file


# --- standing alone -----------------------------------------------------------------------------------------------
def tracked() -> list[Path]:
    """The project's own text files."""
    kinds = {".py", ".toml", ".md", ".txt", ".json", ".yml", ".html", ".js", ".css", ""}
    skipped = {"__pycache__", "runs", "build", "dist"}

    def is_ours(name: str) -> bool:
        return name == ".ci" or not (name in skipped or name.endswith(".egg-info") or name.startswith("."))

    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = filter(is_ours, folders)  # all other folders are skipped
        found += [Path(folder, name) for name in files if is_ours(name) and Path(name).suffix in kinds]
    return found


# The names are written in pieces, so that this file does not contain them.
NOT_NAMED = (
    "/" + "(root|home|work|Users|tmp)" + "/",
    "py" + r"pi\.org",
    "python" + r"hosted\.org",
    r"download\.py" + r"torch\.org",
    "--(extra-)?index" + "-url",
)


def test_no_file_names_a_machine_or_a_registry():
    pattern = re.compile("|".join(NOT_NAMED))
    for path in tracked():
        text = path.read_text(encoding="utf-8")
        found = pattern.search(text)
        assert not found, f"{path.relative_to(ROOT)}, line {text.count(chr(10), 0, found.start()) + 1}: {found[0]}"
