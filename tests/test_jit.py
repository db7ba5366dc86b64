"""Tests of the cache of compiled code: several processes and threads at once, folders that cannot be written, worker
processes, and other versions of numba.
"""

import ast
import functools
import importlib
import importlib.util
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import filelock
import numba
import numpy as np
import pytest

import carc_env
from carc_env.compiling import cache, jit, private, waiting

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "carc_env"
IS_COMPILED = jit.is_compiled()
needs_compiler = pytest.mark.skipif(not IS_COMPILED, reason="the compiler is switched off")
stress = pytest.mark.stress

# A module that stands in for the engine, which takes a minute to compile. Each function is called with two signatures.
FUNCTIONS = 2
STAND_IN = "from carc_env.compiling.jit import jit\n\n@jit\ndef twice(x):\n    return x + x\n" + "".join(
    f"\n@jit\ndef f{i}(x):\n    return twice(x) + {i}\n" for i in range(1, FUNCTIONS)
)
ALL = (FUNCTIONS, 2 * FUNCTIONS)
ARGUMENTS = (3, 1.5)
CALL = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
import stand_in
from carc_env.compiling import cache, jit, private, waiting

def right(call):
    function, x = call
    return getattr(stand_in, function)(x) == 2 * x + int(function.strip("ftwice") or 0)

calls = [(name, x) for name in vars(stand_in) if name[0] == "f" or name == "twice" for x in (3, 1.5)]
"""
CALL_ALL = (
    CALL
    + """
assert all(map(right, calls))
print(cache.cache_folder(), jit.loaded(), jit.compiled(), sep="; ")
"""
)
CALL_AT_ONCE = (
    CALL
    + """
if sys.argv[1] == "no locks":  # and slow at saving, so that they do so at the same time
    import filelock
    filelock.FileLock.acquire = lambda *_, **options: open("no/such/folder/lock")
    dumps = private.dumps
    private.dumps = lambda data: time.sleep(0.5) or dumps(data)
seed = int(sys.argv[2]) if sys.argv[1] == "locks" else 0
calls = [calls[i - i % 2 + (i + seed) % 2] for i in range(len(calls))]  # the same function, with another signature; without locks the very same
print("ready", flush=True)
sys.stdin.read()
with ThreadPoolExecutor(2) as threads:
    assert all(threads.map(right, calls))
print(jit.compiled()[1])
"""
)
FORK = (
    CALL
    + """
import os, signal, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and later say that a fork beside threads may hang: ours may not
saving = threading.Event()

def dumps_slowly(data):
    saving.set()
    time.sleep(0.3)
    return dumps(data)

dumps, private.dumps = private.dumps, dumps_slowly
thread = threading.Thread(target=right, args=calls[:1])  # has numba's lock and that of the folder meanwhile
thread.start()
saving.wait()
signal.alarm(60)
if os.fork() == 0:
    signal.alarm(60)
    os._exit(not (right(calls[0]) and right(calls[1])))
