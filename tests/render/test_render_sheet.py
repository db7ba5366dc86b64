"""Tests of games on a map sheet, and of the map sheet alone, as drawings and as text."""

import dataclasses
import re

import pytest

import carc_env
from carc_env.bots import make
from carc_env.boxes.sheets import Sheet, read_sheet
from carc_env.common import palette
from carc_env.games.game import Figure, Placed
from carc_env.render import ansi, rgb_array, sheet_letters, sheet_svg, svg
from carc_env.render.facts import chips_face_down
from carc_env.render.sheet_art import covered_towns, room_around
from carc_env.render.svg import figures, fit
from tests.render.helpers import marked, parse, texts

SHEET = """
name = "mine"
title = "My sheet"
rows = ["oooo", "oCoo", "ooo."]
town = [{ name = "Arles", square = [0, 0], grape = "purple", start = true },
        { name = "Besan\N{LATIN SMALL LETTER C WITH CEDILLA}on", square = [3, 1], grape = "orange", start = true },
        { name = "Cahors", square = [0, 1], grape = "light_blue" }]
large_city = [{ name = "Lyon", squares = [{ square = [1, 1], edges = "CFFC", pennants = 2 }] }]
border = [{ square = [3, 0], edge = "E", kind = "road", to = "Italy" },
          { square = [1, 0], edge = "N", kind = "city", coats = 2, to = "Mainz" },
          { square = [2, 2], edge = "E", kind = "city", coats = 0 },
          { square = [0, 1], edge = "W", kind = "road", to = "Spain" },
          { square = [0, 2], edge = "S", kind = "road", to = "Spain" }]
"""
CHIPS = ((2, 0, "purple", 1), (0, 2, "orange", 2), (3, 0, "orange", 2), (2, 2, "light_blue", 1))
OTHER_FACES = tuple((x, y, "light_blue", 2) for x, y, *_ in CHIPS)


@pytest.fixture
def path(tmp_path) -> str:
    file = tmp_path / "mine.toml"
    file.write_text(SHEET, encoding="utf-8")
    return str(file)


@pytest.fixture
def sheet(path) -> Sheet:
    return read_sheet(path)


def a_game(path: str, chips=CHIPS, boxes=("base", "map_chips"), **settings) -> carc_env.Game:
    """Return a game whose two start tiles cover the two start towns. Red has to place a tile with one city edge."""
    starts = (("D", 0, 0, 0), ("B", 3, 1, 0))
    config = carc_env.GameConfig(boxes=boxes, sheet=path, starts=starts, **settings)
    return carc_env.Game(config, deck=["E", "B", "D"], chips=chips)


def everything(game: carc_env.Game) -> str:
    """Return all pictures and texts that show a game, joined to one text."""
    return svg(game) + svg(game, size=(1080, 810)) + ansi(game) + ansi(game, colour=True)


@pytest.fixture(scope="module")
def late() -> carc_env.Game:
    """Return a late position of the preset `carcassonne`, in which `greedy` has played for all players."""
    game, greedy = carc_env.Game("carcassonne", seed=1), make("greedy", seed=0)
    while game.tiles_left > 60:
        game.play(greedy.choose(game))
    return game


# --- the drawing ------------------------------------------------------------------------------------------------------
def test_every_square_town_large_city_and_connection_is_drawn(sheet):
    root = parse(sheet_svg(sheet))
    squares = {(int(e.get("data-x")), int(e.get("data-y"))) for e in marked(root, class_="square")}
    assert squares == sheet.squares and len(marked(root, class_="square")) == 10
    assert {(e.get("data-town"), e.get("data-grape")) for e in marked(root, class_="town")} == {
        ("Arles", "purple"),
        ("Besan\N{LATIN SMALL LETTER C WITH CEDILLA}on", "orange"),
        ("Cahors", "light_blue"),
    }
    assert [len(marked(town, class_="start")) for town in marked(root, class_="town")] == [1, 1, 0]
    (city,) = marked(root, class_="large-city")
    assert (city.get("data-edges"), len(marked(city, href="#coat"))) == ("CFFC", 2)
    assert {
        (e.get("data-edge"), e.get("data-kind"), e.get("data-to"), len(marked(e, href="#coat")))
        for e in marked(root, class_="border")
    } == {
        ("E", "road", "Italy", 1),
        ("N", "city", "Mainz", 2),
        ("E", "city", "", 0),
        ("W", "road", "Spain", 1),
        ("S", "road", "Spain", 1),
    }
    assert {"Lyon", "Arles", "Italy", "Mainz", "My sheet"} <= set(texts(root))


