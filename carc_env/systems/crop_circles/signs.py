"""Draws the symbols of crop circles. The small picture in the middle identifies the kind of crop circle."""

import functools

from carc_env.common import palette as p
from carc_env.common.markup import circle, path
from carc_env.systems.sign import Sign

CROP_MARKS = {  # for each role of followers: the mark in the middle of the crop circle
    "knights": "M-4-4.6H4V0C4 2.8 2 4.4 0 5.4C-2 4.4-4 2.8-4 0Z",  # a shield
    "farmers": "M0 6V-1M-3.6-5.4V-2.6C-3.6.2 3.6.2 3.6-2.6V-5.4M0-1V-5.4",  # a fork
    "road": "M-3.4 6C-3.4 1 3.4-1 3.4-6M-5.6 4.4C-5 1 1-1.4 1.2-6",  # a winding road
}


def crop_circle(role: str) -> str:
    """Draw a ring in the corn with three smaller rings around it. The small picture in the middle shows whether the
    crop circle affects farmers, knights or followers on roads.
    """
    satellites = "".join(circle(x, y, 2, p.CORN, p.CORN_LINE, 0.8) for x, y in ((0, -12.4), (10.8, 6.2), (-10.8, 6.2)))
    return (
        satellites
        + circle(0, 0, 9.4, p.CORN, p.CORN_LINE, 1.8)
        + path(CROP_MARKS[role], stroke=p.CORN_LINE, width=1.7, stroke_linecap="round", stroke_linejoin="round")
    )


SIGNS = {f"crop circle: {role}": Sign(functools.partial(crop_circle, role)) for role in CROP_MARKS}