print(os.waitstatus_to_exitcode(os.wait()[1]), right(calls[1]), right(calls[2]), jit.compiled()[1])
"""
)


@pytest.fixture
def python(tmp_path):
    """Return a function that starts a Python process. The process can import the stand-in, and has its own cache and
    further environment variables.

    Unless `package` is given, the process finds only the folder `compiling` of carc_env, which saves the time to import
    the rest.
    """
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    (tmp_path / "bare" / "carc_env").mkdir(parents=True)
    (tmp_path / "bare" / "carc_env" / "__init__.py").touch()
    shutil.copytree(
        PACKAGE / "compiling",
        tmp_path / "bare" / "carc_env" / "compiling",
        ignore=shutil.ignore_patterns("__pycache__"),
    )

    def start(
        program: str, *words: object, package: Path = tmp_path / "bare", **environment: object
    ) -> subprocess.Popen:
        environment = {
            "CARC_ENV_CACHE_DIR": tmp_path / "cache",
            "PYTHONPATH": f"{package}{os.pathsep}{tmp_path}",
            "CARC_ENV_QUIET": 1,
        } | environment
        return subprocess.Popen(
            [sys.executable, "-B", "-c", program, *map(str, words)],
            text=True,
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {name: str(value) for name, value in environment.items()},
        )

    return start


def outcome(process: subprocess.Popen) -> str:
    """Check that a process ends well and prints nothing on standard error, and return what it printed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and err == "", err
    return out.strip()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return an empty cache folder for stand-ins in this process, and forget what was compiled and reported so far."""
    path = tmp_path / "cache" / "folder"
    path.mkdir(parents=True)
    monkeypatch.setattr(cache, "cache_folder", lambda: path)
    monkeypatch.setattr(jit, "_compiled", [])
    monkeypatch.setattr(cache, "_trouble", None)
    for name, value in {"_due": {}, "_spent": 0, "GRACE": 1000}.items():
        monkeypatch.setattr(waiting, name, value)
    monkeypatch.delenv("CARC_ENV_QUIET", raising=False)
    return path


@pytest.fixture
def process(tmp_path, folder, monkeypatch):
    """Return a function that does in this process what a new process would do: it imports the stand-in and calls all
    its functions. It returns how many functions and signatures were loaded, and how many were compiled.
    """
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    monkeypatch.setitem(sys.modules, "stand_in", None)

    def run(arguments: tuple = ARGUMENTS) -> tuple[tuple, tuple]:
        monkeypatch.setattr(jit, "_compiled", [])
        stand_in = fresh_module(tmp_path / "stand_in.py")
        for name in (*(f"f{i}" for i in range(1, FUNCTIONS)), "twice"):
            assert all(getattr(stand_in, name)(x) == 2 * x + int(name.strip("ftwice") or 0) for x in arguments)
        return jit.loaded(), jit.compiled()

    return run


def fresh_module(path: Path) -> ModuleType:
    """Import a module once more and return it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    # numba looks for the module here when it loads a function
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- several processes at once ----------------------------------------------------------------------------------------
@pytest.mark.long
@needs_compiler
@pytest.mark.parametrize("locks", ["locks", "no locks"])
@pytest.mark.parametrize("count", [2, pytest.param(8, marks=stress)])
def test_processes_that_compile_at_once(python, process, monkeypatch, tmp_path, locks, count):
    """Lets several processes compile at once, with two threads each. With locks, nothing is compiled twice. Without
    locks, no cache file is lost or mixed up.
    """
    several = [python(CALL_AT_ONCE, locks, seed) for seed in range(count)]
    assert [one.stdout.readline() for one in several] == ["ready\n"] * count
    for one in several:
        one.stdin.close()
        one.stdin = None
    compiled = [int(outcome(one)) for one in several]
    if locks == "locks":
        assert sum(compiled) == ALL[1]
    else:
        assert sum(compiled) > ALL[1], "they did not compile at the same time"
    [folder] = [path for path in (tmp_path / "cache").iterdir() if path.name != "folder"]
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    assert process() == (ALL, (0, 0))


@needs_compiler
def test_patience_ends(process, folder, monkeypatch):
    """Checks that a process compiles by itself if another one never releases the lock."""
    monkeypatch.setattr(waiting, "PATIENCE", 0.02)
    with filelock.FileLock(folder / "lock"):
        assert process() == ((0, 0), ALL)
    assert process() == (ALL, (0, 0))


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("times", [1, pytest.param(20, marks=stress)])
def test_fork_while_another_thread_compiles(python, tmp_path, times):
    """Checks that neither process waits forever for numba's lock or for the lock of the folder, and that the child
    holds no lock.
    """
    for _ in range(times):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        assert outcome(python(FORK)) == "0 True True 2"  # the parent loads what the child compiled


def play(seed: int) -> list[int]:
    """Play a short game. Return its actions and the scores."""
    game, rng, answers = carc_env.Game("base", seed=seed), np.random.default_rng(seed), []
    while not game.is_over and len(answers) < (60 if IS_COMPILED else 10):
        legal = game.legal_actions()
        answers.append(int(legal[rng.integers(len(legal))]))
        game.play(answers[-1])
    return [*answers, *map(int, game.scores)]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.parametrize("count", [1, pytest.param(8, marks=stress)])
def test_workers_play_the_same_games(method, count):
    own = [play(seed) for seed in range(count)]
    with multiprocessing.get_context(method).Pool(count) as pool:
        assert pool.map(play, range(count)) == own


