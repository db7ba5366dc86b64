"""Draws the goods tokens of Traders & Builders."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, path
from carc_env.systems.sign import Sign, Wooden

BUILDER = (
    "M-6.8-6.9L-4.4-7.2C-4.4-10.6-2.6-12.4 0-12.4C2.6-12.4 4.4-10.6 4.4-7.2L6.8-6.9"
    "C7.3-6.8 7.3-5.8 6.8-5.7L3.6-5.4C3.4-4.6 3.1-4 2.8-3.6C4.6-3 6-2 7-.6L10.6-6.6"
    "C11.4-7.8 13.4-6.8 12.8-5.4L8.9 3.1C8.3 4.3 7 4.5 6 3.7L4.4 2.6L4.9 12L-4.9 12L-4.4 2.6L-6 3.7"
    "C-7 4.5-8.3 4.3-8.9 3.1L-10.8-1C-11.4-2.4-9.6-3.3-8.8-2.1L-7-.6"
    "C-6-2-4.6-3-2.8-3.6C-3.1-4-3.4-4.6-3.6-5.4L-6.8-5.7C-7.3-5.8-7.3-6.8-6.8-6.9Z"
)
PIG = (
    "M-13.4-1.2C-13.9-.2-13.9 2.2-13.2 2.8C-12 3.4-10.6 3.4-9.8 3.6C-9.2 4.9-8.6 5.6-7.9 6.1L-8 9.3"
    "C-8 9.9-7.6 10.2-7 10.2L-4.4 10.2C-3.8 10.2-3.5 9.9-3.4 9.3L-3.1 7.2C-1 7.6 2 7.6 4.2 7.1L4.6 9.3"
    "C4.7 9.9 5 10.2 5.6 10.2L8.1 10.2C8.7 10.2 9 9.9 9 9.3L9.2 5.2C10.4 3.9 11 2 11-.2"
    "C12.6.2 13.9-.8 13.8-2.4C13.7-3.4 12.4-3.5 12.5-2.5C12.5-2 11.8-1.9 11.4-2.4"
    "C10.4-5.2 7.4-7 3.6-7.1C.2-7.2-3-6.9-5.2-6"
    "L-8.9-8.4C-9.5-8.7-9.9-8.4-9.8-7.7L-9.4-4.4C-10.6-3.6-12.2-2.4-13.4-1.2Z"
)


def wine() -> str:
    """Draw a wine token, which shows a barrel."""
    return (
        _token()
        + path("M-3-4.4H3C4.6-1.6 4.6 1.6 3 4.4H-3C-4.6 1.6-4.6-1.6-3-4.4Z", p.WINE)
        + path("M-4-2H4M-4 2H4", stroke=p.PLASTER, width=1)
    )


def grain() -> str:
    """Draw a grain token, which shows an ear of grain."""
    return _token() + path(
        "M0 5V-4.6M-3-2.6L0-.4L3-2.6M-3 .4L0 2.6L3 .4", stroke=p.GOLD_SHADE, width=1.6, stroke_linecap="round"
    )


def cloth() -> str:
    """Draw a cloth token, which shows a folded bale."""
    return (
        _token() + path("M-4.4-2.6H4.4V3.4H-4.4Z", p.SHIELD) + path("M-4.4.2H4.4M0-2.6V3.4", stroke=p.PLASTER, width=1)
    )


def _token() -> str:
    return circle(0, 0, 7, p.PLASTER, p.WALL, 1.1)


SIGNS = {"wine": Sign(wine, "w"), "grain": Sign(grain, "g"), "cloth": Sign(cloth, "c")}
WOODEN = {"builder": Wooden(BUILDER, "b", 1.1), "pig": Wooden(PIG, "p")}
