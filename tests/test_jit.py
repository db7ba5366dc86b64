"""The cache of compiled code: several processes and threads at once, folders that cannot be written, workers."""

import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import carc_env
import numpy as np
import pytest
from carc_env import jit

ROOT = Path(__file__).parents[1]
needs_compiler = pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")

# A module in place of the engine, which takes a minute to compile: each function is called with three signatures.
FUNCTIONS = 4
STAND_IN = "from carc_env.jit import jit\n\n@jit\ndef twice(x):\n    return x + x\n" + "".join(
    f"\n@jit\ndef f{i}(x):\n    return twice(x) + {i}\n" for i in range(1, FUNCTIONS))
ALL = (FUNCTIONS, 3 * FUNCTIONS)
CALL = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import numpy as np
import stand_in
from carc_env import jit

def right(call):
    function, x = call
    return np.all(getattr(stand_in, function)(x) == 2 * x + int(function.strip("ftwice") or 0))

calls = [(name, x) for name in vars(stand_in) if name[0] == "f" or name == "twice" for x in (3, 1.5, np.arange(4))]
"""
CALL_ALL = CALL + """
assert all(map(right, calls))
print(jit.cache_folder(), jit.loaded(), jit.compiled(), sep="; ")
"""
CALL_AT_ONCE = CALL + """
if sys.argv[1] == "no locks":  # and slow at saving, so that they do so at the same time
    jit.fcntl = None
    dump = jit.IndexDataCacheFile._dump
    jit.IndexDataCacheFile._dump = lambda files, data: time.sleep(0.1) or dump(files, data)
seed = int(sys.argv[2])
calls = [calls[i - i % 3 + (i + seed) % 3] for i in range(len(calls))]  # the same function, with another signature
print("ready", flush=True)
sys.stdin.read()
with ThreadPoolExecutor(2) as threads:
    assert all(threads.map(right, calls))
print(jit.compiled()[1])
"""
FORK = CALL + """
import os, signal, threading
begun = threading.Event()

def compile_slowly():
    with jit.global_compiler_lock:
        begun.set()
        time.sleep(0.3)

threading.Thread(target=compile_slowly).start()
begun.wait()
if os.fork() == 0:
    signal.alarm(60)
    os._exit(not right(calls[0]))
print(os.waitstatus_to_exitcode(os.wait()[1]), right(calls[0]))
"""


@pytest.fixture
def python(tmp_path):
    """Start a Python that imports the stand-in, with a cache of its own and further environment variables."""
    (tmp_path / "stand_in.py").write_text(STAND_IN)

    def start(program: str, *words: object, package: Path = ROOT, **environment: object) -> subprocess.Popen:
        environment = {"CARC_ENV_CACHE_DIR": tmp_path / "cache", "PYTHONPATH": f"{tmp_path}{os.pathsep}{package}"} | environment
        return subprocess.Popen([sys.executable, "-B", "-c", program, *map(str, words)], text=True, cwd=tmp_path,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=os.environ | {name: str(value) for name, value in environment.items()})
    return start


def outcome(process: subprocess.Popen) -> str:
    """What a process printed, which must end well."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and err == "", err
    return out.strip()


def expected(folder: object, loaded: tuple = (0, 0), compiled: tuple = (0, 0)) -> str:
    """What CALL_ALL prints."""
    name = f"{jit.source_hash()}-{jit.checking_mode()}"
    return f"{folder and folder / name}; {loaded}; {compiled}"


