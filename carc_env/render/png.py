"""Render a whole drawing with resvg, as PNG. For many pictures of the same size, pixels.py is faster."""

import importlib
import io
from types import ModuleType
from typing import Any

from carc_env.render.facts import Table
from carc_env.render.svg import svg


def png(game: Table, width: int = 1200) -> bytes:
    """Return the picture of a game as the bytes of a PNG file with the given width. The height of the picture depends
    on the proportions of the board.
    """
    return rasterise(svg(game), width)


def rasterise(drawing: str, width: int, height: int | None = None) -> bytes:
    """Render an SVG drawing as the bytes of a PNG file with the given width."""
    resvg, _ = modules()
    return bytes(resvg.svg_to_bytes(svg_string=drawing, width=width, height=height, skip_system_fonts=True))


def image_of(drawing: str, width: int, height: int) -> Any:
    """Render an SVG drawing as an RGBA image (PIL.Image) of the given size."""
    _, image = modules()
    with image.open(io.BytesIO(rasterise(drawing, width, height))) as picture:
        return picture.convert("RGBA")


def modules() -> tuple[ModuleType, ModuleType]:
    """Import and return the modules resvg_py and PIL.Image. Only functions that render pictures as pixels need these
    packages. If one of these packages is missing, the function raises ImportError, and the message says which package
    to install.
    """
    return _module("resvg_py", "resvg-py"), _module("PIL.Image", "pillow")


def _module(name: str, package: str) -> ModuleType:
    """Import and return a module that is needed only to render pictures as pixels. If the module is missing, the
    function raises ImportError, and the message says which package to install.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"drawing pixels needs the package {package}: pip install {package}") from error
