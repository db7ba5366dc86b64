"""Makes small drawings centred on the point (0, 0): figures, pieces on tiles, and symbols printed on tiles. The code of
each box in `carc_env.systems` defines the drawings of its figures, pieces and symbols.

Figures and castle tokens take the colour of their player from the SVG element that contains the drawing. All other
drawings have fixed colours. A symbol without a drawing of its own appears as a disc with a letter.
"""

import functools
from collections.abc import Callable

from carc_env.boxes.tiles import BOX_NAMES, BUILDINGS, FIGURES, symbols
from carc_env.common import palette as p
from carc_env.common.lettering import text
from carc_env.common.markup import circle, path
from carc_env.systems import SYSTEMS
from carc_env.systems.sign import BUILDING, SMALL, Sign, Wooden


# --- what is printed --------------------------------------------------------------------------------------------------
def plain_sign(name: str) -> str:
    """Return the sign for a symbol without a drawing: a disc with the first letter of its name."""
    return circle(0, 0, 8, p.PLASTER, p.WALL, 1.4) + text(name[0].upper(), 0, 4.2, 8.4, p.INK, "middle", 1.8)


def _all_signs() -> dict[str, Sign]:
    """Return the drawings (signs) of all symbols and buildings. If no box defines a drawing for a symbol or building,
    its drawing is a disc with the first letter of its name. The dict lists buildings first, then symbols on roads and
    cities, then symbols of a whole tile, and finally variants of symbols.
    """
    own = {name: sign for system in SYSTEMS for name, sign in system.signs.items()}
    printed = [symbol for symbol, meaning in symbols().items() if "building" not in meaning]
    plain = {name: Sign(functools.partial(plain_sign, name), room=SMALL) for name in printed}
    plain |= {name: Sign(functools.partial(plain_sign, name), room=BUILDING, in_middle=True) for name in BUILDINGS}
    found = own | {name: sign for name, sign in plain.items() if name not in own}
    buildings = list(BUILDINGS)

    def order(name: str) -> tuple[int, int]:
        if name in buildings:
            return 0, buildings.index(name)
        return (1, 0) if name not in printed else (2, ":" in name)

    return {name: found[name] for name in sorted(found, key=order)}


ALL_SIGNS = _all_signs()
SIGNS: dict[str, Callable[[], str]] = {name: sign.draw for name, sign in ALL_SIGNS.items()}
# maps the id of each piece to the function that draws the piece; the pieces have the order of their boxes
PIECES: dict[str, Callable[[], str]] = {
    name: draw
    for system in sorted(
        (system for system in SYSTEMS if system.pieces), key=lambda system: BOX_NAMES.index(system.box)
    )
    for name, draw in system.pieces.items()
}


def sign_id(sign: str) -> str:
    """Return the id that the drawing of a symbol has in an SVG document."""
    return "".join(letter if letter.isalnum() else "-" for letter in sign.lower())


# --- figures ----------------------------------------------------------------------------------------------------------
_wooden = {name: shape for system in SYSTEMS for name, shape in system.figures.items()}
SHAPES: dict[str, Wooden] = {name: _wooden[name] for name in FIGURES}
SCALES = {name: shape.scale for name, shape in SHAPES.items()}


def figure(kind: str) -> str:
    """Return a figure seen from the front. The feet of the figure are about 12 units below its middle."""
    d, mark = SHAPES[kind].outline, SHAPES[kind].mark
    halo = path(d, stroke=p.PLASTER, width=3, stroke_linejoin="round")
    body = path(d, None, p.FIGURE_LINE, 0.8, stroke_opacity=0.8, stroke_linejoin="round")
    return halo + body + (path(mark, stroke=p.PLASTER, width=1.5) if mark else "")


# --- houses -----------------------------------------------------------------------------------------------------------
def roof(x: float, y: float, across: bool, long: float = 4.8, wide: float = 3.5) -> tuple[str, str]:
    """Return a house seen from above, as two paths: the sunny half of its roof, and the shady half."""
    if across:
        sunny, shady = (x - long, y - wide, 2 * long, wide), (x - long, y, 2 * long, wide)
    else:
        sunny, shady = (x - wide, y - long, wide, 2 * long), (x, y - long, wide, 2 * long)
    first, second = (f"M{a:.4g} {b:.4g}h{w:.4g}v{h:.4g}h-{w:.4g}z" for a, b, w, h in (sunny, shady))
    return first, second
