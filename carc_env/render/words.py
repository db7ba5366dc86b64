"""A game in one line of words."""

from carc_env.config import GameConfig, preset, presets
from carc_env.render.facts import Table
from carc_env.rules.state import Phase
from carc_env.sheets import read_sheet

ASKED = {  # what the player asked does, after "player 1"
    Phase.PLACE_ABBEY: "may place the abbey",
    Phase.PLACE_GERMAN_CASTLE: "may place a German castle",
    Phase.PLACE_TILE: "places {tile}",
    Phase.SELL_WINE: "may sell wine",
    Phase.PLACE_INGOT: "places the second ingot of {tile}",
    Phase.PLACE_FIGURE: "may place a figure on {tile}",
    Phase.PLACE_FERRY: "places the ferry of {tile}",
    Phase.MOVE_FERRY: "may move a ferry",
    Phase.FOUND_CASTLE: "may found a castle",
    Phase.CASTLE_SCORE: "chooses what a castle scores",
    Phase.TAKE_INGOT: "takes an ingot",
    Phase.CROP_CHOICE: "decides what the crop circle does",
    Phase.CROP_ADD: "adds a follower",
    Phase.CROP_REMOVE: "takes a follower back",
}


def line(game: Table) -> str:
    """What is played, how far it is, who is asked what, and the scores, in one line."""
    total = start_tiles(game) + len(game.deck)
    where = f"over after {total - game.tiles_left} tiles" if game.is_over else f"tile {total - game.tiles_left} of {total}"
    scores = " : ".join(map(str, game.scores.tolist()))
    return f"{name(game.config)}, {game.players} players, {where}: {asked(game)}, scores {scores}"


def asked(game: Table) -> str:
    """Who is asked what, or who has won."""
    if game.is_over:
        best = [str(player) for player in range(game.players) if game.scores[player] == max(game.scores)]
        return f"player {best[0]} wins" if len(best) == 1 else f"players {', '.join(best)} draw"
    return f"player {game.player} " + ASKED[game.phase].format(tile=game.tile or game.board()[-1].tile)


def start_tiles(game: Table) -> int:
    """How many tiles lay on the table at the start."""
    placements = game.state["moves"]["phase"][:game.state["n_moves"]] == Phase.PLACE_TILE
    return int(game.state["n_tiles"]) - int(placements.sum())


def name(config: GameConfig) -> str:
    """The preset that a configuration is, with any number of players; else its boxes and the name of its sheet."""
    for known in presets():
        if config.to_dict() == preset(known).to_dict() | {"players": config.players}:
            return known
    sheet = f" on {' '.join(read_sheet(config.sheet).name.split()):.40}" if config.sheet else ""
    return "+".join(config.all_boxes) + sheet
