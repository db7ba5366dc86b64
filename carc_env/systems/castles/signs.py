"""Draws the token of a castle, its gate, and the bazaar that is printed on some tiles."""

from carc_env.common import palette as p
from carc_env.common.markup import element, move, path, use
from carc_env.systems.sign import BUILDING, Sign
from carc_env.systems.where import EDGE_MIDDLES


def bazaar() -> str:
    """Draw a market stall with a striped awning."""
    return (
        path("M-11-1V9H11V-1", p.PLASTER, **p.OUTLINE)
        + path("M-13 0L-9-9H9L13 0Z", p.ROOF)
        + path("M-8.6 0L-5.4-9H-1.8L-2.6 0ZM3 0L2.2-9H5.8L8.6 0Z", p.PLASTER)
        + path("M-8 9V4H8V9Z", p.ROOF_BROWN)
        + path("M-13 0L-9-9H9L13 0Z", **p.OUTLINE)
    )


def castle_token() -> str:
    """Draw a castle token in its player's colour, about 52 units wide and 34 units high. The castle has two towers, and
    a gate where the lord stands.
    """
    d = (
        "M-26 20V-14H-22V-9.6H-18.6V-14H-14.4V-9.6H-11V-14H-7V-5H-4V-8.6H-1.4V-5H1.4V-8.6H4V-5H7V-14H11V-9.6H14.4V-14H18.6V-9.6H22"
        "V-14H26V20Z"
    )
    return (
        path(d, stroke=p.PLASTER, width=6, stroke_linejoin="round")
        + path(d, None, p.FIGURE_LINE, 1.6, stroke_linejoin="round")
        + path("M-19.4-4V2M19.4-4V2M-19.4 9V14M19.4 9V14", stroke=p.PLASTER, width=2.6)
        + path("M-12.4 20V6a12.4 12.4 0 0 1 24.8 0V20Z", p.PLASTER, p.FIGURE_LINE, 1.2)
    )


def castle_gate() -> str:
    """Draw the closed gate of a castle whose lord has left."""
    return path("M-12.4 20V6a12.4 12.4 0 0 1 24.8 0V20Z", p.WALL, p.FIGURE_LINE, 1.2) + path(
        "M-6.4 20V-4M0 20V-6M6.4 20V-4M-12 5H12M-12 12.4H12", stroke=p.WALL_TOP, width=1.5
    )


def castle(x: int, y: int, side: str, player: int, has_lord: bool) -> str:
    """Draw a castle token on the edge of a cell, in its player's colour. If the lord has left, the gate is closed."""
    dx, dy = EDGE_MIDDLES[side]
    return element(
        "g",
        use("castle-token"),
        *([] if has_lord else [use("castle-gate")]),
        class_="castle",
        fill=p.PLAYERS[player][1],
        transform=move(100 * x + dx, 100 * y + dy),
        data_x=x,
        data_y=y,
        data_side=side,
        data_player=player,
        data_lord=int(has_lord),
    )


SIGNS = {"bazaar": Sign(bazaar, "z", "z bazaar", BUILDING, in_middle=True)}
PIECES = {"castle-token": castle_token, "castle-gate": castle_gate}
