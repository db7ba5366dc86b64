"""Reads and writes actions as text, such as `D@1,0/90`, `ingot 0,1`, `take 0,1`, `meeple city N`, `recall` and `pass`.

A cell is written as its coordinates `x,y`, where x grows to the east and y grows to the south. By default, the start
tile lies at 0,0. On a map sheet, the north-west corner is 0,0. Rotations are clockwise, in degrees.

When the module reads a text, any spot of a segment can identify the segment. For a symmetric tile, any rotation in
which the tile looks the same is accepted. When the module writes a text, it uses the first spot of the segment and the
smallest possible rotation.

The code of each box in `systems` defines the notation of the box's actions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carc_env.common.errors import NotationError
from carc_env.rules.answers import LAYING, cell_laid, ids_of
from carc_env.rules.geometry import size_of
from carc_env.rules.state import NONE, Phase
from carc_env.systems import IN_WORDS, PLACES, QUESTIONS, REFUSALS, SYSTEMS, WORDS, Form, Scene
from carc_env.systems.where import Button, Place

TEXTS = {number: text for text, number in WORDS.items()}
FORMS: tuple[tuple[int, Form], ...] = tuple(
    (phase, form) for system in SYSTEMS for phase, question in system.questions.items() for form in question.forms
)


class Shown(NamedTuple):
    """The description of an action in a user interface."""

    text: str
    words: str  # the action in plain words
    place: Place  # where on the board or the page the action is chosen


def scene_of(game: np.record) -> Scene:
    """Return the `Scene` of the current decision: the position, the decision, the acting player and the tile."""
    return Scene(game, int(game["phase"]), int(game["player"]), int(game["tile"]), int(game["placed"]))


def text_of(game: np.record, action: int) -> str:
    """Return the text of a legal action in this game."""
    return _text(_scene(game, action), action)


def texts_of(game: np.record, actions: Iterable[int]) -> list[str]:
    """Return the texts of legal actions in this game."""
    scene = scene_of(game)
    return [_text(_with_spot(scene, action), action) for action in actions]


def places_of(game: np.record, actions: Iterable[int]) -> list[Place]:
    """For each legal action, return where a user interface offers it: at a place on the board, or as a button."""
    scene = scene_of(game)
    return [_place(_with_spot(scene, action), action) for action in actions]


def shown(game: np.record, action: int) -> Shown:
    """Return the description of a legal action for a user interface."""
    return _shown(_scene(game, action), action)


def _scene(game: np.record, action: int) -> Scene:
    """Return the `Scene` of the current decision, with `spot` set to the spot of the given legal action. The text of
    the action depends on this `Scene`.
    """
    return _with_spot(scene_of(game), action)


def _with_spot(scene: Scene, action: int) -> Scene:
    """Return a copy of a Scene with `spot` set to the spot of the given action. When the action is played, the game
    stores this spot in `MOVE.spot`.
    """
    if _number(scene, action) in TEXTS:
        return scene
    return replace(scene, spot=QUESTIONS[scene.phase].spot(scene, action))


def moves_of(game: np.record, since: int = 0) -> list[str]:
    """Return the texts of the actions played so far, starting with the action at index `since`."""
    return [_text(scene, action) for scene, action in _given(game, since)]


def moves_shown(game: np.record, since: int = 0) -> list[Shown]:
    """Return a `Shown` for each action played so far, starting with the action at index `since`."""
    return [_shown(scene, action) for scene, action in _given(game, since)]


def _given(game: np.record, since: int) -> Iterator[tuple[Scene, int]]:
    """Yield the `Scene` and the id of each action played so far, starting with the action at index `since`."""
    placed, size, moves, tiles = NONE, size_of(game), game["moves"][: game["n_moves"]], game["board"]["tile"]
    columns = (moves[name].tolist() for name in ("answer", "phase", "player", "spot"))
    for number, (action, phase, player, spot) in enumerate(zip(*columns)):
        laid = int(cell_laid(size, phase, action))
        placed = placed if laid == NONE else laid
        if number >= since:
            yield Scene(game, phase, player, int(tiles[placed]), placed, spot), action


def tiles_laid(game: np.record) -> int:
    """Count the tiles that actions have placed so far."""
    moves = game["moves"][: game["n_moves"]]
    return int((np.isin(moves["phase"], LAYING) & (moves["answer"] != ids_of(size_of(game)).passing)).sum())


def _text(scene: Scene, action: int) -> str:
    return TEXTS.get(_number(scene, action)) or QUESTIONS[scene.phase].write(scene, action)


def _place(scene: Scene, action: int) -> Place:
    if (number := _number(scene, action)) in TEXTS:
        return PLACES.get(number, Button())
    return QUESTIONS[scene.phase].place(scene, action)


def _shown(scene: Scene, action: int) -> Shown:
    question, number = QUESTIONS[scene.phase], _number(scene, action)
    if number in TEXTS:
        return Shown(TEXTS[number], IN_WORDS.get(number, question.passing), _place(scene, action))
    return Shown(question.write(scene, action), question.in_words(scene, action), question.place(scene, action))


def _number(scene: Scene, action: int) -> int:
    """Return the index of an action among the actions without a cell. For `pass`, the index is `answers.PASS`. For an
    action on a cell, the result is negative.
    """
    return action - scene.ids.place_figure


def action_of(game: np.record, text: str) -> int:
    """Return the id of the action that a text describes in this game. The action need not be legal. Raises
    NotationError if the text describes no action.
    """
    words, scene = " ".join(text.split()) if isinstance(text, str) else "", scene_of(game)
    if words in WORDS:
        return scene.ids.place_figure + WORDS[words]
    for phase, form in sorted(FORMS, key=lambda entry: entry[0] != scene.phase):  # first try the current decision
        if match := form.match(words):
            if scene.phase != phase:
                raise NotationError(f"{form.not_now}; write {_example(scene)}")
            return form.read(scene, *match.groups())
    raise NotationError(f"{text!r} is not an action; write {_example(scene)}")


def why_not(game: np.record, action: int, legal: Iterable[int]) -> str:
    """Explain why an action is not legal. `legal` holds the legal actions."""
    scene = scene_of(game)
    number = _number(scene, action)
    if number in REFUSALS and scene.phase == Phase.PLACE_FIGURE:
        reason = REFUSALS[number].format(player=scene.player)
    else:
        reason = QUESTIONS[scene.phase].why_not(scene, action, lambda: ", ".join(texts_of(game, map(int, legal))))
    return reason + scene.about_tile()


def _example(scene: Scene) -> str:
    """Return an example of an action for the current decision."""
    if scene.phase == Phase.GAME_OVER:
        return "nothing, the game is over"
    return QUESTIONS[scene.phase].example(scene) + scene.about_tile()
