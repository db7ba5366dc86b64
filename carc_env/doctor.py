"""`carc doctor`: what is installed, what is compiled, and whether it works here."""

import importlib.metadata
import os
import platform
import re
import time
from typing import Any

import carc_env
from carc_env import jit
from carc_env.rules.answers import N_ACTIONS
from carc_env.rules.state import GAME
from carc_env.sheets import RECONSTRUCTION, read_sheet, sheets

NOTICE = ("carc_env is an unofficial fan implementation, not affiliated with or endorsed by the makers of the board "
          "game Carcassonne.")
CORE = ("numpy", "numba", "llvmlite", "gymnasium")


def findings() -> dict[str, Any]:
    """All that `carc doctor` tells, as JSON knows it. Compiles what is not compiled yet."""
    before = compiled_functions()
    seconds = compile_all()
    return {
        "carc_env": carc_env.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "versions": {name: installed(name) for name in CORE},
        "compiler": "off" if not jit.is_compiled() else "on, bounds checked" if jit.checking_mode() == "checked" else "on",
        "cache": str(jit.cache_folder()) if jit.is_compiled() else None,
        "compiled_before": before,
        "compiled_now": compiled_functions() - before,
        "first_game_s": round(seconds, 3),
        "record_bytes": GAME.itemsize,
        "actions": N_ACTIONS,
        "presets": list(carc_env.presets()),
        "sheets": [{"name": name, "title": read_sheet(name).title, "reconstruction": read_sheet(name).reconstruction}
                   for name in sheets()],
        "extras": extras(),
        "notice": NOTICE,
    }


def report(found: dict[str, Any]) -> str:
    """The findings for people."""
    if found["compiler"] == "off":
        code = "the compiler is switched off"
    elif found["compiled_now"]:
        code = f"{found['compiled_now']} functions compiled now, {found['compiled_before']} were"
    else:
        code = f"{found['compiled_before']} functions, all found in the cache"
    rows = [
        ("carc_env", found["carc_env"]),
        ("Python", f"{found['python']} on {found['platform']}, {found['cpus']} processors"),
        ("libraries", ", ".join(f"{name} {version}" for name, version in found["versions"].items())),
        ("compiler", found["compiler"]),
        ("compiled code", code),
        ("cache", found["cache"] or "none"),
        ("first game", f"{found['first_game_s']:.2f} s, compiling or loading included"),
        ("a game", f"{found['record_bytes']:,} bytes, {found['actions']:,} action ids"),
        ("presets", ", ".join(found["presets"])),
        ("sheets", ", ".join(sheet["name"] + (f" ({RECONSTRUCTION})" if sheet["reconstruction"] else "")
                             for sheet in found["sheets"])),
        *((f"extra [{name}]", words(packages)) for name, packages in found["extras"].items()),
    ]
    return "\n".join([*(f"{name:18} {value}" for name, value in rows), "", found["notice"]])


def words(packages: dict[str, str | None]) -> str:
    """The packages of an extra in words."""
    missing = [name for name, version in packages.items() if version is None]
    return f"missing: {', '.join(missing)}" if missing else "installed"


def extras() -> dict[str, dict[str, str | None]]:
    """For each extra of the package the version of what it asks for, None where that is not installed.

    Empty when the package runs from a checkout without being installed.
    """
    try:
        wanted = importlib.metadata.requires("carc_env") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found: dict[str, dict[str, str | None]] = {}
    for requirement in wanted:
        if extra := re.search(r"extra == ['\"]([\w-]+)['\"]", requirement):
            name = re.match(r"[\w.-]+", requirement)[0]
            found.setdefault(extra[1], {})[name] = installed(name)
    return found


def installed(name: str) -> str | None:
    """The version of an installed package, None if it is not there."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def compiled_functions() -> int:
    """How many functions have compiled code in the cache."""
    return len(list(jit.cache_folder().rglob("*.nbi"))) if jit.is_compiled() else 0


def compile_all() -> float:
    """Play a few answers through every part that is compiled. Returns the seconds that it took."""
    from carc_env.bots import make

    began = time.perf_counter()
    game = carc_env.Game("goldmines", seed=0)
    game.play(int(game.legal_actions()[0]))
    carc_env.replay(game.record())
    games = carc_env.Games(game.config, 2, [0, 1])
    for bot in (make("random", seed=0), make("greedy", seed=0)):
        games.step(bot.choose_batch(games))
    games.legal_mask()
    games.observe(observation="both")
    game.provisional_scores()
    return time.perf_counter() - began
