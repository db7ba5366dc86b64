"""Castles."""

from carc_env.faces.face import Face, Held


class Castles(Face):
    """Castles."""

    box = "castles"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  {int(game.castle_tokens[player])} castles"

    def held(self, game, player):
        return [Held("castle-token", "castle-tokens", int(game.castle_tokens[player]))]
