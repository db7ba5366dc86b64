"""Special monasteries."""

from carc_env.faces.face import Face


class SpecialMonasteries(Face):
    """Special monasteries."""

    box = "special_monasteries"
