"""`carc doctor`: it tells what is installed and compiled, and compiles the rest when asked to."""

import json
import os
import select
import signal
import sys

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
    found = carc("doctor", "--json").json  # so all is there by now
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
    """On an empty cache nothing is compiled, played or waited for."""
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
        assert "first game" not in out and "a call" not in out


@pytest.mark.long
@needs_compiler
def test_compiling_can_be_interrupted(carc_process, tmp_path):
    """In the middle; what was compiled by then is kept, whole."""
    process = carc_process("doctor", "--compile", env=os.environ | {"CARC_ENV_CACHE_DIR": str(tmp_path)})
    while not list(tmp_path.rglob("*.nbc")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, ""), err
    *lines, last = err.splitlines()
    assert last == "carc: interrupted" and all(line.startswith("carc: compiling, ") for line in lines)
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".nbc", ""}  # the latter is the lock


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
    assert "compiled code      4 functions (6 signatures) compiled now, 3 functions (5 signatures) before\n" in report
    assert "cache              here, 1.5 MB\n" in report
    assert "first game         1.23 s, including compiling or loading; 7 functions (8 signatures) loaded\n" in report
    assert (
        "other caches       2, 3,000.0 MB, from other versions of the sources; `carc doctor --clean` removes them\n"
        in report
    )
    assert "a call             Game.play 5.7 µs, Games.step, a game 1,234 µs\n" in report
    nowhere = doctor.report(found | {"cache": None, "kept_nowhere": "no folder can be written", "all_compiled": False})
    assert "cache              none: no folder can be written\n" in nowhere
    assert "compiled code      not kept: every process compiles again\n" in nowhere
    part = doctor.report(found | {"all_compiled": False})
    assert (
        "compiled code      3 functions (5 signatures); the rest is not compiled yet: `carc doctor --compile` compiles it\n"
    ) in part
    assert "first game" not in part and "a call" not in part
    found["sheets"] = [{"name": "mine", "title": "Mine", "reconstruction": False}, *found["sheets"]]
    assert "sheets             mine, france (a reconstruction, " in doctor.report(found)
    assert "extra [web]        missing: starlette\n" in report and "extra [dev]        installed\n" in report


def steps(monkeypatch, times: int = 100) -> None:
    """Compiling that does nothing, in so many steps."""

    def play() -> float:
        for _ in range(times):
            waiting.watch("compiling")
        waiting.watch("waiting")
        return 1.5

    done = iter([*range(times), times - 1])
    monkeypatch.setattr(doctor, "play_all", play)
    monkeypatch.setattr(jit, "functions", lambda: times)
    monkeypatch.setattr(jit, "at_hand", lambda: next(done) + 1)


def test_progress_in_a_few_lines(monkeypatch, capsys):
    steps(monkeypatch)
    assert doctor.compile_all() == 1.5 and waiting.watch is None
    out, err = capsys.readouterr()
    assert out == "" and 10 <= err.count("\n") <= 12
    assert err.startswith("carc: compiling, 1 of 100 functions done\ncarc: compiling, 10 of 100 functions done\n")
    assert err.endswith("carc: waiting for another process that compiles, 100 of 100 functions done\n")


def test_nothing_is_shown_where_all_is_compiled(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "play_all", lambda: 0.5)
    assert doctor.compile_all() == 0.5
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("rich", [True, False])
def test_progress_on_a_terminal(monkeypatch, rich):
    """A bar, or the same lines where rich is not installed."""
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
