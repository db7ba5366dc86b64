"""`carc doctor`: it tells what is installed and compiled, and compiles the rest."""

import os

import carc_env
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
    assert "unofficial fan implementation" in found["notice"]


def test_what_is_compiled(carc):
    carc("doctor")
    found = carc("doctor", "--json").json  # so all is there by now
    assert found["compiled_now"] == 0
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        assert (found["compiler"], found["cache"], found["compiled_before"]) == ("off", None, 0)
    else:
        assert found["compiled_before"] > 50
        assert found["cache"] == str(jit.cache_folder())
        assert found["compiler"] == ("on, bounds checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "on")


def test_the_report_for_people(carc):
    outcome = carc("doctor")
    assert outcome.status == 0 and outcome.err == ""
    assert f"carc_env           {carc_env.__version__}\n" in outcome.out
    assert "sheets             france (a reconstruction, not the publisher's layout)\n" in outcome.out
    assert outcome.out.endswith(doctor.NOTICE + "\n")


def test_the_report_says_what_had_to_be_compiled():
    found = doctor.findings() | {"compiler": "on", "compiled_before": 3, "compiled_now": 4,
                                 "extras": {"web": {"starlette": None, "uvicorn": "1.0"}, "dev": {"pytest": "9"}}}
    report = doctor.report(found)
    assert "4 functions compiled now, 3 were" in report
    found["sheets"] = [{"name": "mine", "title": "Mine", "reconstruction": False}, *found["sheets"]]
    assert "sheets             mine, france (a reconstruction, " in doctor.report(found)
    assert "extra [web]        missing: starlette\n" in report and "extra [dev]        installed\n" in report


def test_extras_are_those_of_the_package(monkeypatch):
    monkeypatch.setattr(doctor.importlib.metadata, "requires", lambda name: [
        "numpy>=2.0", "pytest>=8; extra == 'dev'", 'no-such-thing>=1; extra == "web"'])
    assert doctor.extras() == {"dev": {"pytest": doctor.installed("pytest")}, "web": {"no-such-thing": None}}
