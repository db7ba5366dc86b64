"""Plot ratings as dots with their confidence intervals. The highest rating comes first."""

from collections.abc import Sequence
from typing import NamedTuple

from carc_env.common import palette as p
from carc_env.common.lettering import fitting_size, text
from carc_env.common.markup import circle, element, number, path, title_element
from carc_env.render.plot import Axis

WIDTH, LEFT, RIGHT = 960.0, 250.0, 880.0
TOP, ROW, BOTTOM = 70.0, 34.0, 50.0  # space above the first row, height of a row, space below the last row


class Rating(NamedTuple):
    """The name, the rating and the confidence interval of a player in the plot."""

    name: str
    rating: float
    low: float  # the ends of the interval
    high: float


def ratings_plot(title: str, ratings: Sequence[Rating]) -> str:
    """Return the plot of ratings as SVG. The list of ratings must not be empty."""
    height = TOP + ROW * len(ratings) + BOTTOM
    low, high = min(rating.low for rating in ratings), max(rating.high for rating in ratings)
    across = Axis(low - 20, high + 20, LEFT, RIGHT)
    return (
        element(
            "svg",
            title_element(title),
            element("rect", width="100%", height="100%", fill=p.TABLE),
            text(title, 30, 32, fitting_size(title, 11, WIDTH - 60)),
            _grid(across, height),
            *(_row(rating, TOP + ROW * (place + 0.5), across) for place, rating in enumerate(ratings)),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(WIDTH)} {number(height)}",
            width=number(WIDTH),
            height=number(height),
            role="img",
        )
        + "\n"
    )


def _grid(across: Axis, height: float) -> str:
    """Return the background of the plot, with a line at each tick of the rating axis."""
    top, bottom = TOP - 10, height - BOTTOM + 10
    card = element(
        "rect", x=LEFT - 10, y=top, width=RIGHT - LEFT + 70, height=bottom - top, rx=8, fill=p.CARD, stroke=p.CARD_LINE
    )
    ticks = across.ticks(10)
    lines = [
        path(f"M{number(across.at(x))} {number(top)}V{number(bottom)}", stroke=p.CARD_LINE, width=1) for x in ticks
    ]
    words = [text(str(x), across.at(x), bottom + 20, 7.5, p.FAINT_INK, "middle") for x in ticks]
    return element("g", card, *lines, *words)


def _row(rating: Rating, y: float, across: Axis) -> str:
    """Return the drawing of a player's row: the name, the confidence interval and the rating."""
    return element(
        "g",
        text(rating.name, LEFT - 24, y + 4, fitting_size(rating.name, 8.5, LEFT - 54), anchor="end"),
        path(
            f"M{number(across.at(rating.low))} {number(y)}H{number(across.at(rating.high))}",
            stroke=p.FAINT_INK,
            width=3,
            stroke_linecap="round",
        ),
        circle(across.at(rating.rating), y, 5, p.PLAYERS[1][1]),
        text(f"{rating.rating:.0f}", across.at(rating.high) + 12, y + 4, 7.5),
        class_="rating",
        data_name=rating.name,
    )
