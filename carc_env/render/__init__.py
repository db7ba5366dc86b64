"""Pictures of a game: `svg` (the one drawing), `png` and `rgb_array` (the same as pixels), `ansi` (as text)."""

from carc_env.render.ansi import ansi
from carc_env.render.png import png, rgb_array
from carc_env.render.svg import svg

__all__ = ["ansi", "png", "rgb_array", "svg"]