# --- folders ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def nowhere(tmp_path) -> Path:
    """Return a path where nobody can make a folder, not even root."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "folder"


@needs_compiler
def test_read_only_installation_and_no_folder_for_the_cache(python, tmp_path, nowhere):
    package = tmp_path / "bare"
    files = sorted(package.rglob("*"))
    for path in [package, *files]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        process = python(CALL_ALL, CARC_ENV_CACHE_DIR="", HOME=nowhere, XDG_CACHE_HOME="")
        assert outcome(process) == f"None; (0, 0); {ALL}"
        assert sorted(package.rglob("*")) == files
    finally:
        for path in [package, *files]:
            path.chmod(0o755)


@needs_compiler
def test_a_folder_that_can_only_be_read(process, folder, monkeypatch):
    assert process(ARGUMENTS[:1]) == ((0, 0), (FUNCTIONS, FUNCTIONS))
    before = sorted(folder.rglob("*.nbc"))
    monkeypatch.setattr(Path, "write_bytes", lambda *_: os.open("no/such/folder/file", os.O_RDONLY))
    monkeypatch.setattr(filelock.FileLock, "acquire", lambda *_, **options: os.open("no/such/folder/lock", os.O_RDONLY))
    assert process() == ((FUNCTIONS, FUNCTIONS), (FUNCTIONS, FUNCTIONS))
    assert sorted(folder.rglob("*.nbc")) == before


@needs_compiler
def test_the_folder_is_gone_by_the_time_of_compiling(process, folder):
    shutil.rmtree(folder)
    folder.touch()
    assert process() == ((0, 0), ALL)


@needs_compiler
def test_files_cut_short_are_compiled_anew(process, folder):
    process()
    for number, path in enumerate(folder.rglob("*.nbc")):
        os.truncate(path, [0, 1, path.stat().st_size // 2][number % 3])
    assert process() == ((0, 0), ALL)
    assert process() == (ALL, (0, 0))


@needs_compiler
def test_an_interrupted_save_leaves_nothing(process, folder, monkeypatch):
    def write_half(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "write_bytes", write_half)
        process()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["lock"]
    assert process() == ((0, 0), ALL)


def test_the_compiler_is_off(python, tmp_path):
    assert outcome(python(CALL + "assert all(map(right, calls))", NUMBA_DISABLE_JIT=1)) == ""
    assert not (tmp_path / "cache").exists()


def test_which_folder_is_taken(monkeypatch, tmp_path):
    """Checks that the first writable folder is taken, or else the first existing folder, or else none."""
    name = f"{cache.source_hash()}-{cache.checking_mode()}"
    named, user = tmp_path / "named" / name, tmp_path / "user" / "carc_env" / name
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    take = cache.cache_folder.__wrapped__
    monkeypatch.setattr(cache, "_writable", lambda folder: False)
    assert take() is None
    user.mkdir(parents=True)
    assert take() == user
    monkeypatch.setattr(cache, "_writable", lambda folder: folder == named)
    assert take() == named
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", "named")
    assert take() == named  # an absolute path, which does not depend on the working directory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have other folders")
def test_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("CARC_ENV_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    take, name = cache.cache_folder.__wrapped__, f"{cache.source_hash()}-{cache.checking_mode()}"
    assert take() == tmp_path / ".cache" / "carc_env" / name
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # a user without a home directory
    monkeypatch.setattr(cache, "_writable", lambda folder: True)
    assert take() is None


# --- when code is compiled again --------------------------------------------------------------------------------------
@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    """Make a copy of the package's sources, and compute the source hash from this copy. Return its folder."""
    package = tmp_path / "copy" / "carc_env"
    shutil.copytree(PACKAGE, package, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "PACKAGE", package)
    monkeypatch.setattr(cache, "compiled_sources", cache.compiled_sources.__wrapped__)
    return package


def edit(path: Path) -> None:
    """Append a comment to a file."""
    path.write_bytes(path.read_bytes() + b"\n# edited\n")


def test_an_edit_of_what_compiled_code_is_made_from_changes_the_hash(copy, monkeypatch):
    before = cache.source_hash.__wrapped__()
    assert before == cache.source_hash(), "a copy elsewhere is the same"
    names = {path.relative_to(copy).as_posix() for path in cache.compiled_sources()}
    assert {
        "compiling/jit.py",
        "observing/encode.py",
        "rules/turn.py",
        "rules/state.py",
        "boxes/sheets.py",
        "systems/base/tiles.toml",
    } <= names
    seen = {before}
    with monkeypatch.context() as patch:
        patch.setattr(cache, "compiled_sources", functools.cache(cache.compiled_sources))  # edits change no imports
        for path in cache.compiled_sources():
            text = path.read_bytes()
            edit(path)
            seen.add(cache.source_hash.__wrapped__())
            path.write_bytes(text)
    assert len(seen) == 1 + len(names)
    (copy / "new.py").write_text(
        '"""A module."""\nfrom carc_env.compiling.jit import jit\n\n\n@jit\ndef one():\n    return 1\n'
    )
    assert cache.source_hash.__wrapped__() not in seen


