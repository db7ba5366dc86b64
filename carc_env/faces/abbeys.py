"""Abbeys."""

from carc_env.faces.face import Face, Item


class Abbeys(Face):
    """Abbeys."""

    box = "abbeys"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  {int(game.abbeys[player])} abbey"

    def on_card(self, game, player):
        return [Item("tile abbey", "tile-in-hand", int(game.abbeys[player]), {"tile": "abbey"})]
