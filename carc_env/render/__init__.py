"""Functions that show a game. `svg` returns an SVG drawing. `png` and `rgb_array` return pixels. `ansi` returns the
board as text, and `line` returns a one-line summary.
"""

from carc_env.render.ansi import ansi
from carc_env.render.files import PICTURE_WIDTH, picture_kind, save
from carc_env.render.one_line import line
from carc_env.render.pixels import FRAME, laid_out, rgb_array
from carc_env.render.plot import Answer, plot
from carc_env.render.png import image_of, modules, png, rasterise
from carc_env.render.sheet_text import sheet_letters
from carc_env.render.svg import sheet_svg, svg

__all__ = [
    "FRAME",
    "PICTURE_WIDTH",
    "Answer",
    "ansi",
    "image_of",
    "laid_out",
    "line",
    "modules",
    "picture_kind",
    "plot",
    "png",
    "rasterise",
    "rgb_array",
    "save",
    "sheet_letters",
    "sheet_svg",
    "svg",
]
