"""Darmstadt churches: followers stand there as in a monastery."""

from carc_env.boxes import library
from carc_env.faces.face import Face


class Darmstadt(Face):
    """Darmstadt churches."""

    box = "darmstadt"

    def stack(self, config, counts) -> None:
        """With the base game alone the churches replace two monasteries."""
        with_tiles = {name for name in config.all_boxes if library()[name].kinds}
        if self.box in config.boxes and with_tiles == {"base", self.box}:
            counts["B"] -= min(2, counts["B"])