def test_an_edit_of_anything_else_does_not(copy):
    before, compiled = cache.source_hash.__wrapped__(), cache.compiled_sources()
    others = [path for path in copy.rglob("*") if path.is_file() and path not in compiled]
    names = {path.relative_to(copy).as_posix() for path in others}
    assert {
        "commands/cli.py",
        "games/game.py",
        "games/games.py",
        "commands/doctor.py",
        "render/ansi.py",
        "bots/greedy.py",
        "arena/check_files.py",
    } <= names
    for path in others:
        edit(path)
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
    (copy / "new.py").write_text('"""A module without compiled functions."""\n')
    assert cache.source_hash.__wrapped__() == before


def imports(path: Path) -> set[str]:
    """Return the modules of the package that are imported when a file is imported, read from the syntax tree of the
    file.
    """
    todo, names = list(ast.parse(path.read_text(encoding="utf-8")).body), set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return names & MODULES.keys()


MODULES = {
    f"carc_env.{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}".removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
    if path.parent != PACKAGE or path.name != "__init__.py"
}
USERS = [
    name
    for name, path in MODULES.items()
    if "carc_env.compiling.jit" in imports(path) and "@jit" in path.read_text(encoding="utf-8")
]


def test_the_hash_covers_what_modules_with_compiled_functions_import():
    """Checks the result of `compiled_sources`, which searches the text of the modules, against imports in their syntax
    trees.
    """
    assert len(USERS) > 20
    todo, reached = ["carc_env.compiling.jit", *USERS], set()
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += imports(MODULES[name])
    assert {MODULES[name] for name in reached} == {path for path in cache.compiled_sources() if path.suffix == ".py"}


@needs_compiler
def test_the_hash_covers_what_compiled_functions_use():
    """Checks that the hash covers the file of every compiled function, and the files of all functions, classes and
    modules of carc_env that it names.
    """
    ours = [
        value.py_func
        for name in USERS
        for value in vars(importlib.import_module(name)).values()
        if hasattr(value, "py_func")
    ]
    assert len(ours) > 200
    for function in ours:
        used = [function.__globals__.get(name) for name in function.__code__.co_names]
        used = [getattr(value, "__module__", None) or getattr(value, "__name__", None) for value in used]
        for name in [function.__module__, *used]:
            if name in MODULES:
                assert MODULES[name] in cache.compiled_sources(), (
                    f"{function.__module__}.{function.__name__} uses {name}"
                )


@needs_compiler
def test_another_installation_loads_what_the_first_compiled(python, tmp_path):
    """Checks this with a copy of the sources in another folder, with other file times and with edits in other files."""
    first, second = tmp_path / "bare", tmp_path / "second"
    (first / "carc_env" / "rules").mkdir()
    (tmp_path / "stand_in.py").rename(first / "carc_env" / "rules" / "stand_in.py")
    (first / "carc_env" / "cli.py").touch()
    shutil.copytree(first, second, copy_function=shutil.copyfile)
    edit(second / "carc_env" / "cli.py")
    program = CALL_ALL.replace("import stand_in", "import carc_env.rules.stand_in as stand_in")
    before = outcome(python(program, package=first))
    assert before.endswith(f"; (0, 0); {ALL}")
    assert outcome(python(program, package=second)) == before.replace(f"(0, 0); {ALL}", f"{ALL}; (0, 0)")


TABLES = """
import sys
import numpy as np
import table
from carc_env.compiling import cache, jit, private, waiting

for size in map(int, sys.argv[1:]):
    games = np.zeros(1, np.dtype((np.record, [("board", "i2", (size,)), ("last", "i8")])))
    games[0].board[:], games[0].last = 1, size
    assert table.total(games) == 2 * size, (size, table.total(games))
print(jit.loaded(), jit.compiled())
"""


