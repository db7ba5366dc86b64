"""The view of a game for the page, as JSON. The view contains only what all players may see. The server adds further
fields to the view, for example the id and the version.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import library
from carc_env.common.palette import PLAYERS
from carc_env.games.game import Game
from carc_env.games.replay import retrace
from carc_env.notation.events import Event
from carc_env.notation.texts import moves_shown
from carc_env.render.facts import drawn_tiles, is_double
from carc_env.render.panel import drawn, stock
from carc_env.render.tile_words import tile_in_words, tile_turned
from carc_env.setup.config import GameConfig
from carc_env.systems import SOURCE_NAMES, SYSTEMS, Item, supplies
from carc_env.systems.where import FIGURE_NAMES
from carc_env.web.answer_places import answers_of
from carc_env.web.drawing import drawing_difference, drawing_of, tile_svg
from carc_env.web.features import features_view
from carc_env.web.meanings import add_meanings, why
from carc_env.web.real_games import RealGame, real_facts
from carc_env.web.words import move_in_words, question_in_words, question_to_you

__all__ = ["drawing_difference", "drawing_of", "facts_view", "features_view", "game_view", "tile_svg"]

Seat = Mapping[str, Any]  # {"name": str, "bot": spec or None}
Recent = tuple[tuple[int, tuple[Event, ...]], ...]  # the last moves that players chose, as (number of the move, events)
# MOVES_SHOWN is the number of moves shown. A move without a cell gets the cell of an earlier move. This earlier move is
# at most MOST_BETWEEN moves before the first move shown.
MOVES_SHOWN, MOST_BETWEEN = 12, 12
SHEETS = {"maps": "Carcassonne Maps"}  # the title of the rules for map sheets; no box contains these rules


def game_view(game: Game, seats: Sequence[Seat], *, legal: bool = True) -> dict[str, Any]:
    """Return the view of a game. `legal=False` leaves out the legal actions, so that nobody can act in this view."""
    facts = facts_view(game, seats, legal=legal)
    return facts | {"drawing": drawing_of(game, game.board(), facts["answers"])}


def facts_view(
    game: Game, seats: Sequence[Seat], *, legal: bool = True, recent: Recent | None = None
) -> dict[str, Any]:
    """Return the view of a game without the drawing. The drawing takes longer to compute than the rest of the view. If
    `recent` is None, the game is replayed to find the events of the last moves.
    """
    board, names = game.board(), [seat["name"] for seat in seats]
    answers = answers_of(game, board) if legal and game.player is not None else []
    add_meanings(game, answers, names)
    facts = {
        "phase": game.phase.name,
        "player": game.player,
        "active": game.active_player,
        "over": game.is_over,
        "question": question_in_words(game, names),
        "asked": question_to_you(game),
        "why": why(game) if legal else None,
        "boxes": boxes_in_play(game.config),
        "tile": game.tile,
        "tiles": tiles_in_words(game.tile, answers),
        "tiles_left": game.tiles_left,
        "supplies": supplies(game),
        "placed": [board[-1].x, board[-1].y],
        "n_moves": int(game.state["n_moves"]),
        "moves": last_moves(game, names, dict(recent_events(game) if recent is None else recent)),
        "players": [player_view(game, player, seat) for player, seat in enumerate(seats)],
        "left": (left := dict(sorted(Counter(game.deck[int(game.state["n_drawn"]) :]).items()))),
        "left_words": {tile: tile_in_words(tile) for tile in left},
        "events": [event_view(event, names) for event in game.last_events],
        "answers": answers,
        "called": FIGURE_NAMES,
        "doubles": [tile for tile in drawn_tiles() if is_double(tile)],
        "sources": {source: SOURCE_NAMES.get(source, source.replace("_", " ")) for source in game.final_scores()},
    }
    return facts | real_facts(game) if isinstance(game, RealGame) else facts


def boxes_in_play(config: GameConfig) -> dict[str, str]:
    """Return the title of each box in play. For a game on a map sheet, the result also contains the title Carcassonne
    Maps.
    """
    return {box: library()[box].title for box in config.all_boxes} | (SHEETS if config.sheet else {})


def tiles_in_words(tile: str | None, answers: list[dict[str, Any]]) -> dict[str, dict[int, str]]:
    """Return descriptions of the tile in hand and of all tiles that may be placed, in each possible rotation."""
    lying = {(answer["tile"], answer["rotation"]) for answer in answers if answer["how"] == "tile"} | (
        {(tile, 0)} if tile else set()
    )
    found: dict[str, dict[int, str]] = {}
    for name, rotation in sorted(lying):
        found.setdefault(name, {})[rotation] = tile_turned(name, rotation)
    return found


def player_view(game: Game, player: int, seat: Seat) -> dict[str, Any]:
    """Return the entry of a player in the view: name, colour, points, figures in the supply, and possessions from the
    boxes in play. After the game, the entry also contains the final points from each source.
    """
    held = [
        holding(item, PLAYERS[player][1])
        for system in SYSTEMS
        if system.box in game.config.boxes
        for item in system.on_card(game, player)
    ]
    points = {source: int(of[player]) for source, of in game.final_scores().items() if np.any(of)}
    return {
        "name": seat["name"],
        "bot": seat["bot"],
        "colour_name": PLAYERS[player][0],
        "colour": PLAYERS[player][1],
        "score": int(game.scores[player]),
        "figures": dict(stock(game, player)),
        "holdings": held,
        "final": points if game.is_over else None,
    }


def holding(item: Item, colour: str) -> dict[str, Any]:
    """Return an item that a player holds, as a dict for JSON. `art` is an SVG picture with its centre at (0, 0). `half`
    is half the width of the picture.
    """
    art, half = drawn(item, colour)
    name = item.name or (tile_in_words(item.tile) if item.tile else item.sign.replace("_", " "))
    return {
        "sign": item.sign,
        "kind": item.kind,
        "count": item.count,
        "art": art,
        "half": half,
        "name": name,
        "tile": item.tile or None,
    }


def event_view(event: Any, names: list[str]) -> dict[str, Any]:
    """Return an event in words. If the event has a place on the board, the result contains this place."""
    x, y = getattr(event, "x", None), getattr(event, "y", None)
    player, points = getattr(event, "player", None), getattr(event, "points", None)
    words = event.said("" if player is None else names[player])
    if tile := getattr(event, "tile", None):
        words = words.replace(f"tile {tile}", tile_in_words(tile))
    return {"words": words, "x": x, "y": y, "player": player, "points": points}


def recent_events(game: Game) -> Recent:
    """Return the events of the last moves. For a game with cardboard tiles, return only the events of the last move.
    Any other game is replayed. If the engine played forced moves after a move, the events of all these moves belong to
    the last forced move.
    """
    n_moves = int(game.state["n_moves"])
    if isinstance(game, RealGame):
        return ((n_moves, game.last_events),)
    first = n_moves - MOVES_SHOWN
    return tuple((number, earlier.last_events) for number, earlier in retrace(game.record()) if number > first)


def last_moves(game: Game, names: list[str], events: Mapping[int, tuple[Event, ...]]) -> list[dict[str, Any]]:
    """Return the last moves, each with its player, its cell and its events. `events` holds the events of each move.
    Events that only repeat a move are left out. An example is the event "Ada put an ingot on 2,0".
    """
    found: list[dict[str, Any]] = []
    where: tuple[int | None, ...] = (None, None)  # the cell of the previous move, used for a move without a cell
    first = max(0, int(game.state["n_moves"]) - MOVES_SHOWN - MOST_BETWEEN)
    players = game.state["moves"]["player"][first:].tolist()
    for number, (answer, player) in enumerate(zip(moves_shown(game.state, first), players), first + 1):
        where = answer.place.cell or where
        words = f"{names[player]}: {move_in_words(answer)}"
        found.append({"n": number, "player": player, "text": answer.text, "words": words, "x": where[0], "y": where[1]})
    shown = found[-MOVES_SHOWN:]
    said = {move["words"].replace(": ", " ", 1) for move in shown}
    for move in shown:
        told = [event_view(event, names) for event in events.get(move["n"], ())]
        move["events"] = [event for event in told if event["words"] not in said]
    return shown
