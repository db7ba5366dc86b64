"""Lets a bot analyse a game. For each decision, the analysis compares the bot's value of the chosen action with the
bot's value of the best action. The points that the player lost by a decision are the value of the best action minus the
value of the chosen action.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

from carc_env.bots import ActionValue, Bot, make
from carc_env.bots.winning import chance_in
from carc_env.common.arguments import brief
from carc_env.common.errors import BotError, PictureError
from carc_env.common.palette import PLAYERS
from carc_env.games.game import Game
from carc_env.games.replay import replay, retrace
from carc_env.render import Answer, plot, save
from carc_env.render.facts import names_of
from carc_env.render.one_line import name

WORST = 5  # how many of a player's worst actions are listed


@dataclass(frozen=True)
class Judged:
    """A bot's judgement of an action that a player chose. The value of an action is the acting player's expected final
    margin, in points.
    """

    move: int  # the number of the action in the game, from 1; `carc replay --move N` shows the position after action N
    player: int
    phase: str  # the kind of decision: the name of a member of `carc_env.Phase`
    answer: str
    value: float | None  # the value of the action; None if the bot gives no value
    best: str  # the action that the bot would have chosen
    best_value: float  # the value of the best action
    lost: float | None  # the points lost: `best_value` minus `value`, but at least 0; None if `value` is None
    scores: tuple[int, ...]  # every player's points on the scoring track after the action
    error: float | None = None  # the standard error of `value`; None if the bot does not know it
    best_error: float | None = None  # the standard error of `best_value`
    chance: float | None = None  # the probability of winning, computed from `value`; None for more than two players
    best_chance: float | None = None  # the probability of winning, computed from `best_value`


@dataclass(frozen=True)
class Total:
    """The points that a player lost in a game through actions that were not the best."""

    player: int
    answers: int  # the number of actions that the bot valued
    unknown: int  # the number of actions to which the bot gave no value; all other attributes leave these actions out
    lost: float  # points lost by all actions together
    average: float  # points lost per action
    worst: tuple[Judged, ...]  # the actions that lost the most points; at most WORST actions

    def to_dict(self) -> dict[str, Any]:
        """Return the player's total losses as a dict for JSON. The worst actions are given by their move numbers."""
        return asdict(self) | {"worst": [answer.move for answer in self.worst]}


def analyse_game(game: Game | Mapping[str, Any], bot: object = "greedy", seed: int = 0) -> list[Judged]:
    """Let a bot evaluate all actions that players chose in a game.

    The bot does not evaluate forced actions, which the engine plays when only one action is legal.

    Args:
        game: a Game or a game record. A Game is not changed.
        bot: any argument that `make_bot` accepts.
        seed: the seed of the bot. The seed has no effect if `bot` is a `Bot` object.

    Raises:
        RecordError: if the record cannot be replayed.
        BotError: if the bot does not exist or cannot evaluate actions.
    """
    return list(judged(game, bot, seed))


def judged(game: Game | Mapping[str, Any], bot: object = "greedy", seed: int = 0) -> Iterator[Judged]:
    """Judge the actions of a game in order. Each judgement is yielded before the next action is judged."""
    whole, judge = (game if isinstance(game, Game) else replay(game)), make(bot, seed)
    before: Judged | None = None
    # the texts in `moves` name each segment by its first spot; the given record can name a segment by another spot
    moves = whole.moves
    for number, table in retrace(whole.record()):
        if before is not None:
            yield replace(before, scores=tuple(table.scores.tolist()))
        if number < len(moves):
            before = _judge(number, table, moves[number], judge)


def _judge(number: int, game: Game, answer: str, bot: Bot) -> Judged:
    """Return the bot's judgement of the action `answer` in the position of `game`. The field `scores` of the result is
    empty until the function `judged` fills it.
    """
    worths, player = _worths(bot, game, answer), game.player
    assert player is not None, "a player has to act"
    best, (_, best_value, best_error) = next(iter(worths.items()))
    _, value, error = worths.get(answer, (None, None, None))
    lost = None if value is None else round(max(0.0, best_value - value), 3)
    chance = None if value is None else chance_in(game, value)
    return Judged(
        move=number + 1,
        player=player,
        phase=game.phase.name,
        answer=answer,
        value=value,
        best=best,
        best_value=best_value,
        lost=lost,
        scores=(),
        error=error,
        best_error=best_error,
        chance=chance,
        best_chance=chance_in(game, best_value),
    )


