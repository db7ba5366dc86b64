"""Crop circles: after the turn, each player may add a follower, or each player takes one back."""

from .table import FOLLOWERS
from .tiles import crop_circle_on


class CropCircles:
    """The part of a game that is about crop circles."""

    def follow_crop_circle(self):
        """If the tile just laid has a crop circle, the active player chooses what all players do. The player to the
        left acts first, the active player last.
        """
        role = crop_circle_on(self.tile_laid)
        if not self.plays("crop_circles") or role is None:
            return
        choice = yield from self.ask(self.active, "CROP_CHOICE", ["circle add", "circle remove"])
        for player in [*self.in_order()[1:], self.active]:
            if choice == "circle add":
                yield from self.add_follower(player, role)
            else:
                yield from self.remove_follower(player, role)

    def followers_of(self, player, role):
        """Return the player's followers on roads, in cities or in fields, according to `role`."""
        return [
            figure
            for figure in self.table.figures
            if figure["player"] == player and figure["kind"] == role and figure["figure"] in FOLLOWERS
        ]

    def add_follower(self, player, role):
        """The player may (or must) add a follower, never the abbot, to an own follower on the same segment."""
        places = {(f["cell"], f["spot"]): None for f in self.followers_of(player, role)}
        figures = [figure for figure in ("meeple", "big") if self.supply[figure][player]]
        answers = {
            f"add {figure} {role} {x},{y} {spot}": (figure, (x, y), spot)
            for (x, y), spot in places
            for figure in figures
        }
        if self.rules.crop_add == "may":
            answers["pass"] = None
        if not answers:
            return
        text = yield from self.ask(player, "CROP_ADD", list(answers))
        if text != "pass":
            figure, cell, spot = answers[text]
            self.put_figure(figure, player, role, cell, spot)

    def remove_follower(self, player, role):
        """The player must take back an own follower; a builder or pig left alone goes home, too."""
        answers = {}
        for figure in self.followers_of(player, role):
            x, y = figure["cell"]
            answers[f"remove {figure['figure']} {role} {x},{y} {figure['spot']}"] = figure
        if answers:
            text = yield from self.ask(player, "CROP_REMOVE", list(answers))
            self.send_home(answers[text])
            self.send_lonely_home()
