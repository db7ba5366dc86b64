"""Pictures of a game: `svg` is the one drawing, `png` and `rgb_array` show it as pixels, `ansi` is text."""

from carc_env.render.ansi import ansi
from carc_env.render.png import png, rasterise, rgb_array
from carc_env.render.sheet_text import sheet_letters
from carc_env.render.svg import sheet_svg, svg

__all__ = ["ansi", "png", "rasterise", "rgb_array", "sheet_letters", "sheet_svg", "svg"]
