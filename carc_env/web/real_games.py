"""Games that people play with cardboard tiles. The person at the screen enters the actions and the drawn tiles and
chips.

The rest of the server treats a game with cardboard tiles like any other game. `play` enters an action or the result of
a draw, and `undo` removes the last entry. The view shows the current state of the table on which people play.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from carc_env.common.errors import RecordError
from carc_env.games.game import Game, copied
from carc_env.games.open_game import TILE
from carc_env.games.real_table import RealTable, is_real_table
from carc_env.games.replay import replay
from carc_env.render.tile_words import tile_in_words
from carc_env.setup.config import GameConfig
from carc_env.systems import SET_OUTS, set_outs


class RealGame(Game):
    """A game with cardboard tiles, as a `Game`. The stack of this `Game` has a random order, because nobody knows the
    order of the cardboard stack.
    """

    def __init__(self, real: RealTable):
        self.real, self.config, self.seed = real, real.game.config, None
        self._show()

    def _show(self) -> None:
        self._games = copied(self.real.table._games)

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return self.real.is_over

    @property
    def player(self) -> int | None:
        """The player who has to act, or None if the game is over or somebody must first enter a drawn tile or chip."""
        return self.real.player

    def position(self, player: int | None = None) -> str:
        """Return the position, like `Game.position`. If the game waits for a drawn tile or chip, return the position
        before the action that led to the draw.
        """
        return self.real.game.position(player)

    def clone(self) -> "RealGame":
        """Return an independent copy."""
        return RealGame(self.real.clone())

    def play(self, answer: int | str) -> None:
        """Enter an action, or the result of a draw. Raises IllegalAction."""
        self.real.enter(answer if isinstance(answer, str) else self.text(answer))
        self._show()

    def undo(self) -> None:
        """Take back the last entry. Raises IllegalAction."""
        self.real.take_back()
        self._show()


# --- beginning and storing --------------------------------------------------------------------------------------------
def begun(config: GameConfig, words: Mapping[str, str]) -> RealGame:
    """Return a new game that people play with cardboard tiles. `words` describes what lies on the table at the start.
    The keys of `words` are those of `systems.SET_OUTS`. Raises CarcError.
    """
    lying = {part.key: part.read(words[part.key]) for part in SET_OUTS if words.get(part.key, "").strip()}
    return RealGame(RealTable(config, lying))


def asked_before(config: GameConfig) -> list[dict[str, str]]:
    """Return the questions about the setup that people answer before a game with cardboard tiles."""
    return [{"key": part.key, "question": part.question, "example": part.example} for part in set_outs(config)]


def kept(game: Game) -> tuple[dict[str, Any], list[str]]:
    """Return the two parts in which the database stores a game. The first part is the game record without its moves and
    scores, and the second part is the list of moves. For a game with cardboard tiles, the second part contains the
    entries (draws and actions) instead of the moves.
    """
    if not isinstance(game, RealGame):
        record = game.record()
        moves = record.pop("moves")
        return {key: value for key, value in record.items() if key != "scores"}, moves
    config = game.config.to_dict()
    return {"carc_env": 1, "config": config, "lying": game.real.lying, "entries": []}, kept_moves(game)


def kept_moves(game: Game) -> list[str]:
    """Return the moves of a game. For a game with cardboard tiles, return its entries (draws and actions)."""
    return [entry.text for entry in game.real.entries] if isinstance(game, RealGame) else game.moves


def found(beginning: Mapping[str, Any], moves: Sequence[str], scores: Sequence[int]) -> Game:
    """Restore a game from the two parts that the function `kept` returned, and check the scores. Raises RecordError."""
    if not is_real_table(beginning):
        return replay({**beginning, "moves": list(moves), "scores": list(scores)})
    game = RealGame(RealTable.from_record({**beginning, "entries": list(moves)}))
    if game.scores.tolist() != list(scores):
        raise RecordError(f"the stored scores are {list(scores)}, but the entries give {game.scores.tolist()}")
    return game


# --- what is shown ----------------------------------------------------------------------------------------------------
def real_facts(game: RealGame) -> dict[str, Any]:
    """Return those fields of the view that are special to games with cardboard tiles. In the views of other games,
    these fields are missing or have other values.
    """
    real = game.real
    facts: dict[str, Any] = {"entries": len(real.entries), "draws": None}
    if not real.is_chance:
        return facts
    is_tile = real.wanted == TILE
    draws = [
        {"text": text, "tile": tile, "words": text if tile is None else tile_in_words(tile), "left": left}
        for text, left in real.may_be_drawn.items()
        for tile in [text.removeprefix(f"{TILE} ") if is_tile else None]
    ]
    left = {text.removeprefix(f"{TILE} "): left for text, left in real.may_be_drawn.items()} if is_tile else {}
    return (
        facts
        | {"draws": draws, "question": question(real), "tile": None, "answers": []}
        | ({"left": dict(sorted(left.items())), "tiles_left": sum(left.values())} if left else {})
    )


def question(real: RealTable) -> str:
    """Return the question that asks the person at the screen to enter the result of a draw."""
    if real.square is not None:
        return "Which chip was turned up on {},{}?".format(*real.square)
    aside = [text.removeprefix(f"{TILE} ") for text in real.drawing() if text.startswith(f"{TILE} ")]
    fits_not = f"{tile_in_words(aside[-1])} fits nowhere and is set aside. " if aside else ""
    return fits_not[:1].upper() + fits_not[1:] + "Which tile was drawn?"
