"""Answers and events in words for people: seats by their names, spots by points of the compass."""

import re

from carc_env.render.facts import Table
from carc_env.rules.state import Phase
from carc_env.systems import QUESTIONS

COMPASS = {"N": "north", "E": "east", "S": "south", "W": "west"}
PASSING = {
    Phase.PLACE_ABBEY: "keep the abbey",
    Phase.PLACE_GERMAN_CASTLE: "draw a tile instead",
    Phase.SELL_WINE: "sell nothing",
    Phase.PLACE_FIGURE: "no figure",
    Phase.MOVE_FERRY: "move no ferry",
    Phase.FOUND_CASTLE: "found no castle",
    Phase.CROP_ADD: "add nobody",
}
PLACED = re.compile(r"(\S+)@(-?\d+,-?\d+)/(\d+)")
WHOLE = {  # answers that are told as a whole
    "recall": "take the abbot back",
    "circle add": "everybody may add a follower",
    "circle remove": "everybody takes a follower back",
}
FIGURES = {"big": "big meeple"}
VERBS = {"ingot": "put an ingot on", "take": "take an ingot from"}


def spot_in_words(spot: str) -> str:
    """A spot by the points of the compass; a half-edge by its edge and its half.

    >>> spot_in_words("N"), spot_in_words("Ws"), spot_in_words("2E")
    ('north', 'west, southern half', 'east on the second square')
    """
    second = " on the second square" if spot.startswith("2") else ""
    edge, *half = spot.removeprefix("2")
    if edge not in COMPASS:
        return spot
    return COMPASS[edge] + (f", {COMPASS[half[0].upper()]}ern half" if half else "") + second


def answer_in_words(text: str, phase: Phase) -> str:
    """The text of an answer to a question, in words.

    >>> answer_in_words("D@1,0/90", Phase.PLACE_TILE), answer_in_words("meeple field Nw", Phase.PLACE_FIGURE)
    ('D on 1,0, turned by 90 degrees', 'meeple on the field (north, western half)')
    """
    if text == "pass":
        return PASSING.get(phase, "pass")
    if match := PLACED.fullmatch(text):
        tile, where, degrees = match.groups()
        return f"{tile} on {where}" + (f", turned by {degrees} degrees" if degrees != "0" else "")
    first, *rest = text.split()
    if first in VERBS:
        return f"{VERBS[first]} {rest[0]}"
    return WHOLE.get(text) or LONGER.get(first, _figure)(first, rest)


def _figure(figure: str, rest: list[str]) -> str:
    """`meeple city N`, `meeple monastery`, `meeple monastery lying`, `abbey@2,3`."""
    if "@" in figure:
        return figure.replace("@", " on ")
    kind, *spot = rest
    where = {"lying": ", lying until the end"}.get(*spot, f" ({spot_in_words(*spot)})") if spot else ""
    return (
        f"{FIGURES.get(figure, figure)} {'in' if kind in ('city', 'monastery', 'castle') else 'on'} the {kind}{where}"
    )


def _crop(verb: str, rest: list[str]) -> str:
    """`add meeple city 0,1 N`."""
    figure, kind, where, spot = rest
    return f"{verb} a {FIGURES.get(figure, figure)}, {kind} on {where} ({spot_in_words(spot)})"


def _ferry(_: str, rest: list[str]) -> str:
    """`ferry S-W`, `ferry 2,3 E-S`."""
    *where, pair = rest
    one, other = (COMPASS[edge] for edge in pair.split("-"))
    return f"ferry{''.join(f' on {cell}' for cell in where)} from {one} to {other}"


def _sale(_: str, rest: list[str]) -> str:
    """`sell orange 1+1 town`."""
    colour, composition, destination = rest
    chips = "one chip of value 2" if composition == "2" else "two chips of value 1"
    return f"sell {colour.replace('_', ' ')} wine, {chips}, {'abroad' if destination == 'abroad' else 'in the town'}"


def _castle(_: str, rest: list[str]) -> str:
    """`castle 2,3 E`, `castle 2,3 E scores road 4,5 N`."""
    where, side, *scored = rest
    if not scored:
        return f"castle on {where} and the tile to the {COMPASS[side]}"
    _, kind, cell, *spot = scored
    return f"castle on {where} scores the {kind} on {cell}{''.join(f' ({spot_in_words(one)})' for one in spot)}"


LONGER = {"add": _crop, "remove": _crop, "ferry": _ferry, "sell": _sale, "castle": _castle}


def with_names(words: str, names: list[str]) -> str:
    """A sentence in which players are called by their names.

    >>> with_names("player 1 took an ingot from 0,1", ["Anna", "Bert"])
    'Bert took an ingot from 0,1'
    """
    return re.sub(r"\bplayer (\d)\b", lambda match: names[int(match[1])], words)


def question_in_words(game: Table, names: list[str]) -> str:
    """Who is asked what, or who has won."""
    if not game.is_over:
        return f"{names[game.player]} " + QUESTIONS[game.phase].asked.format(tile=game.tile or game.board()[-1].tile)
    best = [names[player] for player in range(game.players) if game.scores[player] == max(game.scores)]
    return f"{best[0]} wins" if len(best) == 1 else f"{', '.join(best[:-1])} and {best[-1]} draw"