def test_a_large_city_has_walls_on_its_closed_edges_only(sheet):
    def walls(edges: str) -> int:
        large = tuple(dataclasses.replace(square, edges=edges) for square in sheet.large)
        (city,) = marked(parse(sheet_svg(dataclasses.replace(sheet, large=large))), class_="large-city")
        return len(marked(city, stroke_dasharray="1.4 5.6"))

    assert [walls(edges) for edges in ("CCCC", "CFCC", "CFFC", "FFFF")] == [0, 1, 2, 4]


def test_border_connections_stand_outside_where_there_is_room_for_them(sheet):
    room = room_around(sheet)
    assert room.north > 40 and room.south > 40 and room.east > 60 and room.west > 60
    bare = dataclasses.replace(sheet, borders=())
    assert all(less < more for less, more in zip(room_around(bare), room))
    turns = [
        e.find("{http://www.w3.org/2000/svg}g").get("transform")
        for e in marked(parse(sheet_svg(sheet)), class_="border")
    ]
    assert turns == [
        "rotate(90 50 50)",
        "rotate(0 50 50)",
        "rotate(90 50 50)",
        "rotate(270 50 50)",
        "rotate(180 50 50)",
    ]


def test_only_a_reconstruction_is_called_one(sheet):
    words = "A reconstruction, not the publisher's layout"
    assert words not in texts(parse(sheet_svg(sheet)))
    assert words in texts(parse(sheet_svg(read_sheet("france"))))
    assert words in texts(parse(svg(carc_env.Game("france", seed=0))))


def test_all_that_is_used_in_the_drawings_is_defined_in_them(sheet, late):
    for drawing in (sheet_svg(sheet), svg(late), svg(late, size=(1080, 810))):
        root = parse(drawing)
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids))
        assert {e.get("href") for e in root.iter() if e.get("href")} <= {"#" + i for i in ids}
        assert not re.search(r"<text|<image|font|<script|<style|https?://(?!www.w3.org/2000/svg)", drawing)


def test_a_game_shows_the_whole_sheet_and_its_tiles(path, sheet):
    game = a_game(path)
    root = parse(svg(game))
    assert len(marked(root, class_="square")) == len(sheet.squares)
    layout = fit(game, [], None)
    assert (layout.columns, layout.rows) == (range(4), range(3))
    assert {(e.get("data-tile"), e.get("data-x"), e.get("data-y")) for e in marked(root, class_="tile")} == {
        (t.tile, str(t.x), str(t.y)) for t in game.board()
    }


def test_a_covered_town_is_remembered_on_its_tile(path, sheet):
    root = parse(svg(a_game(path)))
    assert [e.get("data-town") for e in marked(root, class_="town")] == ["Cahors"]
    covered = marked(root, class_="covered-town")
    assert [e.get("data-town")[:5] for e in covered] == ["Arles", "Besan"]
    assert marked(covered[0], href="#grape-purple") and marked(covered[1], href="#grape-orange")
    assert covered_towns([]) == ""


@pytest.mark.parametrize("size", [(1080, 810), (500, 400)])
def test_the_sheet_fits_into_a_picture_of_fixed_size(late, size):
    layout, room = fit(late, [], size), room_around(read_sheet("france"))
    assert layout.left - layout.cell * room.west / 100 >= 0 and layout.top - layout.cell * room.north / 100 >= 0
    assert layout.left + layout.cell * (13 + room.east / 100) <= size[0]
    assert layout.top + layout.cell * (14 + room.south / 100) <= size[1]


def test_small_frames_leave_out_only_details(late):
    fine, small = parse(svg(late)), parse(svg(late, size=(1080, 810)))
    for kind in (
        "tile",
        "figure",
        "ingots",
        "chip",
        "square",
        "town",
        "covered-town",
        "large-city",
        "border",
        "chip-in-hand",
    ):
        assert len(marked(fine, class_=kind)) == len(marked(small, class_=kind)), kind
    assert len(svg(late, size=(1080, 810))) < 0.75 * len(svg(late))
    assert rgb_array(late).shape == (600, 800, 3)


