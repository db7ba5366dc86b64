"""`carc doctor`: it tells what is installed and compiled, and compiles the rest."""

import os

import carc_env
import pytest
from carc_env import doctor, jit
from carc_env.rules.state import GAME


def test_findings(carc):
    found = carc("doctor", "--json").json
    assert found["carc_env"] == carc_env.__version__
    assert set(found["versions"]) == {"numpy", "numba", "llvmlite", "gymnasium"} and all(found["versions"].values())
    assert found["record_bytes"] == GAME.itemsize
    assert found["presets"] == list(carc_env.presets())
    assert found["sheets"] == [{"name": "france", "title": "Carcassonne Maps: France (reconstruction)",
                                "reconstruction": True}]
    assert found["first_game_s"] >= 0
    assert list(found["call_us"]) == ["Game.play", "Game.legal_actions", "Games.step, a game"]
    assert all(0 < cost < 1e5 for cost in found["call_us"].values())
    assert "unofficial fan implementation" in found["notice"]


def test_what_is_compiled(carc):
    carc("doctor")
    found = carc("doctor", "--json").json  # so all is there by now
    assert (found["compiled_now"], found["compiled_now_signatures"]) == (0, 0)
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        assert (found["compiler"], found["cache"], found["compiled_before"]) == ("off", None, 0)
    else:
        assert found["compiled_before_signatures"] >= found["compiled_before"] > 50
        assert found["loaded_signatures"] >= found["loaded"] >= 0
        assert found["cache_bytes"] > 1e6
        assert found["cache"] == str(jit.cache_folder())
        assert found["compiler"] == ("on, bounds checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "on")


def test_the_report_for_people(carc):
    outcome = carc("doctor")
    assert outcome.status == 0 and outcome.err == ""
    assert f"carc_env           {carc_env.__version__}\n" in outcome.out
    assert "sheets             france (a reconstruction, not the publisher's layout)\n" in outcome.out
    assert outcome.out.endswith(doctor.NOTICE + "\n")


def test_the_report_says_what_had_to_be_compiled():
    found = doctor.findings() | {"compiler": "on", "compiled_before": 3, "compiled_before_signatures": 5,
                                 "compiled_now": 4, "compiled_now_signatures": 6,
                                 "cache": "here", "cache_bytes": 1_500_000, "other_caches": 2, "other_caches_bytes": 3e9,
                                 "first_game_s": 1.234, "loaded": 7, "loaded_signatures": 8,
                                 "call_us": {"Game.play": 5.65, "Games.step, a game": 1234.5},
                                 "extras": {"web": {"starlette": None, "uvicorn": "1.0"}, "dev": {"pytest": "9"}}}
    report = doctor.report(found)
    assert "compiled code      4 functions (6 signatures) compiled now, 3 functions (5 signatures) were\n" in report
    assert "cache              here, 1.5 MB\n" in report
    assert "first game         1.23 s, compiling or loading included; 7 functions (8 signatures) loaded\n" in report
    assert "other caches       2, 3,000.0 MB, of other sources; `carc doctor --clean` removes them\n" in report
    assert "a call             Game.play 5.7 µs, Games.step, a game 1,234 µs\n" in report
    assert "cache              none: no folder can be written" in doctor.report(found | {"cache": None})
    found["sheets"] = [{"name": "mine", "title": "Mine", "reconstruction": False}, *found["sheets"]]
    assert "sheets             mine, france (a reconstruction, " in doctor.report(found)
    assert "extra [web]        missing: starlette\n" in report and "extra [dev]        installed\n" in report


def test_extras_are_those_of_the_package(monkeypatch):
    monkeypatch.setattr(doctor.importlib.metadata, "requires", lambda name: [
        "numpy>=2.0", "pytest>=8; extra == 'dev'", 'no-such-thing>=1; extra == "web"'])
    assert doctor.extras() == {"dev": {"pytest": doctor.installed("pytest")}, "web": {"no-such-thing": None}}


@pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")
def test_clean_removes_the_caches_of_other_sources(carc, monkeypatch, tmp_path):
    ours = tmp_path / jit.cache_folder().name
    others = [tmp_path / "0123456789abcdef-plain", tmp_path / "0123456789abcdef-checked"]
    strange = [tmp_path / "0123456789abcdef", tmp_path / "notes-plain"]
    for folder in (ours, *others, *strange):
        folder.mkdir()
        (folder / "a.nbc").write_bytes(b"x" * 1_000_000)
    monkeypatch.setattr(jit, "cache_folder", lambda: ours)
    monkeypatch.setattr(doctor, "findings", lambda: {})
    assert jit.other_folders() == sorted(others)
    outcome = carc("doctor", "--clean", "--json")
    assert outcome.json == {} and outcome.err == "removed 2 other caches, 2.0 MB\n"
    assert set(tmp_path.iterdir()) == {ours, *strange}
