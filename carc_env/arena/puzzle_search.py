"""Searches games for puzzles. A position is examined with more and more rollouts. The examination ends when the
position fails a test or has passed all tests.

A position is a puzzle if it passes the tests in the four steps below. The fourth step also estimates the values of all
actions.

1. Short rollouts, as in the bot `rollout`, compare the actions with the highest heuristic values. One action must lead
   by a few points, and `greedy` must choose a different action.
2. Long rollouts to the end of the game compare the best actions of step 1. The action that led in step 1 must lead
   again. In step 2, it must lead by at least LEAST_GAIN points, and also by at least LEAST_ERRORS standard errors.
3. The long rollouts are repeated with `greedy` as the rollout policy. The action that led in steps 1 and 2 must lead
   again. Step 3 rejects actions that lead only with the rollout policy of step 2.
4. All legal actions are rolled out on new stacks. The required lead is the same as in step 2. Only the results of step
   4 are written to the file. Luck in steps 1 to 3 therefore cannot create a puzzle or exaggerate a gain.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from carc_env.arena.check_files import read_text, record_lines, replay_line
from carc_env.arena.long_rollouts import LongRollouts
from carc_env.arena.puzzles import (
    LEAST_ERRORS,
    LEAST_GAIN,
    Puzzle,
    Valued,
    difficulty_of,
    is_clear,
    read_puzzle,
    why_of,
)
from carc_env.bots import make
from carc_env.bots.greedy import GreedyBot
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_seed, check_fields, seed_words
from carc_env.common.errors import FileError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.games.replay import retrace
from carc_env.notation.record_files import Recorder
from carc_env.observing.keen import keen_prices
from carc_env.observing.prospects import default_prices
from carc_env.render.one_line import name
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, list_answers, promising, roll_out_all, room_for
from carc_env.setup.config import GameConfig


@dataclass(frozen=True)
class Effort:
    """The settings of the four steps of the puzzle search, such as the number of stacks in each round and the necessary
    lead.
    """

    short: tuple[tuple[int, float], ...] = (
        (4, 1.0),
        (12, 2.0),
        (32, 2.5),
    )  # for each round: the total number of stacks after the round, and the necessary lead in points
    depth: int = 5  # the number of tiles that a short rollout plays after the current turn
    most: int = 6  # the maximum number of actions in short rollouts
    near: float = 8.0  # the maximum distance in points between an action's heuristic value and the highest one
    rounds: tuple[int, ...] = (24, 80, 240)  # for each round of step 2: the total number of stacks after the round
    rivals: int = 5  # the maximum number of actions in long rollouts, not counting the action of `greedy`
    second: int = 96  # the number of stacks in step 3
    written: tuple[int, ...] = (48, 128, 400)  # for each round of step 4: the total number of stacks after the round
    # an action gets no further rollouts if it is behind the best action by at least LEAST_GAIN + `clear` points, and
    # also by at least `clear` standard errors
    clear: float = 5.0
    last: int | None = None  # the maximum number of tiles in the stack of an examined position; None: no maximum

    @property
    def bound(self) -> str:
        """A suffix for the name of a game in the results file. The suffix contains the limit `last`, and is empty if
        `last` is None. Searches with different limits store their results under different names. A game that was
        searched with one limit is therefore searched again if the limit changes.
        """
        return "" if self.last is None else f", last {self.last}"


class PuzzleFinder:
    """Finds the puzzles among the positions of games.

    Args:
        seed: an integer from 0 to 2**64 - 1. The seed and the position together determine how all stacks are shuffled.
        effort: the settings of the puzzle search. If `effort` is None, the defaults of `Effort` are used.
    """

    def __init__(self, seed: int = 0, effort: Effort | None = None):
        self.seed, self.effort = as_seed(seed), effort or Effort()
        self._keen, self._greedy, self._bot = keen_prices(), default_prices(), GreedyBot()
        self._listed = np.zeros(MAX_ANSWERS, LISTED)

    def look(self, game: Game) -> Puzzle | None:
        """Return the current position of a game as a puzzle, or None if the position is not a puzzle."""
        if game.is_over or self.effort.last is not None and game.tiles_left > self.effort.last:
            return None
        greedy = self._bot.choose(game)
        answers = self._leading(game, greedy)
        if answers is None:
            return None
        best, rivals = answers[0], answers[1 : self.effort.rivals]
        if greedy not in rivals:
            rivals.append(greedy)
        if not self._passes_long(game, best, rivals) or not self._passes_greedy(game, best, rivals):
            return None
        return self._measured(game, best, greedy)

    # --- the tests ----------------------------------------------------------------------------------------------------
    def _leading(self, game: Game, greedy: int) -> list[int] | None:
        """Return the promising actions, sorted by their values from short rollouts, best first. Return None if fewer
        than two actions are promising, or if `greedy` would choose the best action. Also return None if the lead over
        the second-best action is smaller than the limit in `Effort.short`.
        """
        effort, games = self.effort, Games.view_of(game).records
        room = room_for(games.dtype)
        n = list_answers(games, tile_table(), self._keen, *room, self._listed)
        which = promising(self._listed["price"][:n], effort.most, effort.near)
        seed, sums, done, order = seed_words([self._seed(game, 1)])[0], np.zeros(len(which)), 0, which
        for stacks, lead in effort.short:
            values = np.zeros((stacks - done, n))
            roll_out_all(
                games, tile_table(), self._keen, *room, self._listed, which, seed, done, effort.depth, values
            )  # fmt: skip
            sums, done = sums + values[:, which].sum(0), stacks
            order = np.argsort(-sums, kind="stable")
            best = int(self._listed["answer"][which[order[0]]])
            if len(which) < 2 or best == greedy or sums[order[0]] - sums[order[1]] < lead * stacks:
                return None
        return [int(answer) for answer in self._listed["answer"][which[order]]]

    def _passes_long(self, game: Game, best: int, rivals: list[int]) -> bool:
        """True if the action `best` has a sufficient lead over each action in `rivals` in long rollouts. After the last
        round, the lead must be at least LEAST_GAIN points, and also at least LEAST_ERRORS standard errors. After an
        earlier round, the lead must be at least LEAST_GAIN / 2 points. From the second round on, the lead must also be
        at least LEAST_ERRORS / 2 standard errors.
        """
        rollouts = LongRollouts(game, self._keen, self._seed(game, 2))
        for number, stacks in enumerate(self.effort.rounds, 1):
            rollouts.roll_out([best, *rivals], stacks)
            needed = LEAST_GAIN if number == len(self.effort.rounds) else LEAST_GAIN / 2
            if not leads(rollouts, best, rivals, needed, 0.0 if number == 1 else LEAST_ERRORS / 2):
                return False
        return leads(rollouts, best, rivals, LEAST_GAIN, LEAST_ERRORS)

    def _passes_greedy(self, game: Game, best: int, rivals: list[int]) -> bool:
        """True if the action `best` has a sufficient lead over each action in `rivals` in long rollouts with the policy
        `greedy`. The lead must be at least LEAST_GAIN / 2 points, and also at least LEAST_ERRORS / 2 standard errors.
        """
        rollouts = LongRollouts(game, self._greedy, self._seed(game, 3))
        rollouts.roll_out([best, *rivals], self.effort.second)
        return leads(rollouts, best, rivals, LEAST_GAIN / 2, LEAST_ERRORS / 2)

    # --- the results that are written ---------------------------------------------------------------------------------
    def _measured(self, game: Game, best: int, greedy: int) -> Puzzle | None:
        """Estimate the values of all actions on new stacks, and return the puzzle. Return None if the lead of the best
        action over the other actions is too small on the new stacks. After the last round, the lead must be at least
        LEAST_GAIN points, and also at least LEAST_ERRORS standard errors. After each earlier round, the lead must be at
        least half of LEAST_GAIN.
        """
        rollouts = LongRollouts(game, self._keen, self._seed(game, 4))
        others = [answer for answer in rollouts.played if answer != best]
        open_ones = others
        for stacks in self.effort.written:
            rollouts.roll_out([best, *open_ones], stacks)
            nearest = min(others, key=lambda answer: -rollouts.gain(answer, best)[0])
            if not leads(rollouts, best, [nearest], LEAST_GAIN / 2, 0.0):
                return None
            open_ones = [
                answer for answer in open_ones if answer == nearest or not self._is_clear(rollouts, best, answer)
            ]
        gains = {answer: rollouts.gain(answer, best) for answer in others}
        order = [best, *sorted(others, key=lambda answer: (-gains[answer][0], answer))]
        answers = tuple(
            Valued(game.text(answer), *(round(value, 2) for value in gains.get(answer, (0.0, 0.0)))) for answer in order
        )
        if not is_clear(answers, game.text(greedy)):
            return None
        sources = rollouts.sources(best)
        why = tuple(why_of(sources, rollouts.sources(answer)) for answer in order)
        return Puzzle(
            name(game.config), game.position(), answers, why, game.text(greedy), difficulty_of(game, best)
        )  # fmt: skip

    def _is_clear(self, rollouts: LongRollouts, best: int, answer: int) -> bool:
        """True if an action needs no further rollouts, because it is far behind the best action."""
        gain, error = rollouts.gain(answer, best)
        return -gain >= LEAST_GAIN + self.effort.clear and -gain >= self.effort.clear * error

    def _seed(self, game: Game, sieve: int) -> int:
        """Return the seed for shuffling the stacks in one of the four steps of the puzzle search. `sieve` is the number
        of the step, from 1 to 4. Different positions have different seeds.
        """
        position = zlib.crc32(game.position().encode())
        return int(np.random.default_rng([self.seed, position, sieve]).integers(2**63))


def leads(rollouts: LongRollouts, best: int, rivals: list[int], points: float, errors: float) -> bool:
    """True if the action `best` has a sufficient lead over each action in `rivals`. `points` is the necessary lead in
    points, and `errors` is the necessary lead in standard errors.
    """
    gains = (rollouts.gain(rival, best) for rival in rivals)
    return all(-gain >= max(points, errors * error) for gain, error in gains)


# --- games ------------------------------------------------------------------------------------------------------------
def played_by(spec: str, config: GameConfig, seed: int) -> Iterator[Game]:
    """Let a bot play all seats of a game, and yield the game before each action. The function always yields the same
    Game object, which changes with each action.
    """
    game, bot = Game(config, seed=seed), make(spec, seed)
    while not game.is_over:
        yield game
        game.play(bot.choose(game.clone()))


def puzzles_in(tables: Iterable[Game], finder: PuzzleFinder) -> Iterator[Puzzle | None]:
    """Yield a puzzle or None for each position of a game. A turn contains at most one puzzle. After a puzzle, the
    function yields None for the other positions of the same turn.
    """
    turn = -1
    for game in tables:
        drawn = int(game.state["n_drawn"])
        puzzle = finder.look(game) if drawn != turn else None
        turn = drawn if puzzle is not None else turn
        yield puzzle


class Found:
    """A file of puzzles. The file has one line for each game that has been searched: `{"game": ..., "puzzles": [...]}`.

    Games that are in the file are not searched again. If a killed process has left an unfinished line in the file, this
    line is ignored. Raises FileError.
    """

    def __init__(self, path: Path):
        self.path, self.games = path, dict[str, list[Puzzle]]()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: {error}") from None
        for number, line in enumerate(lines, 1):
            self._take(line, f"{path}, line {number}")

    def _take(self, line: str, what: str) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            return
        check_fields(found, {"game": str, "puzzles": list}, {}, what, FileError)
        self.games[found["game"]] = [read_puzzle(one, what) for one in found["puzzles"]]

    @property
    def puzzles(self) -> list[Puzzle]:
        """All puzzles, in the order in which they were found."""
        return [puzzle for found in self.games.values() for puzzle in found]

    def add(self, game: str, puzzles: list[Puzzle]) -> None:
        """Append the puzzles of a game to the file."""
        with Recorder(self.path) as write:
            write({"game": game, "puzzles": [puzzle.to_dict() for puzzle in puzzles]})
        self.games[game] = puzzles


@dataclass(frozen=True)
class Source:
    """A game that is searched for puzzles."""

    name: str  # the name of the game in the file
    tables: Callable[[], Iterator[Game]]  # a function that yields the position before each action


def played_games(config: GameConfig, games: int, seed: int, spec: str) -> list[Source]:
    """Return games in which a bot plays all seats. The first game has the seed `seed`, the next game has the seed
    `seed + 1`, and so on.
    """
    what = name(config)
    return [
        Source(f"{what}, {config.players} players, {spec}, seed {number}", partial(played_by, spec, config, number))
        for number in range(seed, seed + games)
    ]


def recorded_games(path: str) -> list[Source]:
    """Return the games of a record file. The name of each game contains a checksum of its record. Raises FileError."""
    lines = record_lines(path, read_text(path))
    return [
        Source(f"{Path(path).name}, {zlib.crc32(line.encode()):08x}", partial(_tables_of, place, line))
        for place, line in lines
    ]


def _tables_of(place: str, line: str) -> Iterator[Game]:
    """Yield the position before each action of a game record."""
    return (game for _, game in retrace(replay_line(place, line).record()))


def search(
    sources: Sequence[Source],
    found: Found,
    finder: PuzzleFinder,
    wanted: int | None = None,
    show: Callable[[int, int, int], None] | None = None,
) -> list[Puzzle]:
    """Search games for puzzles, and return all puzzles in the file. The search ends when the file has at least `wanted`
    puzzles. Games that are already in the file are skipped.

    If the search is interrupted, only the results for the current game are lost.

    Args:
        show: a function that is called after each position. The arguments of `show` are the number of finished games,
            the number of puzzles found, and the number of positions examined in the current game.
    """
    for number, source in enumerate(sources):
        if wanted is not None and len(found.puzzles) >= wanted:
            break
        name_of_game = source.name + finder.effort.bound
        if name_of_game in found.games:
            continue
        puzzles: list[Puzzle] = []
        for questions, puzzle in enumerate(puzzles_in(source.tables(), finder), 1):
            puzzles += [puzzle] if puzzle else []
            if show is not None:
                show(number, len(found.puzzles) + len(puzzles), questions)
        found.add(name_of_game, puzzles)
    return found.puzzles