@pytest.mark.long
@needs_compiler
def test_what_two_processes_compiled_for_tables_of_two_sizes_goes_together(python, tmp_path):
    """Each of the two processes knows only one record type, and numba gives both types the same number. A third process
    must call the right code for each. The function `lying` is so long that it is called and not inlined.
    """
    long = "".join(
        f"    if game.board[{k} % len(game.board)] > few + {k}:\n        found += game.board[(found + {k}) % len(game.board)] * {k}\n"
        for k in range(60)
    )
    (tmp_path / "table.py").write_text(f"""
from carc_env.compiling.jit import jit

@jit
def lying(game, few):
    found = 0
    for cell in range(len(game.board)):
        found += game.board[cell]
{long}    return found + game.last

@jit
def total(games):
    return lying(games[0], games[0].last) + lying(games[0], games[0].last + 1) - lying(games[0], games[0].last + 2)
""")
    assert [outcome(python(TABLES, size)) for size in (7, 30)] == ["(0, 0) (1, 1)"] * 2
    for sizes in ((7, 30), (30, 7)):
        assert outcome(python(TABLES, *sizes)) == "(1, 2) (0, 0)"


# --- messages ---------------------------------------------------------------------------------------------------------
@needs_compiler
def test_compiling_is_told_of_once_while_it_goes_on(process, folder, monkeypatch, capsys):
    monkeypatch.setattr(waiting, "GRACE", 0)
    going_on = []

    class Watched:
        def write(self, text: str) -> None:
            going_on.append((text, waiting._began is not None))

        def flush(self) -> None:
            pass

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", Watched())
        process()
    line = f"carc_env: compiling functions that are used for the first time (seconds to a minute); kept in {folder}\n"
    assert going_on == [(line, True)]
    assert capsys.readouterr() == ("", "")


@needs_compiler
def test_what_is_not_told(process, folder, monkeypatch, capsys):
    """Checks that nothing is printed if compiling takes little time, if the code is loaded, or if CARC_ENV_QUIET is
    set.
    """
    process()
    monkeypatch.setattr(waiting, "GRACE", 0)
    assert process() == (ALL, (0, 0))
    shutil.rmtree(folder)
    monkeypatch.setenv("CARC_ENV_QUIET", "1")
    assert process() == ((0, 0), ALL)
    assert capsys.readouterr() == ("", "")


