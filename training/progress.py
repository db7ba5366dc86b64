"""Reports the progress of a training run, as a live display on a terminal or as lines of text."""

import importlib.util
import math
import sys
from types import TracebackType
from typing import Any

from .config import TrainConfig


class Progress:
    """Shows the metrics of every update. An object of this class is used in a `with` block."""

    def __init__(self, config: TrainConfig):
        self._config = config
        self._first: tuple[float, float] | None = None  # update and minutes at the first report
        self._live: Any = None

    def __enter__(self) -> "Progress":
        if sys.stdout.isatty() and importlib.util.find_spec("rich"):
            from rich.live import Live

            self._live = Live(refresh_per_second=2)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, row: dict[str, float]) -> None:
        """Show the metrics of an update."""
        words = self.words(row)
        if self._live is None:
            print("  ".join(f"{name} {text}" for name, text in words.items()), flush=True)
            return
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        for name, text in words.items():
            table.add_row(name, text)
        table.add_row("", ProgressBar(self._config.updates, row["update"], width=40))
        self._live.update(table)

    def words(self, row: dict[str, float]) -> dict[str, str]:
        """Return the metrics of an update as strings."""
        against = ", ".join(f"{name} {percent(row[f'win_{name}'])}" for name in ("self", "past", "greedy", "random"))
        words = {
            "update": f"{row['update']}/{self._config.updates}",
            "decisions": f"{row['steps']:,}",
            "games/s": f"{row['games_per_s']:.0f}",
            "decisions/s": "" if math.isnan(row["decisions_per_s"]) else f"{row['decisions_per_s']:,.0f}",
            "return": signed(row["return"]),
            "wins": f"{percent(row['win_rate'])} ({against})",
            "illegal": str(row["illegal"]),
        }
        if not math.isnan(row.get("lesson_loss", math.nan)):
            words = {"lesson": f"{row['update']}/{self._config.lessons}", "loss": f"{row['lesson_loss']:.3f}"}
        if not math.isnan(row.get("check", math.nan)):
            words["best play against greedy"] = f"{percent(row['check'])} ({row['check_margin']:+.1f} points)"
        words["left"] = self._left(row)
        return words

    def _left(self, row: dict[str, float]) -> str:
        """Return the remaining time as a string. Returns `?` after the first update, because compiling may have slowed
        down the first update.
        """
        if self._first is None:
            self._first = row["update"], row["minutes"]
            return "?"
        updates, minutes = row["update"] - self._first[0], row["minutes"] - self._first[1]
        left = (self._config.updates - row["update"]) * minutes / updates
        left = min(left, max(0.0, self._config.max_minutes - row["minutes"]))
        return f"{int(left)}:{int(left % 1 * 60):02} min"


def signed(value: float) -> str:
    """Return a number with its sign, or a dash for nan."""
    return "-" if math.isnan(value) else f"{value:+.2f}"


def percent(share: float) -> str:
    """Return a fraction as a percentage, or a dash for nan."""
    return "-" if math.isnan(share) else f"{share:.0%}"
