"""Tests of `carc doctor`, which reports what is installed and compiled, and compiles the rest on request."""

import ast
import json
import os
import select
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import carc_env
from carc_env.commands import doctor
from carc_env.compiling import cache, jit, waiting
from carc_env.rules.state import whole_game

needs_compiler = pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")


def test_findings(carc):
    found = carc("doctor", "--compile", "--json").json
    assert found["carc_env"] == carc_env.__version__
    assert set(found["versions"]) == {"numpy", "numba", "llvmlite", "gymnasium"} and all(found["versions"].values())
    assert found["record_bytes"] == whole_game(25).itemsize
    assert found["presets"] == list(carc_env.presets())
    assert found["sheets"] == [
        {"name": "france", "title": "Carcassonne Maps: France (reconstruction)", "reconstruction": True}
    ]
    assert found["first_game_s"] >= 0
    assert list(found["call_us"]) == ["Game.play", "Game.legal_actions", "Games.step, a game"]
    assert all(0 < cost < 1e5 for cost in found["call_us"].values())
    assert "unofficial fan implementation" in found["notice"]


def test_what_is_compiled(carc):
    carc("doctor", "--compile")
    found = carc("doctor", "--json").json  # the command before has compiled everything
    assert found["all_compiled"] and found["kept_nowhere"] is None
    assert (found["compiled_now"], found["compiled_now_signatures"]) == (0, 0)
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        assert (found["compiler"], found["cache"], found["compiled_before"]) == ("off", None, 0)
    else:
        assert found["compiled_before_signatures"] >= found["compiled_before"] > 10
        assert found["loaded_signatures"] >= found["loaded"] >= 0
        assert found["cache_bytes"] > 1e6
        assert found["cache"] == str(cache.cache_folder())
        assert found["compiler"] == ("on, bounds checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "on")


@needs_compiler
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_it_only_informs(carc_process, tmp_path, words):
    """Without `--compile`, the command compiles nothing, plays nothing and waits for nothing, even if the cache is
    empty.
    """
    process = carc_process(
        "doctor", *words, env=os.environ | {"CARC_ENV_CACHE_DIR": str(tmp_path), "CARC_ENV_QUIET": ""}
    )
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and err == ""
    assert not list(tmp_path.rglob("*.nbc"))
    if words:
        found = json.loads(out)
        assert (found["all_compiled"], found["first_game_s"], found["call_us"], found["compiled_now"]) == (
            False,
            None,
            {},
            0,
        )
    else:
        assert "\ncompiled code      not compiled yet: `carc doctor --compile` compiles it\n" in out
        assert "first calls" not in out and "a later call" not in out


@pytest.mark.long
@needs_compiler
def test_compiling_can_be_interrupted(carc_process, tmp_path):
    """Ctrl-C interrupts compiling. What has been compiled stays in the cache, and no unfinished file is left."""
    process = carc_process("doctor", "--compile", env=os.environ | {"CARC_ENV_CACHE_DIR": str(tmp_path)})
    while not list(tmp_path.rglob("*.nbc")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, ""), err
    *lines, last = err.splitlines()
    assert last == "carc: interrupted" and all(line.startswith("carc: compiling, ") for line in lines)
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".nbc", ""}  # the lock file has no suffix


def test_the_report_for_people(carc):
    outcome = carc("doctor")
    assert outcome.status == 0 and outcome.err == ""
    assert f"carc_env           {carc_env.__version__}\n" in outcome.out
    assert "sheets             france (a reconstruction, not the publisher's layout)\n" in outcome.out
    assert outcome.out.endswith(doctor.NOTICE + "\n")


