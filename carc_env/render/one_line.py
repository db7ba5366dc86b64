"""Describe a game in one line of text."""

from carc_env.boxes.sheets import read_sheet
from carc_env.notation.texts import tiles_laid
from carc_env.render.facts import Table
from carc_env.setup.config import GameConfig, preset, presets
from carc_env.systems import QUESTIONS


def line(game: Table) -> str:
    """Return one line with the configuration, the progress of the game, the current decision and the scores."""
    total = start_tiles(game) + len(game.deck)
    where = (
        f"over after {total - game.tiles_left} tiles" if game.is_over else f"tile {total - game.tiles_left} of {total}"
    )
    scores = " : ".join(map(str, game.scores.tolist()))
    return f"{name(game.config)}, {game.players} players, {where}: {asked(game)}, scores {scores}"


def asked(game: Table) -> str:
    """Return a description of the current decision and the player who makes it. If the game is over, return a phrase
    that tells who won, or which players have tied for first place.
    """
    if game.is_over:
        best = [str(player) for player in range(game.players) if game.scores[player] == max(game.scores)]
        return f"player {best[0]} wins" if len(best) == 1 else f"players {', '.join(best)} draw"
    return f"player {game.player} " + QUESTIONS[game.phase].asked.format(tile=game.tile or game.board()[-1].tile)


def start_tiles(game: Table) -> int:
    """Return the number of tiles that lie on the table at the start."""
    return int(game.state["n_tiles"]) - tiles_laid(game.state)


def name(config: GameConfig) -> str:
    """Return the name of the preset that equals a configuration. The number of players is not compared. If no preset
    equals the configuration, return the boxes and the name of the map sheet.
    """
    for known in presets():
        if config.to_dict() == preset(known).to_dict() | {"players": config.players}:
            return known
    sheet = f" on {' '.join(read_sheet(config.sheet).name.split()):.40}" if config.sheet else ""
    return "+".join(config.all_boxes) + sheet
