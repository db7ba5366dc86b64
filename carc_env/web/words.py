"""Questions and moves in words for people, with the names of the seats and a description of the tiles."""

from carc_env.notation.texts import Shown
from carc_env.render.facts import Table, outcome_of
from carc_env.render.tile_words import tile_in_words, tile_turned
from carc_env.rules.state import Phase
from carc_env.systems import QUESTIONS
from carc_env.systems.where import Laid


def question_in_words(game: Table, names: list[str]) -> str:
    """The question and its player, or the winner."""
    if game.player is not None:
        return f"{names[game.player]} {asked_of(game)}"
    return outcome_of(game, names)


def question_to_you(game: Table) -> str | None:
    """The question as said to the player who has to act; None when the game is over."""
    if game.player is None:
        return None
    verb, _, rest = asked_of(game).partition(" ")
    return f"you may {rest}" if verb == "may" else f"{verb.removesuffix('s')} {rest}"


def asked_of(game: Table) -> str:
    """What the player does: `places a gold tile with a road`."""
    name = tile_in_words(game.tile or game.board()[-1].tile)
    return QUESTIONS[game.phase].asked.format(
        tile=name if game.phase == Phase.PLACE_TILE else name.replace("a ", "the ", 1)
    )


def move_in_words(answer: Shown) -> str:
    """A move in words: a tile is described by what is on it, and by its place."""
    if isinstance(answer.place, Laid):
        return f"{tile_in_words(answer.place.tile)}, on {answer.place.cell[0]},{answer.place.cell[1]}"
    return answer.words


def choice_in_words(answer: Shown) -> str:
    """An answer that may be given: a tile with where its parts lead, and its place."""
    if not isinstance(answer.place, Laid):
        return answer.words
    (x, y), tile, rotation = answer.place
    words = tile_turned(tile, rotation)
    alike = any(tile_turned(tile, other) == words for other in range(0, rotation, 90))
    return f"{words}{f', turned by {rotation} degrees' if alike else ''}, on {x},{y}"
