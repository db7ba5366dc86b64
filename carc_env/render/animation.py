"""Draw a whole game as one animated SVG. Each element, such as a tile or a figure, occurs only once in the drawing. The
animation shows an element only in those states of the game in which the element is present.

An invisible element serves as the clock: its animation lasts as long as the whole movie, and then begins again. All
other elements appear and disappear at times that are counted from the start of the clock's animation (SMIL `set`). A
viewer without support for animation shows the last state.
"""

from collections.abc import Iterable, Iterator

from carc_env.common.markup import element, move
from carc_env.render import sheet_art
from carc_env.render.facts import Table, chips_face_down, lying_on, sheet_of
from carc_env.render.panel import cards, panel_place
from carc_env.render.pixels import defined
from carc_env.render.svg import (
    asked_cells,
    board_transform,
    borders,
    coordinates,
    figures,
    fit,
    frame,
    frames,
    ingots,
    picture,
    tile_lying,
    tower_points,
    towns_covered,
)
from carc_env.render.tile_art import towers_at
from carc_env.systems.map_chips.signs import chips

CLOCK = "clock"  # the id of the animation to which all times are relative
Layer = tuple[int, ...]  # the layer of an element: (layer,) on the board, or (card, part) on the panel
Span = tuple[int, int | None]  # the first state with an element, and the first later state without it (None: never)


def animation(states: Iterable[Table], last: Table, delay: float, hold: float) -> str:
    """Return an animated SVG that shows the states of a game in order, one at a time. The last state is shown for
    `hold` seconds, and every other state for `delay` seconds.

    Args:
        states: the states of the game in order. Each state is drawn before the next one is requested. Therefore,
            the iterable may change one object and yield it again for each state.
        last: the last state, which determines the size of the board.
    """
    layout, n = fit(last, [], None), 0
    spans: dict[tuple[Layer, str], list[Span]] = {}
    for n, state in enumerate(states, 1):
        note(spans, n - 1, shown(state))
    last_start, whole = (n - 1) * delay, (n - 1) * delay + hold
    board = [timed(text, of, n, delay) for (layer, text), of in in_order(spans) if len(layer) == 1]
    panel = [timed(text, of, n, delay) for (layer, text), of in in_order(spans) if len(layer) == 2]
    sheet = sheet_of(last)
    if sheet:
        board.insert(0, sheet_art.sheet_art(sheet))
    inside = "".join(board + panel)
    return picture(
        f"A game in {n} pictures, {last_start:.0f} seconds",
        layout,
        defined(inside, True),
        clock(whole),
        coordinates(layout),
        element("g", *board, transform=board_transform(layout)),
        element("g", *panel, class_="panel", transform=move(*panel_place(last, layout.width, layout.height))),
    )


def shown(game: Table) -> Iterator[tuple[Layer, str]]:
    """Yield the drawn elements of one state of a game, each with its layer."""
    board, sheet = game.board(), sheet_of(game)
    layers = (
        [chips([square]) for square in (chips_face_down(game) if sheet else ())],
        [tile_lying(tile) for tile in board],
        [borders([tile]) for tile in board],
        [towers_at({corner}) for corner in sorted(tower_points(board))],
        [sheet_art.covered_towns([town]) for town in (towns_covered(sheet, board) if sheet else ())],
        [system.draw(*thing) for system, thing in lying_on(game, board)],
        [frame(*where) for where in frames(game, board, asked_cells(game))],
        [figures([tile]) for tile in board if tile.figures],
        [ingots([tile]) for tile in board if tile.ingots],
    )
    yield from (((layer,), text) for layer, texts in enumerate(layers) for text in texts)
    for number, card in enumerate(cards(game, board)):
        yield from (((number, i), element("g", part, transform=move(0, card.top))) for i, part in enumerate(card.parts))


def note(spans: dict[tuple[Layer, str], list[Span]], state: int, now: Iterable[tuple[Layer, str]]) -> None:
    """Update the time spans in which the elements are visible. `state` is the index of a state, and `now` contains the
    elements that are visible in this state. The caller must pass the states in ascending order. If an element has
    disappeared, its current time span ends. If an element has appeared, its next time span begins.
    """
    now = dict.fromkeys(now)
    for key, of in spans.items():
        if of[-1][1] is None and key not in now:
            of[-1] = of[-1][0], state
    for key in now:
        of = spans.setdefault(key, [])
        if not of or of[-1][1] is not None:
            of.append((state, None))


def in_order(spans: dict[tuple[Layer, str], list[Span]]) -> list[tuple[tuple[Layer, str], list[Span]]]:
    """Return the elements from the bottom layer to the top layer. Within a layer, sort the elements by their first
    appearance.
    """
    return sorted(spans.items(), key=lambda item: item[0][0])


def clock(whole: float) -> str:
    """Return the clock: an invisible element whose animation lasts `whole` seconds and repeats."""
    return element(
        "g",
        element(
            "animate", id=CLOCK, attributeName="opacity", values="1;1", dur=f"{whole:.6g}s", begin=f"0s;{CLOCK}.end"
        ),
    )


def timed(text: str, of: list[Span], states: int, delay: float) -> str:
    """Return an element that is visible only during the given time spans. A viewer without support for animation shows
    the element if it is part of the last state.
    """
    if of == [(0, None)]:
        return text
    is_last = of[-1][1] is None
    changes = [0] * is_last + [edge for span in of for edge in span if edge is not None]
    pairs = [(a, b) for a, b in zip(changes[::2], changes[1::2]) if a != b]
    sets = (
        element(
            "set",
            attributeName="visibility",
            to="hidden" if is_last else "visible",
            begin=f"{CLOCK}.begin+{a * delay:.6g}s",
            end=f"{CLOCK}.begin+{b * delay:.6g}s",
        )
        for a, b in pairs
    )
    return element("g", text, *sets, visibility="visible" if is_last else "hidden")
