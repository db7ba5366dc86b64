"""Plot three charts over the moves of a game: the players' points, the expected margin, and the points that each move
lost.
"""

from collections.abc import Sequence
from typing import NamedTuple

from carc_env.common import palette as p
from carc_env.common.lettering import fitting_size, text, text_width
from carc_env.common.markup import circle, element, number, path, title_element

WIDTH, HEIGHT = 960.0, 716.0
LEFT, RIGHT = 62.0, 938.0
POINTS, MARGIN, LOST = (60.0, 290.0), (352.0, 512.0), (574.0, 668.0)  # y at the top and bottom of each chart
LEAST_MARGIN = 5  # the chart shows at least the margins from -LEAST_MARGIN to LEAST_MARGIN
NAME_WIDTH = 110.0  # greatest width of the name of a player
BAR = 2.4  # half of the width of a bar, if there is enough space
NAMED = 3  # the maximum number of bars with a label; the largest losses are labelled
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Answer(NamedTuple):
    """What the plot shows about one move."""

    move: int  # the number of the move in the game
    player: int
    lost: float  # points
    scores: Sequence[int]  # after the move
    margin: float | None = None  # this player's expected margin after the move; None if it is not known


def plot(title: str, answers: Sequence[Answer], names: Sequence[str]) -> str:
    """Return the plot of a game as SVG. The list of moves must not be empty."""
    last = answers[-1].move
    points = max(1, *(max(answer.scores) for answer in answers))
    lost = max(1.0, *(answer.lost for answer in answers))
    low = min(0, *(min(answer.scores) for answer in answers))
    across = Axis(0, last, LEFT, RIGHT)
    most = max(LEAST_MARGIN, *(abs(answer.margin or 0) for answer in answers))
    middle = Axis(-most, most, MARGIN[1], MARGIN[0])
    up, down = Axis(low, points, POINTS[1], POINTS[0]), Axis(0, lost, LOST[0], LOST[1])
    return (
        element(
            "svg",
            title_element(title),
            element("rect", width="100%", height="100%", fill=p.TABLE),
            text(title, LEFT, 26, 11),
            _legend(names),
            _grid(across, up, "points"),
            _grid(across, middle, f"expected margin of {names[0]}" if len(names) == 2 else "expected margins"),
            _grid(across, down, "points lost"),
            *(_curve(player, answers, across, up) for player in range(len(names))),
            *_margins(answers, len(names), across, middle),
            _bars(answers, across, down),
            *(text(str(x), across.at(x), HEIGHT - 28, 7.5, p.FAINT_INK, "middle") for x in across.ticks(12)),
            text("moves", RIGHT, HEIGHT - 10, 7.5, p.FAINT_INK, "end"),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(WIDTH)} {number(HEIGHT)}",
            width=number(WIDTH),
            height=number(HEIGHT),
            role="img",
        )
        + "\n"
    )


class Axis(NamedTuple):
    """An axis that maps the range from `low` to `high` to the coordinates between `first` and `last`."""

    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        """Return the coordinate at which this axis shows a value."""
        return self.first + (self.last - self.first) * (value - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> range:
        """Return round numbers as tick marks of the axis. The maximum number of tick marks is `most` + 1."""
        step = next((step for step in STEPS if (self.high - self.low) / step <= most), STEPS[-1])
        return range(-int(-self.low // step) * step, int(self.high) + 1, step)


def _legend(names: Sequence[str]) -> str:
    """Return the legend at the right edge. The legend shows the name and the colour of each player."""
    parts, x = [], RIGHT
    for name, (_, colour) in reversed(list(zip(names, p.PLAYERS))):
        size = fitting_size(name, 8.5, NAME_WIDTH)
        x -= text_width(name, size)
        parts += [text(name, x, 25, size), circle(x - 11, 21, 5, colour)]
        x -= 34
    return "".join(parts)


def _grid(across: Axis, along: Axis, name: str) -> str:
    """Return the background of a chart, with a line for each tick."""
    top, bottom = sorted((along.first, along.last))
    lines = [path(f"M{LEFT} {number(along.at(y))}H{RIGHT}", stroke=p.CARD_LINE, width=1) for y in along.ticks(6)]
    words = [text(str(y), LEFT - 12, along.at(y) + 3.5, 7.5, p.FAINT_INK, "end") for y in along.ticks(6)]
    return element(
        "g",
        element(
            "rect",
            x=LEFT - 4,
            y=top - 8,
            width=RIGHT - LEFT + 8,
            height=bottom - top + 16,
            rx=8,
            fill=p.CARD,
            stroke=p.CARD_LINE,
        ),
        *lines,
        *words,
        text(name, LEFT, top - 16, 7.5, p.FAINT_INK),
    )


def _curve(player: int, answers: Sequence[Answer], across: Axis, up: Axis) -> str:
    """Return the curve of a player's points, with a step at each move that changed the points."""
    d = f"M{number(across.at(0))} {number(up.at(0))}" + "".join(
        f"H{number(across.at(answer.move))}V{number(up.at(answer.scores[player]))}" for answer in answers
    )
    return path(
        d,
        stroke=p.PLAYERS[player][1],
        width=2.4,
        stroke_linejoin="round",
        class_="points",
        data_player=player,
        data_points=answers[-1].scores[player],
    )


def _margins(answers: Sequence[Answer], players: int, across: Axis, up: Axis) -> list[str]:
    """Return the curves of the expected margin. Only moves whose expected margin is known appear in a curve. In a game
    of two players, a single curve shows the margin of the first player at the moves of both players. In a game of three
    or more players, each player has a curve, which shows this player's margin at the player's own moves.
    """
    known = [(answer.move, answer.player, answer.margin) for answer in answers if answer.margin is not None]
    if players == 2:
        lines = {0: [(move, -margin if player else margin) for move, player, margin in known]}
    else:
        lines = {seat: [(move, margin) for move, player, margin in known if player == seat] for seat in range(players)}
    return [
        path(
            "M" + "L".join(f"{number(across.at(move))} {number(up.at(margin))}" for move, margin in line),
            stroke=p.INK if players == 2 else p.PLAYERS[seat][1],
            width=2,
            stroke_linejoin="round",
            class_="margin",
            data_player=seat,
            data_margin=round(line[-1][1], 2),
        )
        for seat, line in lines.items()
        if line
    ]


def _bars(answers: Sequence[Answer], across: Axis, down: Axis) -> str:
    """Return a bar for each move that lost points. The longest bars are labelled with the numbers of their moves."""
    half = min(BAR, max(0.5, 0.4 * (across.at(1) - across.at(0))))
    parts = []
    for answer in answers:
        if answer.lost > 0:
            x = across.at(answer.move)
            parts.append(
                path(
                    f"M{number(x - half)} "
                    f"{LOST[0]}H{number(x + half)}V{number(down.at(answer.lost))}H{number(x - half)}Z",
                    p.PLAYERS[answer.player][1],
                    class_="lost",
                    data_move=answer.move,
                    data_lost=round(answer.lost, 2),
                )
            )
    worst = sorted(answers, key=lambda answer: -answer.lost)[:NAMED]
    names = [
        text(str(answer.move), across.at(answer.move) + half + 4, min(down.at(answer.lost), LOST[1]), 7, p.INK)
        for answer in worst
        if answer.lost > 0
    ]
    return "".join(parts) + "".join(names)
