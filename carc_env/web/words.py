"""Describes decisions and moves in words for people, with the names of the players and descriptions of the tiles."""

from carc_env.notation.texts import Shown
from carc_env.render.facts import Table, outcome_of
from carc_env.render.tile_words import tile_in_words, tile_turned
from carc_env.rules.state import Phase
from carc_env.systems import QUESTIONS, SYSTEMS
from carc_env.systems.where import Laid


def question_in_words(game: Table, names: list[str]) -> str:
    """Return the current decision in words, with the name of the player who has to act. After the game, return the
    winner in words.
    """
    if game.player is not None:
        return f"{names[game.player]} {asked_of(game)}"
    return outcome_of(game, names)


def question_to_you(game: Table) -> str | None:
    """Return the current decision in words for the player who has to act. Returns None when the game is over."""
    if game.player is None:
        return None
    verb, _, rest = asked_of(game).partition(" ")
    return f"you may {rest}" if verb == "may" else f"{verb.removesuffix('s')} {rest}"


def asked_of(game: Table) -> str:
    """Return what the acting player does now, such as `places a gold tile with a road`. If the decision results from a
    rule of a box, the text also gives the reason, such as `in the second part of the turn`.
    """
    name = tile_in_words(game.tile or game.board()[-1].tile)
    asked = QUESTIONS[game.phase].asked.format(
        tile=name if game.phase == Phase.PLACE_TILE else name.replace("a ", "the ", 1)
    )
    return " ".join([asked, *filter(None, (system.occasion(game)[0] for system in SYSTEMS))])


def move_in_words(answer: Shown) -> str:
    """Return a move in words. A tile is described by its features and its place."""
    if isinstance(answer.place, Laid):
        return f"{tile_in_words(answer.place.tile)}, on {answer.place.cell[0]},{answer.place.cell[1]}"
    return answer.words


def choice_in_words(answer: Shown) -> str:
    """Return a legal action in words. A tile is described by its place and by the directions of its features."""
    if not isinstance(answer.place, Laid):
        return answer.words
    (x, y), tile, rotation = answer.place
    words = tile_turned(tile, rotation)
    alike = any(tile_turned(tile, other) == words for other in range(0, rotation, 90))
    return f"{words}{f', turned by {rotation} degrees' if alike else ''}, on {x},{y}"