# --- several at once --------------------------------------------------------------------------------------------------
@needs_compiler
@pytest.mark.parametrize("locks", ["locks", "no locks"])
def test_processes_that_compile_at_once(python, tmp_path, locks):
    """Each has two threads. With locks nothing is compiled twice; without, no entry of the cache is lost or mixed up."""
    processes = [python(CALL_AT_ONCE, locks, seed) for seed in range(4)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 4
    for process in processes:
        process.stdin.close()
        process.stdin = None
    compiled = [int(outcome(process)) for process in processes]
    if locks == "locks" and jit.fcntl:
        assert sum(compiled) == ALL[1]
    assert outcome(python(CALL_ALL)) == expected(tmp_path / "cache", loaded=ALL)


@needs_compiler
@pytest.mark.skipif(not jit.fcntl, reason="no locks on this system")
def test_patience_ends(python, tmp_path):
    """Somebody has the lock and does not let go."""
    held = "lock = open(jit.cache_folder() / 'lock', 'ab')\njit.fcntl.flock(lock, jit.fcntl.LOCK_EX)\njit.PATIENCE = 0.1\n"
    assert outcome(python(CALL + held + CALL_ALL)) == expected(tmp_path / "cache", compiled=ALL)


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_while_another_thread_compiles(python):
    assert outcome(python(FORK)) == "0 True"


def play(seed: int) -> list[int]:
    """A short game; its answers."""
    game, rng, answers = carc_env.Game("base", seed=seed), np.random.default_rng(seed), []
    while not game.is_over and len(answers) < 60:
        legal = game.legal_actions()
        answers.append(int(legal[rng.integers(len(legal))]))
        game.play(answers[-1])
    return [*answers, *map(int, game.scores)]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_play_the_same_games(method):
    own = [play(0), play(1)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(play, [0, 1]) == own


# --- folders ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def nowhere(tmp_path) -> Path:
    """A path where nobody can make a folder, not even root."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "folder"


@needs_compiler
def test_read_only_installation_and_no_folder_for_the_cache(python, tmp_path, nowhere):
    package = tmp_path / "site"
    shutil.copytree(ROOT / "carc_env", package / "carc_env", ignore=shutil.ignore_patterns("__pycache__"))
    files = sorted(package.rglob("*"))
    for path in [package, *files]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        process = python(CALL_ALL, package=package, CARC_ENV_CACHE_DIR="", HOME=nowhere, XDG_CACHE_HOME="")
        assert outcome(process) == expected(None, compiled=ALL)
        assert sorted(package.rglob("*")) == files
    finally:
        for path in [package, *files]:
            path.chmod(0o755)


@needs_compiler
def test_the_named_folder_cannot_be_written(python, tmp_path, nowhere):
    places = {"CARC_ENV_CACHE_DIR": nowhere, "XDG_CACHE_HOME": tmp_path}
    assert outcome(python(CALL_ALL, **places)) == expected(tmp_path / "carc_env", compiled=ALL)
    assert outcome(python(CALL_ALL, **places)) == expected(tmp_path / "carc_env", loaded=ALL)


@needs_compiler
def test_the_folder_is_gone_by_the_time_of_compiling(python, tmp_path):
    goes = CALL + "import shutil\nshutil.rmtree(jit.cache_folder())\njit.cache_folder().touch()\n" + CALL_ALL
    assert outcome(python(goes)) == expected(tmp_path / "cache", compiled=ALL)


@needs_compiler
def test_files_cut_short_are_compiled_anew(python, tmp_path):
    outcome(python(CALL_ALL))
    for number, path in enumerate((tmp_path / "cache").rglob("*.nbc")):
        os.truncate(path, [0, 1, path.stat().st_size // 2][number % 3])
    assert outcome(python(CALL_ALL)) == expected(tmp_path / "cache", compiled=ALL)
    assert outcome(python(CALL_ALL)) == expected(tmp_path / "cache", loaded=ALL)


def test_the_compiler_is_off(python, tmp_path):
    assert outcome(python(CALL + "assert all(map(right, calls))", NUMBA_DISABLE_JIT=1)) == ""
    assert not (tmp_path / "cache").exists()


def test_which_folder_is_taken(monkeypatch, tmp_path):
    """The first that can be written; else the first that is there; else none."""
    name = f"{jit.source_hash()}-{jit.checking_mode()}"
    named, user = tmp_path / "named" / name, tmp_path / "user" / "carc_env" / name
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    take = jit.cache_folder.__wrapped__
    monkeypatch.setattr(jit, "_writable", lambda folder: False)
    assert take() is None
    user.mkdir(parents=True)
    assert take() == user
    monkeypatch.setattr(jit, "_writable", lambda folder: folder == named)
    assert take() == named
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", "named")
    assert take() == named  # also after a change of folders
    monkeypatch.delenv("CARC_ENV_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # a user without a home
    assert take() is None
