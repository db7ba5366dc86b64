"""Draws letters as strokes, so that a picture needs no font.

Capital letters are 10 units high. Small letters without ascenders are 6.8 units high. The y coordinate grows downwards
from the baseline. A glyph consists of a width and an SVG path. The path starts at the left end of the baseline and uses
relative commands. The path of a line of text consists of the paths of its glyphs. Accented letters are drawn without
their accents.
"""

import unicodedata

from carc_env.common import palette as p
from carc_env.common.markup import move, path

GAP = 2.1  # space between two letters
CAPITAL = 10.0

_BOWL = "c0-2.2-.9-3.4-2.5-3.4s-2.5 1.2-2.5 3.4 .9 3.4 2.5 3.4 2.5-1.2 2.5-3.4"
_BOWL_RIGHT = "c0-2.2.9-3.4 2.5-3.4s2.5 1.2 2.5 3.4-.9 3.4-2.5 3.4-2.5-1.2-2.5-3.4"
_ARCH = "c.2-1.7 1.1-2.6 2.4-2.6 1.5 0 2.2.9 2.2 2.6v4.2"
_NARROW_ARCH = "c.2-1.7 1-2.6 2.1-2.6 1.4 0 2 .9 2 2.6v4.2"

GLYPHS = {
    "A": (7.0, "m0 0l3.5-10 3.5 10m-5.85-3.3h4.7"),
    "B": (5.8, "m0 0v-10h3.2a2.4 2.4 0 0 1 0 4.8h-3.2m3.2 0a2.6 2.6 0 0 1 0 5.2h-3.2"),
    "C": (6.6, "m6.6-8c-.6-1.3-1.6-2-3-2-2.4 0-3.6 2-3.6 5s1.2 5 3.6 5c1.4 0 2.4-.7 3-2"),
    "D": (6.5, "m0 0v-10h2.6c2.6 0 3.9 2 3.9 5s-1.3 5-3.9 5z"),
    "E": (5.2, "m5.2 0h-5.2v-10h5.2m-.8 4.8h-4.4"),
    "F": (5.0, "m0 0v-10h5m-.8 4.8h-4.2"),
    "G": (6.7, "m6.6-8c-.6-1.3-1.6-2-3-2-2.4 0-3.6 2-3.6 5s1.2 5 3.6 5c1.9 0 3.1-1 3.1-3v-1.4h-2.7"),
    "H": (6.2, "m0 0v-10m0 5h6.2m0-5v10"),
    "I": (0.4, "m.2 0v-10"),
    "J": (4.2, "m0-1.2c.4.8 1 1.2 1.9 1.2 1.5 0 2.3-1 2.3-2.8v-7.2"),
    "K": (6.1, "m0 0v-10m5.8 0l-5.8 6.2m2.2-2.3l3.9 6.1"),
    "L": (5.0, "m0-10v10h5"),
    "M": (7.8, "m0 0v-10l3.9 6.4 3.9-6.4v10"),
    "N": (6.2, "m0 0v-10l6.2 10v-10"),
    "O": (7.2, "m3.6-10c-2.4 0-3.6 2-3.6 5s1.2 5 3.6 5 3.6-2 3.6-5-1.2-5-3.6-5z"),
    "P": (6.0, "m0 0v-10h3.2a2.8 2.8 0 0 1 0 5.6h-3.2"),
    "Q": (7.2, "m3.6-10c-2.4 0-3.6 2-3.6 5s1.2 5 3.6 5 3.6-2 3.6-5-1.2-5-3.6-5zm.9 7.4l2.7 3"),
    "R": (5.9, "m0 0v-10h3.2a2.7 2.7 0 0 1 0 5.4h-3.2m3 0l2.9 4.6"),
    "S": (
        5.8,
        "m5.6-8.4c-.5-1-1.4-1.6-2.7-1.6-1.6 0-2.7 1-2.7 2.5 0 3.4 5.6 1.5 5.6 4.9"
        " 0 1.6-1.2 2.6-2.9 2.6-1.4 0-2.4-.7-2.9-1.8",
    ),
    "T": (6.6, "m0-10h6.6m-3.3 0v10"),
    "U": (6.2, "m0-10v6.6c0 2.2 1.1 3.4 3.1 3.4s3.1-1.2 3.1-3.4v-6.6"),
    "V": (6.8, "m0-10l3.4 10 3.4-10"),
    "W": (10.0, "m0-10l2.4 10 2.6-8.6 2.6 8.6 2.4-10"),
    "X": (6.0, "m0-10l6 10m0-10l-6 10"),
    "Y": (6.4, "m0-10l3.2 5.2 3.2-5.2m-3.2 5.2v4.8"),
    "Z": (5.8, "m0-10h5.8l-5.8 10h5.8"),
    "a": (5.0, "m5-6.8v6.8m0-3.4" + _BOWL),
    "b": (5.0, "m0-10v10m0-3.4" + _BOWL_RIGHT),
    "c": (4.6, "m4.6-5.6c-.4-.8-1.1-1.2-2-1.2-1.7 0-2.6 1.2-2.6 3.4s.9 3.4 2.6 3.4c.9 0 1.6-.4 2-1.2"),
    "d": (5.0, "m5-10v10m0-3.4" + _BOWL),
    "e": (4.9, "m.1-3.7h4.8c0-2-.9-3.1-2.4-3.1s-2.5 1.2-2.5 3.4 .9 3.4 2.6 3.4c.9 0 1.6-.4 2.1-1.2"),
    "f": (3.2, "m3.3-9.9c-1.4-.3-2.2.4-2.2 2v7.9m-1.1-6.6h3"),
    "g": (5.0, "m5-6.8v6.6c0 1.9-.9 2.9-2.5 2.9-1 0-1.7-.3-2.2-1m4.7-5.1" + _BOWL),
    "h": (4.6, "m0-10v10m0-4.2" + _ARCH),
    "i": (0.4, "m.2-6.8v6.8m0-9.5v.01"),
    "j": (1.4, "m1.2-6.8v7.2c0 1.5-.5 2.2-1.6 2.2m1.6-12.1v.01"),
    "k": (4.7, "m0-10v10m4.4-6.8l-4.4 4.3m1.7-1.6l3 4.1"),
    "l": (1.4, "m0-10v8.4c0 1.1.4 1.6 1.4 1.6"),
    "m": (8.2, "m0-6.8v6.8m0-4.2" + _NARROW_ARCH + "m0-4.2" + _NARROW_ARCH),
    "n": (4.6, "m0-6.8v6.8m0-4.2" + _ARCH),
    "o": (5.0, "m2.5-6.8c-1.6 0-2.5 1.2-2.5 3.4s.9 3.4 2.5 3.4 2.5-1.2 2.5-3.4-.9-3.4-2.5-3.4z"),
    "p": (5.0, "m0-6.8v9.5m0-6.1" + _BOWL_RIGHT),
    "q": (5.0, "m5-6.8v9.5m0-6.1" + _BOWL),
    "r": (2.9, "m0-6.8v6.8m0-4c.2-1.8 1.2-2.8 2.9-2.7"),
    "s": (
        4.3,
        "m4.1-5.7c-.4-.7-1.1-1.1-2-1.1-1.2 0-2 .7-2 1.7 0 2.4 4.2 1 4.2 3.3 0 1.1-.9 1.8-2.2 1.8-1 0-1.7-.4-2.1-1.1",
    ),
    "t": (3.2, "m1.2-9v7.2c0 1.3.6 1.9 2 1.8m-3.2-6.7h3"),
    "u": (4.6, "m0-6.8v4.2c0 1.7.7 2.6 2.2 2.6 1.3 0 2.2-.9 2.4-2.6m0-4.2v6.8"),
    "v": (4.8, "m0-6.8l2.4 6.8 2.4-6.8"),
    "w": (7.8, "m0-6.8l1.9 6.8 2-5.8 2 5.8 1.9-6.8"),
    "x": (4.4, "m0-6.8l4.4 6.8m0-6.8l-4.4 6.8"),
    "y": (4.8, "m0-6.8l2.5 6.8m2.3-6.8l-2.9 8.2c-.3.9-.8 1.3-1.9 1.2"),
    "z": (4.2, "m0-6.8h4.2l-4.2 6.8h4.2"),
    "0": (5.8, "m2.9-10c-1.9 0-2.9 1.9-2.9 5s1 5 2.9 5 2.9-1.9 2.9-5-1-5-2.9-5z"),
    "1": (5.8, "m1.1-8l2.4-2v10"),
    "2": (5.8, "m.3-7.6c.2-1.5 1.2-2.4 2.6-2.4 1.6 0 2.7 1 2.7 2.6 0 2.8-3.6 4.3-5.4 7.4h5.6"),
    "3": (
        5.8,
        "m.4-8.3c.4-1.1 1.3-1.7 2.5-1.7 1.6 0 2.5.9 2.5 2.3 0 1.5-1 2.3-2.8 2.3 1.9 0 3.1.9 3.1 2.6"
        " 0 1.7-1.2 2.8-2.9 2.8-1.4 0-2.4-.7-2.8-1.9",
    ),
    "4": (5.8, "m4.3 0v-10l-4.3 7h5.8"),
    "5": (5.8, "m5.2-10h-4.2l-.5 4.6c.6-.6 1.4-.9 2.3-.9 1.8 0 2.9 1.2 2.9 3.1s-1.2 3.2-3 3.2c-1.3 0-2.3-.6-2.7-1.7"),
    "6": (5.8, "m4.9-9.5c-2.9-1-4.8 1.4-4.8 5.8 0 2.4 1 3.7 2.8 3.7s2.9-1.3 2.9-3.2-1.1-3.1-2.8-3.1-2.9 1.2-2.9 3"),
    "7": (5.8, "m.2-10h5.5l-3.5 10"),
    "8": (
        5.8,
        "m2.9-10c-1.5 0-2.5.9-2.5 2.3s1 2.4 2.5 2.4 2.5-1 2.5-2.4-1-2.3-2.5-2.3z"
        "m0 4.7c-1.7 0-2.8 1-2.8 2.6s1.1 2.7 2.8 2.7 2.8-1.1 2.8-2.7-1.1-2.6-2.8-2.6z",
    ),
    "9": (5.8, "m.9-.5c2.9 1 4.8-1.4 4.8-5.8 0-2.4-1-3.7-2.8-3.7s-2.9 1.3-2.9 3.2 1.1 3.1 2.8 3.1 2.9-1.2 2.9-3"),
    " ": (2.2, ""),
    "-": (3.4, "m.2-4h3"),
    "+": (5.0, "m0-4h5m-2.5-2.5v5"),
    "_": (5.0, "m0 1h5"),
    ".": (0.4, "m.2 0v.01"),
    ",": (0.6, "m.5-.2l-.6 2"),
    ":": (0.4, "m.2-5.6v.01m0 5.5v.01"),
    "/": (3.6, "m0 1l3.6-11.6"),
    "=": (4.6, "m0-5.2h4.6m0 2.6h-4.6"),
    "'": (0.6, "m.4-10l-.2 3"),
    "(": (2.4, "m2.4-11c-1.6 1.8-2.4 3.8-2.4 6s.8 4.2 2.4 6"),
    ")": (2.4, "m0-11c1.6 1.8 2.4 3.8 2.4 6s-.8 4.2-2.4 6"),
    "?": (4.8, "m0-8c.2-1.3 1.1-2 2.4-2 1.5 0 2.4.9 2.4 2.3 0 2-2.4 2.2-2.4 4.5m0 3.1v.01"),
}
_UNKNOWN = (5.0, "m0 0v-10h5v10z")


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text if its capital letters have the height `size`."""
    units = sum(_glyph(c)[0] for c in text) + GAP * max(0, len(text) - 1)
    return units * size / CAPITAL


def fitting_size(text: str, size: float, width: float) -> float:
    """Return the largest letter size at which a line of text fits into `width`.

    The letter size is the height of capital letters. The result is at most `size`.
    """
    return min(size, width / max(1e-6, text_width(text, 1)))


def text_path(text: str) -> str:
    """Return the SVG path of a line of text in glyph units, starting at the origin."""
    x, strokes = 0.0, []
    for c in text:
        width, stroke = _glyph(c)
        if stroke:
            strokes.append(f"M{x:.4g} 0{stroke}")
        x += width + GAP
    return "".join(strokes)


def text(
    words: str, x: float, y: float, size: float, colour: str = p.INK, anchor: str = "start", weight: float = 1.25
) -> str:
    """Return a line of text as an SVG element, with capital letters of height `size`.

    `anchor` tells which part of the line lies at `x`: "start", "middle" or "end".
    """
    x -= text_width(words, size) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    round_ends = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return path(
        text_path(words),
        stroke=colour,
        width=weight,
        **round_ends,
        transform=move(x, y, size / CAPITAL),
        data_text=words,
    )


def _glyph(letter: str) -> tuple[float, str]:
    """Return the glyph of a letter: its width and its SVG path. An accented letter is drawn without its accent."""
    plain = letter if letter in GLYPHS else unicodedata.normalize("NFKD", letter)[0]
    return GLYPHS.get(plain, _UNKNOWN)