# --- chips, goods, figures --------------------------------------------------------------------------------------------
def test_chips_lie_face_down_where_no_tile_lies(path):
    game = a_game(path)
    shown = {(int(e.get("data-x")), int(e.get("data-y"))) for e in marked(parse(svg(game)), class_="chip")}
    assert shown == set(chips_face_down(game)) == {(2, 0), (0, 2), (3, 0), (2, 2)}
    assert not marked(parse(svg(a_game(path, chips=()))), class_="chip")


def test_hidden_faces_change_no_drawing(path):
    one, other = a_game(path), a_game(path, OTHER_FACES)
    assert one.record()["chips"] != other.record()["chips"]
    assert everything(one) == everything(other)


def test_hidden_faces_change_no_drawing_in_a_whole_game(late):
    """The faces of the chips that still lie face down are changed directly in the game's state."""
    mixed = late.clone()
    chips = mixed.state["board"]["chip"]
    lying = ((chips >= 0) & (mixed.state["board"]["tile"] < 0)).nonzero()[0]
    assert len(lying) > 3 and len(set(chips[lying].tolist())) > 1
    before = everything(late)
    for shift in range(6):
        chips[lying] = (chips[lying] + 1) % 6
        assert everything(mixed) == before, shift


def test_a_taken_chip_is_shown_in_hand_with_its_face(path):
    game = a_game(path)
    game.state["players"]["chips"][1] = [[2, 0], [0, 0], [1, 3]]
    root = parse(svg(game))
    red, blue = (marked(root, class_="player", data_player=player)[0] for player in (0, 1))
    assert not marked(red, class_="chip-in-hand") and "no chips" in texts(red)
    assert [
        (e.get("data-colour"), e.get("data-value"), e.get("data-count"), texts(e))
        for e in marked(blue, class_="chip-in-hand")
    ] == [("purple", "1", "2", ["1", "2"]), ("orange", "1", "1", ["1", "1"]), ("orange", "2", "3", ["2", "3"])]
    fills = [e.find("{http://www.w3.org/2000/svg}circle").get("fill") for e in marked(blue, class_="chip-in-hand")]
    assert fills == [palette.GRAPES[colour] for colour in ("purple", "orange", "orange")]
    lines = ansi(game).splitlines()
    assert any(line.startswith("> 0 Red") and "chips none  wine sold for 0" in line for line in lines)
    assert any("chips purple 1+1, orange 1+2+2+2  wine sold for 0" in line for line in lines)


def test_points_of_wine_are_shown(late):
    wine = late.final_scores()["wine"].tolist()
    assert min(wine) > 0
    root = parse(svg(late))
    assert [int(e.get("data-points")) for e in marked(root, class_="wine-sold")] == wine
    assert all(f"wine sold for {points}" in ansi(late) for points in wine)


def test_only_what_the_boxes_have_is_shown(path):
    def shown(boxes):
        game = a_game(path, () if "map_chips" in boxes else None, boxes)
        root = parse(svg(game))
        kinds = {e.get("href")[1:] for player in marked(root, class_="player") for e in player.iter() if e.get("href")}
        text = "\n".join(line for line in ansi(game).splitlines() if line[2:5] in ("0 R", "1 B"))
        words = {word for word in ("chips", "goods", "ingots", "big", "builder", "pig", "abbot") if word in text}
        return kinds, words

    assert shown(("base",)) == ({"meeple"}, set())
    assert shown(("base", "goldmines", "abbot")) == ({"meeple", "ingot", "abbot"}, {"ingots", "abbot"})
    assert shown(("base", "map_chips")) == ({"meeple"}, {"chips"})
    assert shown(("base", "inns_and_cathedrals", "traders_and_builders")) == (
        {"meeple", "big", "builder", "pig", "wine", "grain", "cloth"},
        {"goods", "big", "builder", "pig"},
    )


def test_goods_are_counted(path):
    game = a_game(path, None, ("base", "traders_and_builders"))
    game.state["players"]["goods"][1] = [3, 0, 7]
    (player,) = marked(parse(svg(game)), class_="player", data_player=1)
    assert [(e.get("data-good"), e.get("data-count")) for e in marked(player, class_="goods")] == [
        ("wine", "3"),
        ("grain", "0"),
        ("cloth", "7"),
    ]
    assert "goods 3 wine, 0 grain, 7 cloth" in ansi(game)