def test_the_report_says_what_had_to_be_compiled():
    found = doctor.findings() | {
        "compiler": "on",
        "compiled_before": 3,
        "compiled_before_signatures": 5,
        "compiled_now": 4,
        "compiled_now_signatures": 6,
        "all_compiled": True,
        "kept_nowhere": None,
        "cache": "here",
        "cache_bytes": 1_500_000,
        "other_caches": 2,
        "other_caches_bytes": 3e9,
        "first_game_s": 1.234,
        "loaded": 7,
        "loaded_signatures": 8,
        "call_us": {"Game.play": 5.65, "Games.step, a game": 1234.5},
        "extras": {"web": {"starlette": None, "uvicorn": "1.0"}, "dev": {"pytest": "9"}},
    }
    report = doctor.report(found)
    assert "compiled code      4 functions (6 versions) compiled now, 3 functions (5 versions) before\n" in report
    assert "cache              here, 1.5 MB\n" in report
    assert (
        "first calls        1.23 s for all functions and all presets, including compiling or loading; "
        "7 functions (8 versions) loaded\n"
    ) in report
    assert (
        "other caches       2, 3,000.0 MB, from other versions of the sources; `carc doctor --clean` removes them\n"
        in report
    )
    assert "a later call       Game.play 5.7 µs, Games.step, a game 1,234 µs\n" in report
    nowhere = doctor.report(found | {"cache": None, "kept_nowhere": "no folder can be written", "all_compiled": False})
    assert "cache              none: no folder can be written\n" in nowhere
    assert "compiled code      not kept: every process compiles again\n" in nowhere
    part = doctor.report(found | {"all_compiled": False})
    assert (
        "compiled code      3 functions (5 versions); the rest is not compiled yet: `carc doctor --compile` compiles it\n"
    ) in part
    assert "first calls" not in part and "a later call" not in part
    found["sheets"] = [{"name": "mine", "title": "Mine", "reconstruction": False}, *found["sheets"]]
    assert "sheets             mine, france (a reconstruction, " in doctor.report(found)
    assert "extra [web]        missing: starlette\n" in report and "extra [dev]        installed\n" in report


def steps(monkeypatch, parts: int = 100) -> None:
    """Replace compiling by `parts` steps that do nothing."""

    def play(begin: Callable[[int], object]) -> float:
        for part in range(parts):
            begin(part)
            waiting.watch("compiling")
        waiting.watch("waiting")
        return 1.5

    monkeypatch.setattr(doctor, "play_all", play)
    monkeypatch.setattr(doctor, "N_PARTS", parts)


def test_progress_in_a_few_lines(monkeypatch, capsys):
    steps(monkeypatch)
    assert doctor.compile_all() == 1.5 and waiting.watch is None
    out, err = capsys.readouterr()
    *lines, before, last = err.splitlines()
    assert out == "" and lines == [f"carc: compiling, {done} of 100 parts done" for done in range(0, 100, 10)]
    assert before == "carc: waiting for another process that compiles, 99 of 100 parts done"
    assert last == "carc: compiling, 100 of 100 parts done"


def test_the_parts_are_counted(monkeypatch):
    monkeypatch.setattr(doctor, "PLAYS", [lambda config: None for _ in doctor.PLAYS])
    parts = []
    doctor.play_all(parts.append)
    assert parts == list(range(doctor.N_PARTS))


def test_nothing_is_shown_where_all_is_compiled(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "play_all", lambda begin: 0.5)
    assert doctor.compile_all() == 0.5
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("rich", [True, False])
def test_progress_on_a_terminal(monkeypatch, rich):
    """With rich, progress is shown as a bar. Without rich, it is shown in the same lines as without a terminal."""
    steps(monkeypatch)
    monkeypatch.setenv("TERM", "xterm")
    if rich:
        pytest.importorskip("rich", reason="it comes with the extra train")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    ours, theirs = pytest.importorskip("pty", reason="no terminals on this system").openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        doctor.compile_all()
        written = b""
        while select.select([ours], [], [], 0.5)[0]:
            written += os.read(ours, 100_000)
    os.close(ours)
    shown = written.decode()
    assert ("100/100" in shown and "\x1b[" in shown) if rich else shown.count("carc: compiling, ") == 11


def test_extras_are_those_of_the_package(monkeypatch):
    monkeypatch.setattr(
        doctor.importlib.metadata,
        "requires",
        lambda name: ["numpy>=2.0", "pytest>=8; extra == 'dev'", 'no-such-thing>=1; extra == "web"'],
    )
    assert doctor.extras() == {"dev": {"pytest": doctor.installed("pytest")}, "web": {"no-such-thing": None}}


