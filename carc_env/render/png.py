"""The drawing as pixels, rendered as a whole by resvg: PNG bytes for files. See pixels.py for many frames of one
size.
"""

import importlib
import io
from types import ModuleType
from typing import Any

from carc_env.render.facts import Table
from carc_env.render.svg import svg


def png(game: Table, width: int = 1200) -> bytes:
    """The picture of a game as a PNG file with the given width. The height follows from the board."""
    return rasterise(svg(game), width)


def rasterise(drawing: str, width: int, height: int | None = None) -> bytes:
    """An SVG drawing as a PNG file of the given width."""
    resvg, _ = modules()
    return bytes(resvg.svg_to_bytes(svg_string=drawing, width=width, height=height, skip_system_fonts=True))


def image_of(drawing: str, width: int, height: int) -> Any:
    """An SVG drawing as a PIL.Image RGBA of the given size."""
    _, image = modules()
    with image.open(io.BytesIO(rasterise(drawing, width, height))) as picture:
        return picture.convert("RGBA")


def modules() -> tuple[ModuleType, ModuleType]:
    """The modules that only pixels need, resvg_py and PIL.Image. Raises ImportError that says what to install."""
    return _module("resvg_py", "resvg-py"), _module("PIL.Image", "pillow")


def _module(name: str, package: str) -> ModuleType:
    """A module that only pixels need. Raises ImportError that says what to install if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"drawing pixels needs the package {package}: pip install {package}") from error
