"""Castles."""

from carc_env.faces.face import Face, Item


class Castles(Face):
    """Castles."""

    box = "castles"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  {int(game.castle_tokens[player])} castles"

    def on_card(self, game, player):
        return [Item("castle-token", "castle-tokens", int(game.castle_tokens[player]))]
