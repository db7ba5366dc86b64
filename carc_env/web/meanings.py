"""Explains in plain words why a player has to decide, and what each legal action does."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from carc_env.games.game import Game
from carc_env.notation.placed import Feature
from carc_env.render.facts import cells_of
from carc_env.render.tile_words import listed, named
from carc_env.rules.expansions.goldmines import is_in_area, value
from carc_env.rules.geometry import cell_of
from carc_env.rules.state import Phase
from carc_env.systems import BOX_OF_QUESTION, QUESTIONS, SYSTEMS
from carc_env.web.features import features_view, numbers

Answer = dict[str, Any]  # an action as a dict (see carc_env.web.answer_places)
Meaning = Callable[[Game, Answer, Sequence[str]], str]
BESIDE = [(1, 0), (-1, 0), (0, 1), (0, -1)]


def why(game: Game) -> dict[str, str] | None:
    """Return the reason for the current decision, and the box that contains the rule. Returns None if no player has to
    act.
    """
    if game.player is None:
        return None
    for system in SYSTEMS:
        if words := system.occasion(game)[1]:
            return {"words": words, "box": system.box}
    return {"words": QUESTIONS[game.phase].why, "box": BOX_OF_QUESTION[game.phase]}


def add_meanings(game: Game, answers: list[Answer], names: Sequence[str]) -> None:
    """Describe the effect of each action in words, and store the description under the key `means`. If the effect of an
    action needs no explanation, as for `pass`, the value of `means` is None.
    """
    meaning = MEANINGS.get(game.phase)
    for answer in answers:
        answer["means"] = None if meaning is None or answer["passes"] else meaning(game, answer, names) or None


# --- ingots -----------------------------------------------------------------------------------------------------------
def _ingot_put(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Describe the features for which an ingot on a tile counts."""
    state, on_sheet = game.state, bool(game.state["systems"]["maps"]["on_sheet"])
    cell = cell_of(answer["x"], answer["y"], on_sheet, game.config.table_size)
    covering = [
        feature
        for number, feature in zip(numbers(game), game.features(), strict=True)
        if feature.kind != "field" and not feature.is_complete and is_in_area(state, number, cell)
    ]
    claimed = [feature for feature in covering if any(feature.strength)]
    if covering and not claimed:
        return "nobody has claimed anything there yet"
    return f"counts for {_owned(claimed, names)}" if claimed else ""


def _ingot_taken(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Say how many points the player's ingots will score at the end of the game if the player takes this ingot."""
    player = game.player
    assert player is not None  # the acting player, who has to take an ingot
    held = int(game.ingots[player])
    now, then = int(value(held)), int(value(held + 1))
    ingots = f"{held + 1} ingot{'s' if held else ''} in hand"
    return f"{ingots}, worth {_points(then)} at the end of the game ({then - now} more than now)"


# --- wine, castles ----------------------------------------------------------------------------------------------------
def _at_once(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Say how many points the player scores at once with an action."""
    gain = _gain(game, answer)
    return "" if gain is None else f"{_points(gain)} at once"


def _castle_founded(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Say how many points the player gives up for a castle."""
    cell = [answer["x"], answer["y"]]
    cities = [
        each["worth"]
        for each in features_view(game)
        if each["kind"] == "city"
        and each["complete"]
        and each["tiles"] == 2
        and cell in [spot[:2] for spot in each["places"]]
    ]
    return f"gives up the {_points(cities[0])} of the city" if cities else ""


def _gain(game: Game, answer: Answer) -> int | None:
    """Return how many points the player scores at once with an action. Returns None if the action ends the game."""
    player = game.player
    after = _after(game, answer)
    return None if player is None or after.is_over else int(after.scores[player] - game.scores[player])


def _after(game: Game, answer: Answer) -> Game:
    after = game.clone()
    after.play(answer["text"])
    return after


# --- ferries ----------------------------------------------------------------------------------------------------------
def _ferry(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Describe the road that a ferry creates."""
    edge = answer["text"].rpartition(" ")[2][0]
    place = answer["x"], answer["y"], edge
    road = next((feature for feature in _after(game, answer).features() if place in feature.segments), None)
    if road is None:
        return ""
    state = "complete" if road.is_complete else f"with {road.open} open end{'' if road.open == 1 else 's'}"
    length = f"{road.tiles} tile{'' if road.tiles == 1 else 's'}"
    return f"a road of {length}, {state}, owned by {_owners(road, names) or 'nobody'}"


# --- abbeys and castle tiles ------------------------------------------------------------------------------------------
def _closing(game: Game, answer: Answer, names: Sequence[str]) -> str:
    """Describe the features that a tile completes."""
    cells = cells_of(answer["tile"], answer["x"], answer["y"], answer["rotation"])
    near = {(x + dx, y + dy) for x, y in cells for dx, dy in BESIDE}
    was_open = {segment for feature in game.features() if not feature.is_complete for segment in feature.segments}
    closed = [
        feature
        for feature in _after(game, answer).features()
        if feature.is_complete and any(segment in was_open and segment[:2] in near for segment in feature.segments)
    ]
    return f"completes {_owned(closed, names)}" if closed else ""


# --- words ------------------------------------------------------------------------------------------------------------
def _owned(features: Iterable[Feature], names: Sequence[str]) -> str:
    """Describe features with their owners, such as `Ada's city and nobody's road`."""
    words = [f"{_owners(feature, names) or 'nobody'}'s {named(feature.kind)}" for feature in features]
    return listed(list(dict.fromkeys(words)))


def _owners(feature: Feature, names: Sequence[str]) -> str:
    """Return the names of the players with the majority in a feature. Returns an empty string if nobody has claimed the
    feature.
    """
    most = max(feature.strength)
    return listed([name for name, strength in zip(names, feature.strength) if strength == most]) if most else ""


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


MEANINGS: dict[Phase, Meaning] = {
    Phase.PLACE_INGOT: _ingot_put,
    Phase.TAKE_INGOT: _ingot_taken,
    Phase.SELL_WINE: _at_once,
    Phase.PLACE_FERRY: _ferry,
    Phase.MOVE_FERRY: _ferry,
    Phase.FOUND_CASTLE: _castle_founded,
    Phase.CASTLE_SCORE: _at_once,
    Phase.PLACE_ABBEY: _closing,
    Phase.PLACE_GERMAN_CASTLE: _closing,
}
