"""Printed sheets (Carcassonne Maps): their squares, borders, towns and large cities.

squares  {(x, y), ...}                      where tiles may lie
large    {(x, y): {"city": "Paris", "segment": ..., "edges": "CCFC"}}   printed squares of large cities
towns    {(x, y): {"grape": "orange", "start": True}}
borders  {((x, y), "N"): {"kind": "road", "coats": 1}}                  what is printed at the border
"""

import json
import sys
from functools import cache
from pathlib import Path

from .tiles import EDGES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SHEETS = Path(__file__).parents[2] / "carc_env" / "data" / "sheets"


class Sheet:
    """A printed map, made from the contents of its TOML file."""

    def __init__(self, printed):
        self.squares = {
            (x, y) for y, row in enumerate(printed["rows"]) for x, letter in enumerate(row) if letter == "o"
        }
        self.towns = {tuple(t["square"]): {"start": False, **t} for t in printed.get("town", [])}
        self.borders = {(tuple(b["square"]), b["edge"]): {"coats": 1, **b} for b in printed.get("border", [])}
        self.large = {}
        for number, city in enumerate(printed.get("large_city", [])):
            for square in city["squares"]:
                self.large[tuple(square["square"])] = {
                    "city": number,
                    "edges": square["edges"],
                    "segment": city_segment(square["edges"], square["pennants"]),
                }

    def exists(self, cell):
        """True if there is a square here, either for a tile or printed with a large city."""
        return cell in self.squares or cell in self.large

    def squares_of(self, city):
        """Return all squares of a large city."""
        return [square for square, what in self.large.items() if what["city"] == city]

    def wanted_at_border(self, cell, edge):
        """Return R or C if a road or city is printed at the border and must be matched; None at a neutral border."""
        border = self.borders.get((cell, edge))
        return border["kind"][0].upper() if border else None

    def coats_at_border(self, cell, edge):
        """Return the number of coats of arms printed at this edge."""
        border = self.borders.get((cell, edge))
        return border["coats"] if border else 0

    def leads_abroad(self, cell):
        """True if a foreign road or city with a coat of arms is printed at an edge of this square."""
        return any(self.coats_at_border(cell, edge) for edge in EDGES)


def city_segment(edges, pennants):
    """Return the city segment of a printed square of a large city. Its edges are fixed, and it has no field."""
    spots = tuple(edge for edge, letter in zip(EDGES, edges, strict=True) if letter == "C")
    return {
        "kind": "city",
        "spots": spots,
        "pennants": pennants,
        "beside_cities": (),
        "symbol": None,
        "good": None,
        "semicircle": False,
    }


def read_sheet(sheet):
    """Return the sheet with this name or path, or the one described by this table or TOML text."""
    return sheet_of(json.dumps(sheet) if isinstance(sheet, dict) else sheet)


@cache
def sheet_of(text):
    """Return the sheet of a name, a path or a text, which is read once. A table is given as JSON."""
    if text.startswith("{"):
        return Sheet(json.loads(text))
    path = SHEETS / f"{text}.toml"
    return Sheet(
        tomllib.loads(text if "\n" in text else (path if path.exists() else Path(text)).read_text(encoding="utf-8"))
    )
