"""The words for an action, derived from its text. The tests compare them with the words that the systems provide."""

import re

from carc_env.rules.state import Phase
from carc_env.systems.where import COMPASS, spot_in_words

PASSING = {
    Phase.PLACE_ABBEY: "keep the abbey",
    Phase.PLACE_GERMAN_CASTLE: "draw a tile instead",
    Phase.SELL_WINE: "sell nothing",
    Phase.PLACE_FIGURE: "no figure",
    Phase.MOVE_FERRY: "move no ferry",
    Phase.FOUND_CASTLE: "do not found a castle",
    Phase.CROP_ADD: "add nobody",
}
PLACED = re.compile(r"(\S+)@(-?\d+,-?\d+)/(\d+)")
WHOLE = {  # texts that are translated as a whole
    "recall": "take the abbot back",
    "circle add": "everybody may add a follower",
    "circle remove": "everybody takes a follower back",
}
FIGURES = {"big": "big meeple"}
VERBS = {"ingot": "put an ingot on", "take": "take an ingot from"}


def answer_in_words(text: str, phase: Phase) -> str:
    """Return the words for the text of an action in this phase.

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
    """Return the words for `meeple city N`, `meeple monastery`, `meeple monastery lying` or `abbey@2,3`."""
    if "@" in figure:
        return figure.replace("@", " on ")
    kind, *spot = rest
    where = {"lying": ", lying until the end"}.get(*spot, f" ({spot_in_words(*spot)})") if spot else ""
    return (
        f"{FIGURES.get(figure, figure)} {'in' if kind in ('city', 'monastery', 'castle') else 'on'} the {kind}{where}"
    )


def _crop(verb: str, rest: list[str]) -> str:
    """Return the words for `add meeple city 0,1 N`."""
    figure, kind, where, spot = rest
    return f"{verb} a {FIGURES.get(figure, figure)}, {kind} on {where} ({spot_in_words(spot)})"


def _ferry(_: str, rest: list[str]) -> str:
    """Return the words for `ferry S-W` or `ferry 2,3 E-S`."""
    *where, pair = rest
    one, other = (COMPASS[edge] for edge in pair.split("-"))
    return f"ferry{''.join(f' on {cell}' for cell in where)} from {one} to {other}"


def _sale(_: str, rest: list[str]) -> str:
    """Return the words for `sell orange 1+1 town`."""
    colour, composition, destination = rest
    chips = "one chip of value 2" if composition == "2" else "two chips of value 1"
    return f"sell {colour.replace('_', ' ')} wine, {chips}, {'abroad' if destination == 'abroad' else 'in the town'}"


def _castle(_: str, rest: list[str]) -> str:
    """Return the words for `castle 2,3 E` or `castle 2,3 E scores road 4,5 N`."""
    where, side, *scored = rest
    if not scored:
        return f"castle on {where} and the tile to the {COMPASS[side]}"
    _, kind, cell, *spot = scored
    return f"castle on {where} scores the {kind} on {cell}{''.join(f' ({spot_in_words(one)})' for one in spot)}"


LONGER = {"add": _crop, "remove": _crop, "ferry": _ferry, "sell": _sale, "castle": _castle}
