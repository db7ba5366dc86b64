"""Writes the terminal's texts about the players, the current decision, the events and the result of a game."""

import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from carc_env.bots.level import in_words
from carc_env.common.errors import IllegalAction
from carc_env.common.palette import PLAYERS
from carc_env.games.game import Game
from carc_env.render.ansi import LETTERS, in_colour
from carc_env.render.one_line import name, start_tiles
from carc_env.render.panel import stock
from carc_env.render.tile_words import tile_in_words
from carc_env.rules.state import Phase
from carc_env.systems import QUESTIONS, SYSTEMS, supplies
from carc_env.systems.system import Happening


class Names:
    """The names of the players. A bot is named by its colour, and the person is named `you`. If several people play,
    `people` maps their player numbers to their names. If the name of a person is empty, the colour is used instead.
    """

    def __init__(self, bots: Mapping[int, str], players: int, people: Mapping[int, str] | None = None):
        self.bots, self.players, self.people = bots, players, people

    def short(self, player: int) -> str:
        """Return the name of a player for a sentence, such as `You`, `Ann` or `Blue`."""
        if player in self.bots:
            return PLAYERS[player][0]
        return "You" if self.people is None else self.people.get(player) or PLAYERS[player][0]

    def long(self, player: int) -> str:
        """Return a player's colour with the name of the person or the bot, such as `Red (you)`, `Red (Ann)` or `Blue
        (greedy)`.
        """
        person = "you" if self.people is None else self.people.get(player, "")
        who = in_words(self.bots[player]) if player in self.bots else person
        return f"{PLAYERS[player][0]} ({who})" if who else PLAYERS[player][0]

    def told(self, event: Happening) -> str:
        """Return a sentence that describes an event. The sentence contains the name of the event's player, if there is
        one.
        """
        player = getattr(event, "player", None)
        return event.said("" if player is None else self.short(player))

    def said(self, thing: object) -> str:
        """Replace the numbers of players in a string by their names: `player 1 scored ..` becomes `Blue scored ..`."""
        return re.sub(r"\bplayer (\d)\b", lambda number: self.short(int(number[1])), str(thing))


def title(game: Game) -> str:
    """Return a line with the configuration and the progress of the game."""
    total = start_tiles(game) + len(game.deck)
    return "; ".join([f"{name(game.config)}, tile {total - game.tiles_left} of {total}", *supplies(game)])


def question(game: Game, names: Names) -> str:
    """Return a description of the current decision and the player who makes it, such as `Red (you) places V, a tile
    with a road`.
    """
    assert game.player is not None
    asked = QUESTIONS[game.phase].asked.format(tile=game.tile or game.board()[-1].tile)
    described = f", {tile_in_words(game.tile)}" if game.phase == Phase.PLACE_TILE and game.tile else ""
    return f"{names.long(game.player)} {asked}{described}"


def played(game: Game, before: int, names: Names, chosen: int = 1) -> list[str]:
    """Return lines for the moves with index `before` or higher, and for the events of the last move. Players chose
    the first `chosen` of these moves. The engine played the other moves, because each of them was the only legal move.
    """
    return answered(game, before, names, chosen) + [names.told(event) for event in game.last_events]


def answered(game: Game, before: int, names: Names, chosen: int) -> list[str]:
    """Return lines for the moves with index `before` or higher. Players chose the first `chosen` of these moves. The
    engine played the other moves, because each of them was the only legal move.
    """
    moves, texts = game.state["moves"], game.moves
    return [
        f"{names.short(int(moves[n]['player']))}: "
        f"{texts[n]}{'' if n < before + chosen else ' (the only possible move)'}"
        for n in range(before, len(texts))
    ]


def begun(game: Game, names: Names) -> list[str]:
    """Return the first lines of a session. For a new game, the lines list the forced moves that the engine has played.
    For a saved game, the lines say how many moves it has.
    """
    texts = len(game.moves)
    return played(game, 0, names, 0) if is_fresh(game) else [f"The game continues after {texts} moves."]


def is_fresh(game: Game) -> bool:
    """Return True if no player has chosen an action yet."""
    try:
        game.clone().undo()
    except IllegalAction:
        return True
    return False


def wrapped(lines: Iterable[str], width: int, indent: str = "  ") -> list[str]:
    """Wrap lines that are longer than `width`."""
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    ]


# --- the players ------------------------------------------------------------------------------------------------------
def player_line(game: Game, player: int, names: Names, colour: bool, width: int) -> str:
    """Return a line with a player's number, name, points and supply of figures, such as `> 0 Red (you)  12  7m 1B`."""
    figures = " ".join(f"{left}{LETTERS[kind]}" for kind, left in stock(game, player))
    points = f" {int(game.scores[player]):>4}  {figures}"
    room = max(6, min(16, width - 4 - len(points)))
    who = names.long(player) if len(names.long(player)) <= room else names.short(player)[:room]
    return f"{'>' if player == game.player else ' '} {player} {in_colour(player, f'{who:<{room}}', colour)}{points}"


def holdings(game: Game, player: int) -> list[str]:
    """Return a player's possessions, one string per box. Points and figures are not included."""
    hands = [system.hand(game, player).strip() for system in SYSTEMS if system.box in game.config.boxes]
    return [hand for hand in hands if hand]


def players_in_full(game: Game, names: Names, width: int) -> list[str]:
    """Return lines of text that give each player's points, figures and all other possessions."""
    lines = []
    for player in range(game.players):
        figures = [f"{left} {kind}" for kind, left in stock(game, player)]
        lines.append(
            f"{player} {names.long(player)}: {int(game.scores[player])} points, "
            f"{', '.join([*figures, *holdings(game, player)])}"
        )
    return wrapped(lines, width)


# --- the end ----------------------------------------------------------------------------------------------------------
def winners(game: Game, names: Names) -> str:
    """Return a sentence that names the winners of the game."""
    best = [player for player in range(game.players) if game.scores[player] == max(game.scores)]
    if len(best) == 1:
        return f"{names.long(best[0])} wins."
    return f"{', '.join(map(names.long, best[:-1]))} and {names.long(best[-1])} draw."


def final_table(game: Game, names: Names) -> list[str]:
    """Return a table of every player's points by source, followed by the winners."""
    rows = {source.replace("_", " "): points for source, points in game.final_scores().items() if np.any(points)}
    head = [f"{player} {PLAYERS[player][0]}" for player in range(game.players)]
    wide, first = max(map(len, head)) + 1, max(map(len, ("points from", *rows)))
    lines = [f"{'points from':{first}}" + "".join(f"{word:>{wide}}" for word in head)]
    lines += [f"{source:{first}}" + _numbers(points, wide) for source, points in rows.items()]
    return [*lines, "-" * len(lines[0]), f"{'total':{first}}" + _numbers(game.scores, wide), "", winners(game, names)]


def _numbers(points: Any, wide: int) -> str:
    return "".join(f"{int(value):>{wide}}" for value in points)
