"""Show the legal actions as a menu. If there are many actions, the menu first lists places on the board. After the
person has chosen a place, the menu lists the actions at this place. A person can also type the beginning of an action.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from carc_env.arena.analysis import with_error
from carc_env.bots import ActionValue
from carc_env.bots.winning import chance_in
from carc_env.common.errors import IllegalAction
from carc_env.games.game import Game
from carc_env.notation.texts import shown
from carc_env.rules.state import Phase
from carc_env.systems.where import Laid, OnFeature, Place

PAGE = 9  # the greatest number of entries on a page; if there are more actions, they are grouped by place

Square = tuple[int, int]


@dataclass(frozen=True)
class Answer:
    """A legal action with its notation and its place on the board."""

    action: int
    text: str
    where: Place

    @property
    def cell(self) -> Square | None:
        """The cell that belongs to the action, or None."""
        return self.where.cell

    @property
    def tile(self) -> Laid | None:
        """The tile that the action places, with its cell and rotation."""
        return self.where if isinstance(self.where, Laid) else None

    @property
    def figure(self) -> str:
        """The figure that the action puts on the tile just placed."""
        return self.where.figure if isinstance(self.where, OnFeature) and self.where.cell is None else ""

    @property
    def place(self) -> str:
        """The place of the action as text: its cell, or a spot on the tile that was just placed. If the action has no
        place on the board, this property is the whole text of the action.
        """
        return "{},{}".format(*self.cell) if self.cell else str(self.where) if self.figure else self.text


@dataclass(frozen=True)
class Entry:
    """A line of a menu. The line stands for one action or for several actions at the same place."""

    label: str
    about: str
    answers: tuple[Answer, ...]

    @property
    def cell(self) -> Square | None:
        """The cell that all actions of the entry have in common, or None if there is no such cell."""
        cells = {answer.cell for answer in self.answers}
        return cells.pop() if len(cells) == 1 else None


class Menu:
    """A menu whose numbered entries are shown page by page."""

    def __init__(self, entries: Sequence[Entry]):
        self.entries, self.first = tuple(entries), 0

    @property
    def answers(self) -> list[Answer]:
        """All actions in the menu."""
        return [answer for entry in self.entries for answer in entry.answers]

    def page(self, room: int) -> list[tuple[int, Entry]]:
        """Return the entries of the current page with their numbers. A page has at most `room` entries."""
        return list(enumerate(self.entries, 1))[self.first : self.first + room]

    def turn(self, room: int, pages: int) -> None:
        """Move forward in the menu by the given number of pages. The first page follows the last page."""
        n_pages = -(-len(self.entries) // room)
        self.first = (self.first // room + pages) % n_pages * room

    def marks(self) -> dict[Square, str]:
        """Return a dict whose keys are the cells with menu entries. The values are the numbers of the entries, such as
        `(3)`. If a cell has several entries, the dict contains the lowest of their numbers.
        """
        found: dict[Square, str] = {}
        for number, entry in enumerate(self.entries, 1):
            if entry.cell is not None:
                found.setdefault(entry.cell, f"({number})")
        return found

    def spots(self) -> dict[str, str]:
        """Return a dict whose keys are the spots where a figure can be placed. The values are the numbers of the menu
        entries.
        """
        found: dict[str, str] = {}
        for number, entry in enumerate(self.entries, 1):
            answer = entry.answers[0]
            if isinstance(answer.where, OnFeature) and answer.figure and answer.where.spot:
                found.setdefault(answer.where.spot, str(number))
        return found


def legal_answers(game: Game) -> list[Answer]:
    """Return all legal actions with their notation and their places on the board."""
    return [answer_of(game, int(action)) for action in game.legal_actions()]


def answer_of(game: Game, action: int) -> Answer:
    """Return an action with its notation and its place on the board."""
    seen = shown(game.state, action)
    return Answer(action, seen.text, seen.place)


def menu_of(game: Game, answers: Sequence[Answer]) -> Menu:
    """Return a menu of the given actions. If there are more actions than fit on a page, all actions at the same place
    share an entry. The action `pass` comes last.
    """
    groups: dict[str, list[Answer]] = {}
    for answer in sorted(answers, key=_reading_order):
        groups.setdefault(answer.place if len(answers) > PAGE else answer.text, []).append(answer)
    if len(groups) == 1:
        groups = {answer.text: [answer] for answer in answers}
    about = _features(game) if game.phase == Phase.PLACE_FIGURE else {}
    return Menu([_entry(label, group, about) for label, group in groups.items()])


def hint_menu(game: Game, worths: Sequence[ActionValue]) -> Menu:
    """Return a menu of actions with their values, best first."""
    return Menu([_hint(answer_of(game, worth.action), worth, chance_in(game, worth.value)) for worth in worths])


def _hint(answer: Answer, worth: ActionValue, chance: float | None) -> Entry:
    told = with_error(worth.value, worth.error, "+", 1)
    return Entry(answer.text, told if chance is None else f"{told}, {chance:.0%}", (answer,))


def _reading_order(answer: Answer) -> tuple[bool, int, int]:
    """Return a sort key for actions. The actions are sorted by row and column of the board, with `pass` last. Actions
    without a cell keep their order.
    """
    x, y = answer.cell or (0, 0)
    return answer.text == "pass", y, x


def _entry(label: str, answers: list[Answer], about: dict[str, str]) -> Entry:
    if len(answers) == 1:
        return Entry(answers[0].text, about.get(answers[0].place, ""), tuple(answers))
    has_figures = any(answer.figure for answer in answers)
    figures = ", ".join(answer.figure or answer.text for answer in answers) if has_figures else f"{len(answers)} ways"
    return Entry(label, figures, tuple(answers))


def _features(game: Game) -> dict[str, str]:
    """Return a dict that describes each feature of the tile just placed. The keys are the places for figures, such as
    `city N`.
    """
    tile, found = game.board()[-1], {}
    for feature in game.features():
        for x, y, spot in feature.segments:
            if (x, y) == (tile.x, tile.y):
                size = [f"{feature.tiles} tiles"] if feature.tiles > 1 else []
                rest = (
                    [] if feature.kind == "field" else ["closed"] if feature.is_complete else [f"{feature.open} open"]
                )
                found[f"{feature.kind} {spot}"] = found[spot] = " ".join(size + rest)
    return found


# --- what is typed ----------------------------------------------------------------------------------------------------
def found(game: Game, answers: Sequence[Answer], typed: str) -> list[Answer]:
    """Return the actions that match the text `typed`. If the text is an action in notation, return only this action.
    Otherwise, return all actions that match word by word: the first word of the action begins with the first typed
    word, and so on. For example, `m c n` can mean `meeple city N`.
    """
    try:
        action = game.action(typed)
        exact = [answer for answer in answers if answer.action == action]
    except IllegalAction:
        exact = [answer for answer in answers if answer.text.lower() == typed.lower()]
    return exact or [answer for answer in answers if _begins(answer.text.lower().split(), typed.lower().split())]


def _begins(words: list[str], typed: list[str]) -> bool:
    return 0 < len(typed) <= len(words) and all(word.startswith(part) for word, part in zip(words, typed))
