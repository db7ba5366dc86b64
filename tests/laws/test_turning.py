"""Law: turning or mirroring the table changes no result."""

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

import carc_env
from carc_env.boxes.sheets import SHEETS
from carc_env.common import toml

from .games import CONFIGS, OTHER_READINGS, SYSTEMS, UP_TO_CHIPS, chips_of, dictated, random_answer, seeds, starts_of
from .printed import ACROSS, FACTS, SPOTS, box_of, turn_spot

MIRROR = {
    "E": "W",
    "W": "E",
    "Nw": "Ne",
    "Ne": "Nw",
    "En": "Wn",
    "Es": "Ws",
    "Se": "Sw",
    "Sw": "Se",
    "Ws": "Es",
    "Wn": "En",
}


def looks(tile, rotation=0, mirrored=False):
    """Return what is visible on a tile. Two tiles with equal results look the same."""

    def move(spot):
        return turn_spot(MIRROR.get(spot, spot) if mirrored else spot, rotation // 90)

    fact, found = FACTS[tile], []
    cities = [s["spots"] for s in fact["segments"] if s["kind"] == "city"]
    for s in fact["segments"]:
        beside = {
            frozenset(map(move, city))
            for city in cities
            for edge in s.get("adjoins_city_with_edge", ())
            if edge in city
        }
        signs = {key: value for key, value in s.items() if key not in ("kind", "spots", "adjoins_city_with_edge")}
        spots = sorted(map(move, s.get("spots", [])), key=SPOTS.index)
        found.append((s["kind"], str(spots), str(signs), str(sorted(map(sorted, beside)))))
    return sorted(found), fact.get("gold"), fact.get("crop_circle"), fact["extra"]


def mirror_images():
    """Return {tile: (tile, rotation)}: the tile and rotation that look like the first tile in a mirror. Tiles without a
    mirror image in the boxes are left out.
    """
    tiles = [tile for tile in FACTS if box_of(tile) != "german_castles"]
    seen = {repr(looks(tile, rotation)): (tile, rotation) for tile in reversed(tiles) for rotation in (270, 180, 90, 0)}
    found = {tile: seen.get(repr(looks(tile, mirrored=True))) for tile in tiles}
    return {tile: image for tile, image in found.items() if image}


IMAGES = mirror_images()


@dataclass(frozen=True)
class Move:
    """How a second table is made from the first one: mirrored or not, and then turned clockwise. A free table counts as
    one column and one row.
    """

    mirrored: bool
    quarters: int
    columns: int = 1
    rows: int = 1

    def square(self, x, y):
        """Return where a square of the first table is on the second."""
        columns, rows = self.columns, self.rows
        x = columns - 1 - x if self.mirrored else x
        for _ in range(self.quarters):
            x, y, columns, rows = rows - 1 - y, x, rows, columns
        return x, y

    def spot(self, spot):
        """Return where a spot of a tile is on the second table."""
        return turn_spot(MIRROR.get(spot, spot) if self.mirrored else spot, self.quarters)

    def tile(self, tile, rotation):
        """Return the tile and the rotation on the second table."""
        if self.mirrored:
            tile, rotation_of_image = IMAGES[tile]
            rotation = rotation_of_image - rotation
        return tile, (rotation + 90 * self.quarters) % 360

    def text(self, text):
        """Return the text of an action on the second table."""
        if text.startswith("castle "):
            _, where, side, *scored = text.split()
            return " ".join(
                [
                    "castle",
                    *self.castle(*map(int, where.split(",")), self.spot(side)),
                    *map(self.text, [" ".join(scored)] * bool(scored)),
                ]
            )
        words = []
        for word in text.split():
            where = word.split("@")[-1].split("/")[0]
            if "," in where:
                cell = "{},{}".format(*self.square(*map(int, where.split(","))))
                if word.startswith("abbey@"):
                    cell = f"abbey@{cell}"
                elif "@" in word:
                    tile, rotation = self.tile(word.split("@")[0], int(word.split("/")[1]))
                    cell = f"{tile}@{cell}/{rotation}"
                words.append(cell)
            else:
                words.append("-".join(map(self.spot, word.split("-"))))
        return " ".join(words)

    def castle(self, x, y, side):
        """Return the cell and the edge that name a castle on the second table: those of its northern or western square.
        `side` is the edge on the second table.
        """
        x, y = self.square(x, y)
        if side in ("N", "W"):
            dx, dy, side = ACROSS[side]
            x, y = x + dx, y + dy
        return f"{x},{y}", side

    def starts(self, starts):
        """Return the start tiles of the second table."""
        return tuple(
            (moved, *self.square(x, y), turned)
            for tile, x, y, rotation in starts
            for moved, turned in [self.tile(tile, rotation)]
        )

    def sheet(self, data):
        """Return the sheet of the second table, as data for a TOML file."""
        rows = data["rows"]
        at = {self.square(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        columns, height = (max(place[axis] for place in at) + 1 for axis in (0, 1))

        def there(entry):
            return entry | {"square": list(self.square(*entry["square"]))}

        def turned(edges):
            return "".join(dict(zip(map(self.spot, "NESW"), edges, strict=True))[edge] for edge in "NESW")

        large = [
            city | {"squares": [there(square) | {"edges": turned(square["edges"])} for square in city["squares"]]}
            for city in data.get("large_city", [])
        ]
        return data | {
            "rows": ["".join(at[x, y] for x in range(columns)) for y in range(height)],
            "town": [there(town) for town in data.get("town", [])],
            "border": [there(border) | {"edge": self.spot(border["edge"])} for border in data.get("border", [])],
            "large_city": large,
        }


def sizes(game):
    """Return the features without their places."""
    return sorted((f.kind, f.tiles, f.open, f.pennants, f.strength, f.is_complete) for f in game.features())


def points(game):
    """Return the points by source as plain lists."""
    return {source: points.tolist() for source, points in game.final_scores().items()}


def play_both(game, seen, move, seed):
    """Check that a game played on both tables has the same decisions, legal actions, points, gold, chips and goods."""
    rng = random.Random(seed)
    while not game.is_over:
        in_hand = game.tile and move.tile(game.tile, 0)[0]
        assert (game.player, game.phase, in_hand) == (seen.player, seen.phase, seen.tile)
        legal = game.legal_actions().tolist()
        assert len(legal) == len(seen.legal_actions())
        some = rng.sample(legal, min(len(legal), 12))
        assert len({seen.action(move.text(game.text(action))) for action in some}) == len(some)
        text = game.text(random_answer(rng, game))
        game.play(text)
        seen.play(move.text(text))
        assert game.ingots.tolist() == seen.ingots.tolist()
        assert game.chips.tolist() == seen.chips.tolist() and game.goods.tolist() == seen.goods.tolist()
        assert points(game) == points(seen)
    assert seen.is_over
    assert sizes(game) == sizes(seen)


# How many games are played on two tables. All points are compared after every action, which takes time.
TURNS = -(-settings().max_examples * 2 // 3)
# By RGG's wording, the order in which ingots are taken depends on compass directions; by HiG's wording it does not.
CONFIGS_TO_TURN = [
    config
    for config in CONFIGS
    if config.gold_rule == "hig" and config.sheet is None and "german_castles" not in config.boxes
]
CONFIGS_TO_TURN.append(
    carc_env.GameConfig(players=3, boxes=(*UP_TO_CHIPS[:-1], *(box for box in SYSTEMS if box != "german_castles")))
)


@settings(max_examples=TURNS)
@given(st.sampled_from(CONFIGS_TO_TURN), seeds, st.integers(1, 3))
def test_turned_table(config, seed, quarters):
    """On a table turned by 90, 180 or 270 degrees, a game has the same actions and points."""
    game, move = carc_env.Game(config, seed=seed), Move(False, quarters)
    play_both(game, dictated(game, starts=move.starts(starts_of(game))), move, seed)


@given(st.sampled_from(CONFIGS_TO_TURN), seeds, st.integers(0, 3))
def test_mirrored_table(config, seed, quarters):
    """On a mirrored table, with mirrored tiles, a game has the same actions and points."""
    move, rng = Move(True, quarters), random.Random(seed)
    deck = rng.choices([tile for tile in IMAGES if box_of(tile) in config.all_boxes], k=40)
    game = carc_env.Game(config, deck=deck)
    seen = dictated(game, deck=[IMAGES[tile][0] for tile in deck], starts=move.starts(starts_of(game)))
    play_both(game, seen, move, seed)


# --- sheets -----------------------------------------------------------------------------------------------------------
SMALL = Path(__file__).parents[1] / "data" / "sheets" / "small.toml"
FRANCE = SHEETS / "france.toml"
MOVES = [(mirrored, quarters) for mirrored in (False, True) for quarters in range(4)][1:]


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    """Return {(path, mirrored, quarter turns): (Move, path of the moved sheet)}."""
    folder, found = tmp_path_factory.mktemp("sheets"), {}
    for path in (SMALL, FRANCE):
        data = toml.loads(path.read_text())
        for mirrored, quarters in MOVES:
            move = Move(mirrored, quarters, len(data["rows"][0]), len(data["rows"]))
            file = folder / f"{path.stem}-{mirrored}-{quarters}.toml"
            file.write_text(tomli_w.dumps(move.sheet(data)))
            found[path, mirrored, quarters] = move, str(file)
    return found


def on_sheet(path, **settings):
    """Return a configuration with all boxes of UP_TO_CHIPS on this sheet."""
    return carc_env.GameConfig(boxes=UP_TO_CHIPS, sheet=str(path), **settings)


@given(st.sampled_from(MOVES), st.booleans(), seeds)
def test_turned_small_sheet(sheets, how, other_readings, seed):
    """On a turned or mirrored copy of the small sheet, a game is the same. Tiles, start tiles and chips are random."""
    move, file = sheets[(SMALL, *how)]
    rng = random.Random(seed)
    settings = OTHER_READINGS | {"gold_rule": "hig"} if other_readings else {}
    tiles = list(IMAGES) if move.mirrored else list(FACTS)
    deck = [tile for tile in rng.choices(tiles, k=60) if box_of(tile) in UP_TO_CHIPS]
    starts = [
        (tile, *place, rotation)
        for tile, place, rotation in zip(
            rng.sample(["D", "U", "B", "GM1", "K", "X"], 2),
            rng.sample([(1, 3), (4, 4), (3, 3)], 2),
            rng.choices([0, 90, 180, 270], k=2),
            strict=True,
        )
    ]
    config = on_sheet(SMALL, players=rng.choice([2, 3, 6]), starts=tuple(starts), **settings)
    free = [(x, y) for x in range(6) for y in range(5) if (x, y) not in {(2, 1), (3, 1), (1, 3), (4, 4), (3, 3)}]
    chips = [
        (x, y, rng.choice(["purple", "light_blue", "orange"]), rng.choice([1, 2])) for x, y in rng.sample(free, 18)
    ]
    play_moved(carc_env.Game(config, deck=deck, chips=chips), move, file, seed)


@settings(max_examples=TURNS)
@given(st.sampled_from(MOVES), seeds)
def test_turned_france(sheets, how, seed):
    """On the sheet of France, turned or mirrored, a game is the same. Its chips are those of its seed."""
    move, file = sheets[(FRANCE, *how)]
    game = carc_env.Game(on_sheet(FRANCE), seed=seed)
    if move.mirrored:  # tiles that have no mirror image are left out
        starts = tuple((rest[0] in IMAGES and rest or ("D", *rest[1:])) for rest in starts_of(game))
        game = dictated(game, deck=[tile for tile in game.record()["deck"] if tile in IMAGES], starts=starts)
    play_moved(game, move, file, seed)


def play_moved(game, move, file, seed):
    """Play the game on its sheet and on the moved sheet."""
    deck = [move.tile(tile, 0)[0] for tile in game.record()["deck"]]
    chips = [(*move.square(x, y), colour, value) for x, y, colour, value in chips_of(game)]
    config = replace(game.config, sheet=file, starts=move.starts(starts_of(game)))
    play_both(game, carc_env.Game(config, deck=deck, chips=chips), move, seed)
