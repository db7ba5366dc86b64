"""German castles."""

from carc_env.faces.face import Face, Item


class GermanCastles(Face):
    """German castles."""

    box = "german_castles"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  castle tiles {' '.join(game.german_castles[player]) or 'none'}"

    def on_card(self, game, player):
        return [Item(f"tile {tile}", "tile-in-hand", about={"tile": tile}) for tile in game.german_castles[player]]
