"""What the tests of the drawing share: a way to look into it, and a small game to draw."""

import xml.etree.ElementTree as ElementTree

import carc_env

SVG = "{http://www.w3.org/2000/svg}"


def parse(drawing: str) -> ElementTree.Element:
    """The root element of a drawing; fails if it is not valid XML."""
    return ElementTree.fromstring(drawing)


def marked(root: ElementTree.Element, **attributes: object) -> list[ElementTree.Element]:
    """The elements that carry these attributes: `data_x=1` stands for `data-x="1"`."""
    wanted = {name.replace("_", "-").rstrip("-"): str(value) for name, value in attributes.items()}
    return [e for e in root.iter() if all(e.get(name) == value for name, value in wanted.items())]


def texts(root: ElementTree.Element) -> list[str]:
    """All lines of text in a drawing."""
    return [e.get("data-text") for e in root.iter() if e.get("data-text")]


def small_game(*more: str) -> carc_env.Game:
    """Red on a road, Blue's monk on a gold tile, ingots there and on the start tile; then `more` answers."""
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    for answer in ("V@1,0/0", "meeple road S", "GM2@0,-1/180", "ingot 0,0", "meeple monastery", *more):
        game.play(answer)
    return game
