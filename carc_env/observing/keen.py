"""Reads the heuristic weights (prices) of the bot `keen` from `keen.toml`. The command `python -m training.tune_prices`
writes `keen.toml`.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.boxes.prospect_parts import Part
from carc_env.common import toml
from carc_env.common.errors import ConfigError
from carc_env.observing.prospects import LEARNED, MOST_HELD, PRICES, SHUNNED, default_prices

KEEN = Path(__file__).with_name("keen.toml")
TABLES = ("parts", "early", "hands", LEARNED, *SHUNNED)  # fields of PRICES that are not a single number
SINGLE = tuple(name for name in PRICES.names or () if name not in TABLES)


@cache
def _kept() -> np.ndarray:
    return prices_in(KEEN)


def keen_prices() -> np.ndarray:
    """The heuristic weights of the bot `keen`: an array of one PRICES record."""
    return _kept().copy()


def text_of_prices(prices: np.ndarray) -> str:
    """Return heuristic weights as a string in TOML format. The TOML table `parts` contains one weight for each
    heuristic estimate (`Part`), in points. For each weight in `parts`, the TOML table `early` contains a number that is
    added to this weight. In the last turns of the game, the added number shrinks to 0. Entry n of the list `hands`
    contains additional points for a player with n followers in supply. All other heuristic weights are single numbers.
    """
    one = prices[0]
    lines = ["# Written by `python -m training.tune_prices`; PRICES in observing/prospects.py describes each price."]
    lines += [f"{name} = {one[name]:.4g}" for name in SINGLE]
    lines += [f"hands = [{', '.join(f'{value:.4g}' for value in one['hands'])}]"]
    for table in ("parts", "early"):
        lines += ["", f"[{table}]", *(f"{part.name} = {one[table][part]:.4g}" for part in Part)]
    return "\n".join(lines) + "\n"


def prices_in(path: Path) -> np.ndarray:
    """Read heuristic weights from a TOML file, and return an array of one PRICES record. Raises ConfigError if the file
    does not contain valid weights.
    """
    try:
        found = toml.loads(path.read_text(encoding="utf-8"))
        prices = default_prices()
        for name in (*SINGLE, "hands"):
            prices[0][name] = found.pop(name)
        for table in ("parts", "early"):
            values: dict[str, Any] = found.pop(table)
            prices[0][table] = [values.pop(part.name) for part in Part]
            found |= values
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: not a file of heuristic weights such as {KEEN.name}: {error}") from None
    if found:
        raise ConfigError(f"{path}: there is no heuristic weight called {', '.join(found)}")
    if not np.isfinite(list(map(float, prices[0]["parts"]))).all() or len(prices[0]["hands"]) != MOST_HELD + 1:
        raise ConfigError(f"{path}: the heuristic weights should be finite numbers")
    return prices