@needs_compiler
def test_clean_removes_the_caches_of_other_sources(carc, monkeypatch, tmp_path):
    ours = tmp_path / cache.cache_folder().name
    others = [tmp_path / "0123456789abcdef-plain", tmp_path / "0123456789abcdef-checked"]
    strange = [tmp_path / "0123456789abcdef", tmp_path / "notes-plain"]
    for folder in (ours, *others, *strange):
        folder.mkdir()
        (folder / "a.nbc").write_bytes(b"x" * 1_000_000)
    monkeypatch.setattr(cache, "cache_folder", lambda: ours)
    monkeypatch.setattr(doctor, "findings", lambda compiling: {})
    assert cache.other_folders() == sorted(others)
    outcome = carc("doctor", "--clean", "--json")
    assert outcome.json == {} and outcome.err == "removed 2 other caches, 2.0 MB\n"
    assert set(tmp_path.iterdir()) == {ours, *strange}


# --- what is compiled -------------------------------------------------------------------------------------------------
PACKAGE = Path(carc_env.__file__).parent

# Files whose calls of compiled functions `carc doctor --compile` does not cover. The keys are the beginnings of paths.
LEFT_OUT = {
    "searching/": "search bots",
    "bots/expectimax.py": "a search bot",
    "arena/long_rollouts.py": "rollouts for puzzles",
    "arena/puzzle_search.py": "rollouts for puzzles",
    "arena/noted_": "data for training",
    "commands/bench.py": "measurements",
    "envs/gpu.py": "games on a GPU",
}
CALLS = """
import json, sys
from carc_env.commands import doctor

def note(frame, event, argument):
    if event == "call" and frame.f_back:
        calls.add(tuple(f"{one.f_globals.get('__name__')}.{one.f_code.co_name}" for one in (frame.f_back, frame)))

calls = set()
sys.setprofile(note)
doctor.play_some("everything")
sys.setprofile(None)
print(json.dumps(list(calls)))
"""


def test_every_function_that_python_calls_is_compiled():
    """Checks that `carc doctor --compile` calls every compiled function that Python code names, outside the files in
    LEFT_OUT. Without the compiler, these calls take only a few seconds.
    """
    compiled, named = compiled_functions(), named_by_python()
    wanted = {function: files for function, paths in named.items() if (files := [p for p in paths if not left_out(p)])}
    assert len(compiled) > 500 and len(wanted) > 50
    out = subprocess.run(
        [sys.executable, "-c", CALLS],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=PACKAGE.parent,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    reached = {called for caller, called in json.loads(out) if called in compiled and caller not in compiled}
    assert {function: files for function, files in wanted.items() if function not in reached} == {}
    for begin in LEFT_OUT:
        assert any(path.startswith(begin) for paths in named.values() for path in paths), f"{begin} names none any more"


def left_out(path: str) -> bool:
    return path == "commands/doctor.py" or path.startswith(tuple(LEFT_OUT))


def trees() -> Iterator[tuple[str, str, ast.Module]]:
    """Yield the path, the name and the syntax tree of each module."""
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        name = ".".join(["carc_env", *path.with_suffix("").parts]).removesuffix(".__init__")
        yield path.as_posix(), name, ast.parse(file.read_text(encoding="utf-8"))


def is_compiled(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(mark).startswith("jit") for mark in node.decorator_list
    )


def compiled_functions() -> set[str]:
    return {f"{module}.{node.name}" for _, module, tree in trees() for node in tree.body if is_compiled(node)}


def named_by_python() -> dict[str, list[str]]:
    """Return the compiled functions that are named outside compiled functions, each with the files that name it."""
    compiled, found = compiled_functions(), defaultdict(list)
    for path, module, tree in trees():
        names = {node.name: f"{module}.{node.name}" for node in tree.body if is_compiled(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for function in {full_name(node, names) for node in outside(tree)} & compiled:
            found[function].append(path)
    return found


def outside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes that are not part of a compiled function."""
    for child in ast.iter_child_nodes(node):
        if not is_compiled(child):
            yield child
            yield from outside(child)


def full_name(node: ast.AST, names: dict[str, str]) -> str | None:
    """Return the full name of the function to which the expression `function` or `module.function` refers, or None."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{names.get(node.value.id)}.{node.attr}"
    return None
