"""The drawing as pixels: PNG bytes for files, an array for Gymnasium's `rgb_array`."""

import importlib
import io
from types import ModuleType

import numpy as np

from carc_env.render.facts import Table
from carc_env.render.svg import svg

FRAME = (800, 600)  # width and height of `rgb_array`, in pixels
DETAIL = 1.35  # a frame is laid out this much larger and then scaled down, so that the board gets more of it


def png(game: Table, width: int = 1200) -> bytes:
    """The picture of a game as a PNG file of the given width, its height following from the board."""
    return rasterise(svg(game), width)


def rgb_array(game: Table, size: tuple[int, int] = FRAME) -> np.ndarray:
    """The picture of a game as uint8[height, width, 3]; always of the same size, the board fitted into it."""
    image = _module("PIL.Image", "pillow")
    layout = (round(size[0] * DETAIL), round(size[1] * DETAIL))
    with image.open(io.BytesIO(rasterise(svg(game, size=layout), *size))) as picture:
        return np.array(picture.convert("RGB"))


def rasterise(drawing: str, width: int, height: int | None = None) -> bytes:
    """An SVG drawing as a PNG file of the given width."""
    resvg = _module("resvg_py", "resvg-py")
    return bytes(resvg.svg_to_bytes(svg_string=drawing, width=width, height=height, skip_system_fonts=True))


def _module(name: str, package: str) -> ModuleType:
    """A module that only pixels need; says what to install when it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"drawing pixels needs the package {package}: pip install {package}") from error
