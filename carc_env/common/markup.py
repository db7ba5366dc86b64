"""Write SVG elements as compact text."""

import html


def number(value: float) -> str:
    """Return a number as text with at most one decimal place."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def element(name: str, *inside: str, **attributes: object) -> str:
    """Return an SVG element.

    The keyword argument `data_x=1` becomes the attribute `data-x="1"`, and `class_` becomes `class`. Attributes that
    are None are left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def title_element(text: str) -> str:
    """Return a `<title>` element, which names a drawing or a part of it. The text may contain any characters."""
    return element("title", html.escape(text))


def path(
    d: str, fill: str | None = "none", stroke: str | None = None, width: float | None = None, **attributes: object
) -> str:
    """Return a `<path>` element. With fill=None, the path inherits the fill of its parent element."""
    return element("path", d=d, fill=fill, stroke=stroke, stroke_width=width, **attributes)


def circle(
    x: float, y: float, r: float, fill: str | None = None, stroke: str | None = None, width: float | None = None
) -> str:
    """Return a `<circle>` element with the centre (x, y)."""
    return element("circle", cx=x or None, cy=y or None, r=r, fill=fill, stroke=stroke, stroke_width=width)


def use(name: str, x: float = 0, y: float = 0, **attributes: object) -> str:
    """Return a `<use>` element, which shows the drawing with the id `name` at the point (x, y)."""
    return element("use", href=f"#{name}", x=x or None, y=y or None, **attributes)


def move(x: float, y: float, scale: float = 1, lying: bool = False) -> str:
    """Return the value of a `transform` attribute that moves and scales a drawing.

    If `lying` is True, the attribute also rotates the drawing by 90 degrees.
    """
    return (
        f"translate({number(x)} {number(y)})"
        + (" rotate(90)" if lying else "")
        + (f" scale({scale:.4g})" if scale != 1 else "")
    )


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return html.escape(str(value))
