"""Save pictures of games and empty map sheets as files. The suffix of the file name selects SVG or PNG."""

from os import PathLike
from pathlib import Path

from carc_env.boxes.sheets import Sheet
from carc_env.common.errors import FileError, PictureError
from carc_env.render.facts import Table
from carc_env.render.png import rasterise
from carc_env.render.svg import sheet_svg, svg

PICTURES = (".svg", ".png")  # the allowed suffixes of picture files
PICTURE_WIDTH = 1400  # the width of a PNG file, in pixels


def save(subject: Table | Sheet | str, path: PathLike[str] | str) -> None:
    """Save a picture of `subject` as an SVG or PNG file. `subject` is a game, an empty map sheet, or the text of an SVG
    drawing. Raises PictureError if the suffix is neither .svg nor .png. Raises FileError if the file cannot be written.
    """
    suffix = picture_kind(path)
    drawing = (
        subject if isinstance(subject, str) else sheet_svg(subject) if isinstance(subject, Sheet) else svg(subject)
    )
    data = drawing.encode() if suffix == ".svg" else rasterise(drawing, PICTURE_WIDTH)
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:  # an invalid file name causes a ValueError
        raise FileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def picture_kind(path: PathLike[str] | str) -> str:
    """Return the suffix of a picture file in lower case. Raises PictureError for an unknown suffix."""
    suffix = Path(path).suffix.lower() if isinstance(path, (str, PathLike)) else ""
    if suffix not in PICTURES:
        raise PictureError(f"picture {path}: the name should end in {' or '.join(PICTURES)}")
    return suffix