def _worths(bot: Bot, game: Game, answer: str) -> dict[str, ActionValue]:
    """Return the bot's values of legal actions as a dict, best first. The keys are the texts of the actions. The dict
    includes the chosen action `answer` if the bot has a value for it. Raises BotError if the bot does not return
    actions with values in points.
    """
    found = bot.action_values_with(game.clone(), game.action(answer))
    try:
        worths = {game.text(worth.action): worth._replace(value=float(worth.value)) for worth in found}
    except (TypeError, ValueError) as error:
        raise BotError(
            f"{bot} should return pairs (action, value) for legal actions, best first, not {brief(found)}: {error}"
        ) from None
    if not worths or not all(math.isfinite(worth.value) for worth in worths.values()):
        raise BotError(f"{bot} should return a finite value in points for each action, not {brief(found)}")
    return worths


def totals(answers: Sequence[Judged], players: int) -> list[Total]:
    """Return the points that each player lost through actions that were not the best. Actions without a value are not
    counted.
    """
    return [_total(player, [answer for answer in answers if answer.player == player]) for player in range(players)]


def _total(player: int, answers: list[Judged]) -> Total:
    known = [(answer.lost, answer) for answer in answers if answer.lost is not None]
    lost = [points for points, _ in known]
    worst = sorted((entry for entry in known if entry[0] > 0), key=lambda entry: (-entry[0], entry[1].move))[:WORST]
    return Total(
        player,
        len(known),
        len(answers) - len(known),
        round(math.fsum(lost), 3),
        round(statistics.fmean(lost), 3) if lost else 0.0,
        tuple(answer for _, answer in worst),
    )


# --- for people -------------------------------------------------------------------------------------------------------
COLOUR_NAMES = tuple(name for name, _ in PLAYERS)
NUMBERS = ("move", "before", "after", "win", "lost")  # columns that are aligned to the right
COLUMNS = ("move", "player", "question", "answer", "before", "after", "win", "lost", "best")


def row_of(answer: Judged, names: Sequence[str] = COLOUR_NAMES) -> tuple[str, ...]:
    """Return a judged action as a row of the analysis table. `names` are the names of the players. If the
    chosen action is as good as the best action, the column for the best action is empty.
    """
    lost = "?" if answer.lost is None else f"{answer.lost:.2f}"
    best = answer.best if answer.lost is None or answer.lost > 0 else ""
    chance = "" if answer.best_chance is None else "?" if answer.chance is None else f"{answer.chance:.0%}"
    return (
        str(answer.move),
        names[answer.player],
        answer.phase.replace("_", " ").lower(),
        answer.answer,
        with_error(answer.best_value, answer.best_error),
        "?" if answer.value is None else with_error(answer.value, answer.error),
        chance,
        "" if lost == "0.00" else lost,
        best,
    )


def with_error(value: float, error: float | None, sign: str = "", digits: int = 2) -> str:
    """Return a value as text, such as `3.12 ± 0.80`. The standard error is included if it is known.

    >>> with_error(3.1, 0.8, "+", 1), with_error(-3.1, None), with_error(-0.001, None)
    ('+3.1 ± 0.8', '-3.10', '0.00')
    """
    value = round(value, digits) + 0.0  # adding 0.0 turns -0.0 into 0.0
    return f"{value:{sign}.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def lines_of(answers: Sequence[Judged], names: Sequence[str] = COLOUR_NAMES) -> list[str]:
    """Return the analysis table as lines of text. The first line contains the headings."""
    rows = [COLUMNS, *(row_of(answer, names) for answer in answers)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  ".join(
            word.rjust(width) if column in NUMBERS else word.ljust(width)
            for word, width, column in zip(row, widths, COLUMNS)
        ).rstrip()
        for row in rows
    ]


def total_line(total: Total, names: Sequence[str] = COLOUR_NAMES) -> str:
    """Return a line of text that says how many points a player lost."""
    worst = ", ".join(f"{answer.lost:.1f} with move {answer.move}" for answer in total.worst)
    return (
        f"{names[total.player]} lost {total.lost:.1f} points with {total.answers} actions, "
        f"{total.average:.2f} per action"
        + (f"; most: {worst}" if worst else "")
        + (f"; the bot gave no value to {total.unknown} further actions" if total.unknown else "")
    )


def save_plot(answers: Sequence[Judged], game: Game, bot: Bot, path: PathLike[str] | str) -> None:
    """Save a plot as an SVG or PNG file. The plot shows the scores, the bot's expected margins, and the points lost.
    Raises PictureError if there is nothing to draw, or if the suffix of the file is unknown. Raises FileError if the
    file cannot be written.
    """
    title = f"{name(game.config)}, judged by {bot.name}"
    shown = [Answer(answer.move, answer.player, answer.lost or 0.0, answer.scores, answer.value) for answer in answers]
    if not shown:
        raise PictureError(f"{path}: there is nothing to draw, because no action has been analysed")
    save(plot(title, shown, names_of(game)), path)


def how_many(game: Game | Mapping[str, Any]) -> int:
    """Return the number of actions that an analysis of the game evaluates. Raises RecordError."""
    return sum(1 for _ in retrace(game.record() if isinstance(game, Game) else game)) - 1
