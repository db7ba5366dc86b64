"""Abbeys."""

from carc_env.faces.face import Face, Held


class Abbeys(Face):
    """Abbeys."""

    box = "abbeys"
    line = "pieces"

    def hand(self, game, player) -> str:
        return f"  {int(game.abbeys[player])} abbeys"

    def held(self, game, player):
        return [Held("tile abbey", "tile-in-hand", int(game.abbeys[player]), {"tile": "abbey"})]
