"""Carcassonne Maps: what a sheet changes about scoring. It is no box: a game is played on a sheet, or on a free table."""

from carc_env.faces.face import Face


class Maps(Face):
    """The border of a sheet."""

    box = "maps"

    def variants(self, config):
        return {"border_city_coat_points": config.border_city_coat_points, "border_road_coat_points": config.border_road_coat_points,
                "border_monastery_nine": config.border_monastery == "nine"}
