"""Special monasteries: `meeple monastery` stands there, `meeple monastery lying` lies."""

from carc_env.faces.face import Face

REPLACED = ("A", "B")


class SpecialMonasteries(Face):
    """Special monasteries."""

    box = "special_monasteries"

    def stack(self, config, counts) -> None:
        """They replace the monasteries of the base game, unless these are kept."""
        if self.box in config.boxes and config.special_monasteries == "replace":
            for tile in REPLACED:
                counts[tile] = 0
