"""German castles."""

from carc_env.faces.face import Face, Held


class GermanCastles(Face):
    """German castles."""

    box = "german_castles"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  castle tiles {' '.join(game.german_castles[player]) or 'none'}"

    def held(self, game, player):
        return [Held(f"tile {tile}", "tile-in-hand", about={"tile": tile}) for tile in game.german_castles[player]]