@needs_compiler
def test_the_seconds_of_several_functions_are_one_sum(process, monkeypatch, capsys):
    clock = iter(range(10000))
    monkeypatch.setattr(waiting.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(waiting, "GRACE", 3)  # in ticks of this clock; no single function takes so many
    process()
    assert capsys.readouterr().err.count("compiling functions") == 1


@needs_compiler
def test_long_compiling_is_told_of_again(process, monkeypatch, capsys):
    clock = iter(range(10000))
    monkeypatch.setattr(waiting.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(waiting, "GRACE", 0)
    monkeypatch.setattr(waiting, "AGAIN", 0)
    process()
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith("carc_env: compiling functions ")
    assert others and all(re.fullmatch(r"carc_env: still compiling, \d+ seconds so far", line) for line in others)


@needs_compiler
def test_a_place_that_cannot_be_written_is_told_of(process, folder, monkeypatch, capsys):
    monkeypatch.setattr(waiting, "GRACE", 0)
    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    assert process() == process() == ((0, 0), ALL)
    assert capsys.readouterr().err == (
        "carc_env: compiling functions that are used for the first time (seconds to a minute); kept nowhere: "
        "no cache folder is writable (CARC_ENV_CACHE_DIR can name another one)\n"
    )


@needs_compiler
def test_waiting_is_told_of(process, folder, monkeypatch, capsys):
    monkeypatch.setattr(waiting, "PATIENCE", 0.02)
    monkeypatch.setattr(waiting, "GRACE", 0)
    with filelock.FileLock(folder / "lock"):
        process()
    first, second = capsys.readouterr().err.splitlines()
    assert first == "carc_env: waiting for another process that compiles (seconds to a minute)"
    assert second.startswith("carc_env: compiling functions ")


@needs_compiler
@pytest.mark.parametrize("stderr", [None, "closed"])
def test_nobody_to_tell(process, tmp_path, monkeypatch, stderr):
    monkeypatch.setattr(waiting, "GRACE", 0)
    if stderr == "closed":
        stderr = (tmp_path / "log").open("w")
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert process() == ((0, 0), ALL)


@needs_compiler
def test_somebody_who_watches_is_told_of_each_step(process, monkeypatch, capsys):
    told = []
    monkeypatch.setattr(waiting, "GRACE", 0)
    monkeypatch.setattr(waiting, "watch", told.append)
    process()
    assert set(told) == {"compiling"} and len(told) >= ALL[1]
    assert capsys.readouterr() == ("", "")


@needs_compiler
def test_only_loading(process, folder):
    with waiting.only_loading(), pytest.raises(waiting.NotCompiled):
        process()
    process()
    with waiting.only_loading():
        assert process() == (ALL, (0, 0))


# --- another version of numba -----------------------------------------------------------------------------------------
MISSING = """
import builtins

def import_most(name, names=None, *rest, **more):
    if name == "numba.core.NAME" and names and names["__name__"] == "carc_env.compiling.private":
        raise ImportError("cannot import it")
    return import_all(name, names, *rest, **more)

import_all, builtins.__import__ = builtins.__import__, import_most
"""
DOCTOR = """
from carc_env.commands.doctor import findings, report
print(report(findings()))
"""


@needs_compiler
@pytest.mark.parametrize("name", ["serialize", pytest.param("compiler", marks=stress)])
def test_names_that_numba_does_not_promise_are_missing(python, tmp_path, name):
    """Checks that everything works, that nothing is stored, and that `carc doctor` says so."""
    out = outcome(python(f"{MISSING.replace('NAME', name)}{CALL_ALL}{DOCTOR}", package=ROOT))
    assert f"; (0, 0); {ALL}" in out
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert "\ncompiled code      not kept: every process compiles again\n" in out
    assert f"0.0 MB: numba {numba.__version__} is not what the cache was made for: cannot import it\n" in out


@needs_compiler
@pytest.mark.parametrize("name", ["save", "load", "key", "dispatcher"])
def test_numba_fails_at_caching(process, monkeypatch, name, capsys):
    """Checks that everything works, and that the cache is no longer used, if a private feature of numba fails or is
    missing.
    """

    def fail(*_: object) -> None:
        raise TypeError("this takes other arguments now")

    if name == "load":
        process()
    njit = jit.njit
    with monkeypatch.context() as patch:
        if name == "dispatcher":
            patch.setattr(jit, "njit", lambda **options: lambda function: without_cache(njit(**options)(function)))
        elif name == "key":
            patch.delattr(numba.core.codegen.CPUCodegen, "magic_tuple")
        else:
            patch.setattr(private.CompileResult, {"save": "_reduce", "load": "_rebuild"}[name], fail)
        assert process() == ((0, 0), ALL)
    reason = cache.kept_nowhere()
    assert reason.startswith(f"numba {numba.__version__} is not what the cache was made for: ")
    assert process() == ((0, 0), ALL), "it is not tried again"
    assert capsys.readouterr() == ("", "")


def without_cache(dispatcher):
    """Return the dispatcher without the attribute `_cache`, as in a numba that has no cache or keeps it elsewhere."""
    if hasattr(dispatcher, "_cache"):
        del dispatcher._cache
    return dispatcher


# --- memory -----------------------------------------------------------------------------------------------------------
def freed_too_soon(function: ast.FunctionDef) -> list[str]:
    """Return the names of the arrays of records that a function creates, and whose last use takes out a record. numba
    frees an array after its last use, and so before that record is used. A use in a loop that began after the array was
    created never counts as the last one.
    """
    made: dict[str, ast.AST] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target, value in zip(*(parts(side) for side in (node.targets[0], node.value))):
                kind = ast.unparse(value.args[-1]) if isinstance(value, ast.Call) and len(value.args) == 2 else ""
                if ast.unparse(value).startswith(("np.empty(", "np.zeros(")) and not kind.startswith("np."):
                    made[ast.unparse(target)] = node
    found = []
    for name, begin in made.items():
        inside = {id(node) for loop in loops(function) if loop.lineno > begin.lineno for node in ast.walk(loop)}
        uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]
        last = max(uses, key=lambda node: (node.lineno, node.col_offset))
        taken = [
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
        ]
        if last in taken and id(last) not in inside:
            found.append(name)
    return found


def parts(side: ast.expr) -> list[ast.expr]:
    """Return the single expressions on one side of an assignment, which can assign several values at once."""
    return side.elts if isinstance(side, ast.Tuple) else [side]


def loops(function: ast.FunctionDef) -> list[ast.stmt]:
    return [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]


def test_records_are_not_used_after_their_array_was_freed():
    wrong = ast.parse("def f(games):\n    trials = np.empty(1, games.dtype)\n    games[0] = trials[0]").body[0]
    right = ast.parse("def f(games):\n    trials = np.empty(1, games.dtype)\n    games[:1] = trials").body[0]
    assert (freed_too_soon(wrong), freed_too_soon(right)) == (["trials"], [])
    functions = [
        (path.name, node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    assert len(functions) > 500
    assert [(file, node.name) for file, node in functions if freed_too_soon(node)] == []