def test_the_large_meeple_is_marked_as_well_as_large():
    root = parse(svg(carc_env.Game("expansions", seed=0)))
    meeple, big = (marked(root, id=name)[0] for name in ("meeple", "big"))
    assert len(list(big.iter())) == len(list(meeple.iter())) + 1
    pair = tuple(Figure(kind, 0, "road", "E") for kind in ("meeple", "big", "builder"))
    drawn = parse(f"<g>{figures([Placed('U', 0, 0, 0, 0, pair)])}</g>")
    assert [e.get("href") for e in drawn] == ["#meeple", "#big", "#builder"]


def test_every_player_card_lies_within_the_picture():
    boxes = ("base", "inns_and_cathedrals", "traders_and_builders", "map_chips", "goldmines")
    game = carc_env.Game(carc_env.GameConfig(players=6, boxes=boxes, sheet="france"), seed=0)
    for size in (None, (1080, 810)):
        root = parse(svg(game, size=size))
        (panel,) = marked(root, class_="panel")
        top, scale = re.search(r"translate\(\S+ (\S+)\)(?: scale\((\S+)\))?", panel.get("transform")).groups()
        last = [e for e in panel][-1]
        y = float(re.search(r"translate\(\S+ (\S+)\)", last.get("transform"))[1])
        assert float(top) + (y + 84) * float(scale or 1) <= float(root.get("height"))


# --- text -------------------------------------------------------------------------------------------------------------
LETTERS = """\
       0   1   2   3
           c!!
   0   P   .   .   .r!
           *
   1 r!l  *@x  .   O
           x
   2   .   .   .c
       r!
"""


def test_the_sheet_in_letters(sheet):
    drawn, _, rest = sheet_letters(sheet).partition("\n\n")
    assert drawn + "\n" == LETTERS
    assert rest.startswith(
        ". square  p l o town by its grape (purple, light blue, orange)  P L O the same on a start square\n"
    )
    assert (
        "towns: Arles 0,0 purple (start); Besan\N{LATIN SMALL LETTER C WITH CEDILLA}on 3,1 orange (start); "
        "Cahors 0,1 light blue" in rest
    )
    assert "large cities: Lyon 1,1 (2 pennants)" in rest
    assert "1,0 N city to Mainz (2 coats); 2,2 E city (0 coats); 0,1 W road to Spain (1 coat)" in " ".join(rest.split())
    assert all(len(line) <= 110 for line in sheet_letters(read_sheet("france")).splitlines())


def test_a_game_on_a_sheet_in_letters(path):
    lines = ansi(a_game(path)).splitlines()
    assert lines[0].split() == ["-1", "0", "1", "2", "3", "4"]
    rows = {line[:5].strip(): line[5:] for line in lines[1:] if line[:5].strip() in ("-1", "0", "1", "2", "3")}
    cells = {y: [f"{row:<42}"[7 * x : 7 * x + 7] for x in range(6)] for y, row in rows.items()}
    assert [cell.strip() for cell in cells["0"]][2:] == ["", "(?)", "(?)", "<R!Ital"]
    assert [cell.strip() for cell in cells["1"]] == ["R!Spai>", "^l", "%Lyo!!X", "", "...M...", ""]
    assert [cell.strip() for cell in cells["2"]] == ["", "(?)", "", "(?)", "<C", ""]
    text = "\n".join(lines)
    assert "vC!!Mai" in text and "^R!Spai" in text and ",Cahor," in text
    assert "Arles" not in text  # a tile covers the town
    assert lines[-1] == "sheet mine" and "(?) chip face down" in lines[-2]


def test_colours_of_a_sheet_add_only_escape_codes(path):
    game = a_game(path)
    plain = re.sub(r"\033\[[\d;]*m", "", ansi(game, colour=True))
    assert [line.rstrip() for line in plain.splitlines()] == ansi(game).splitlines()


def test_a_reconstruction_is_told_under_the_letters():
    assert ansi(carc_env.Game("france", seed=0)).endswith(
        "sheet france, a reconstruction, not the publisher's layout\n"
    )
