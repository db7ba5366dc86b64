"""Saves a whole game as a movie: an animated GIF or an animated SVG."""

import io
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.common.errors import FileError, PictureError
from carc_env.games.game import Game
from carc_env.games.replay import replay, retrace
from carc_env.render import FRAME, laid_out, modules, rgb_array
from carc_env.render.animation import animation
from carc_env.render.svg import fit

MOVIES = (".gif", ".svg")  # kinds of movie files
DELAY, HOLD = 0.6, 4.0  # seconds for each picture, and minimum number of seconds for the last picture
SHORTEST, LONGEST = 0.02, 60  # limits of `delay`, in seconds; viewers replace a shorter delay by a longer one
COLOURS = 255
SAMPLES = 4  # the number of pictures from which the colours of a GIF are computed

Show = Callable[[int], None]  # a function that is called with the number of pictures made so far


def save_movie(
    game: Game | Mapping[str, Any], path: PathLike[str] | str, delay: float = DELAY, show: Show = lambda made: None
) -> int:
    """Save a game as an animated GIF or SVG. The movie has one picture of the start and one picture for each action
    that a player chose.

    Args:
        game: a Game or a game record. The engine plays forced actions itself. A forced action appears in the picture of
            the action before it.
        path: the path of the movie, which must end in .gif or .svg.
        delay: the number of seconds for which each picture is shown. The last picture is shown for at least HOLD
            seconds.
        show: a function that is called after each picture, with the number of pictures made so far.

    Returns:
        The number of pictures. A GIF has no picture for an action without a visible effect.

    Raises:
        PictureError: if the path ends in neither .gif nor .svg, or the delay is out of range.
        FileError: if the file cannot be written.
        RecordError: if the record cannot be replayed.
    """
    suffix = movie_kind(path)
    if not SHORTEST <= delay <= LONGEST:
        raise PictureError(f"delay = {delay}: should be from {SHORTEST} to {LONGEST} seconds")
    whole = game if isinstance(game, Game) else replay(game)
    data, pictures = _animated_svg(whole, delay, show) if suffix == ".svg" else _gif(whole, delay, show)
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        raise FileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return pictures


def movie_kind(path: PathLike[str] | str) -> str:
    """Return the suffix of a movie file in lower case. Raises PictureError if the suffix is unknown."""
    suffix = Path(path).suffix.lower()
    if suffix not in MOVIES:
        raise PictureError(f"movie {path}: the name should end in {' or '.join(MOVIES)}")
    return suffix


def _animated_svg(whole: Game, delay: float, show: Show) -> tuple[bytes, int]:
    made = 0

    def states() -> Iterator[Game]:
        nonlocal made
        for _, state in retrace(whole.record()):
            yield state
            made += 1
            show(made)

    return animation(states(), whole, delay, max(delay, HOLD)).encode(), made


def _gif(whole: Game, delay: float, show: Show) -> tuple[bytes, int]:
    """Return the bytes of a GIF and the number of pictures in it."""
    _, image = modules()
    palette, before = _palette(whole), None
    pictures: list[Any] = []
    durations: list[float] = []
    for number, frame in enumerate(frames(whole), 1):
        picture = image.fromarray(frame).quantize(palette=palette, dither=image.Dither.NONE)
        if picture.tobytes() == before:
            durations[-1] += delay
        else:
            pictures.append(picture)
            durations.append(delay)
        before = picture.tobytes()
        show(number)
    durations[-1] = max(durations[-1], HOLD)
    out = io.BytesIO()
    pictures[0].save(
        out,
        "gif",
        save_all=True,
        append_images=pictures[1:],
        duration=[round(1000 * seconds) for seconds in durations],
        loop=0,
        optimize=True,
    )  # the palette has 256 entries: 255 colours, and one entry that marks unchanged pixels
    return out.getvalue(), len(pictures)


def frames(whole: Game) -> Iterator[np.ndarray]:
    """Yield the pictures of a game from beginning to end, as arrays uint8[height, width, 3]. All pictures have the
    scale of the last picture.
    """
    layout = fit(whole, [], laid_out(FRAME))
    for _, state in retrace(whole.record()):
        yield rgb_array(state, layout=layout)


def _palette(whole: Game) -> Any:
    """Return an image with the colour palette of all pictures of the GIF. The palette is computed from a few pictures
    of the game.
    """
    _, image = modules()
    states = sum(1 for _ in retrace(whole.record()))
    wanted = set(np.linspace(0, states - 1, SAMPLES).round().astype(int).tolist())
    layout = fit(whole, [], laid_out(FRAME))
    samples = [
        rgb_array(state, layout=layout) for number, (_, state) in enumerate(retrace(whole.record())) if number in wanted
    ]
    return image.fromarray(np.concatenate(samples)).quantize(COLOURS, image.Quantize.MEDIANCUT)
