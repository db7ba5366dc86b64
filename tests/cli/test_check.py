"""Tests of `carc check`: the kinds of files, errors in files, map sheets drawn in letters, and pictures."""

import io
import json

import pytest
from PIL import Image

import carc_env
from carc_env.boxes.sheets import SHEETS, read_sheet
from carc_env.boxes.tiles import HOMES
from carc_env.render import ansi, sheet_letters, sheet_svg, svg
from carc_env.setup.config import PRESETS

SHEET = """
name = "mine"
title = "My sheet"
rows = ["oooo", "oCo.", ".ooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true },
        { name = "B", square = [3, 2], grape = "orange", start = true },
        { name = "C", square = [0, 1], grape = "orange" }]
large_city = [{ name = "L", squares = [{ square = [1, 1], edges = "CFFC", pennants = 1 }] }]
border = [{ square = [3, 0], edge = "E", kind = "road", to = "Italy" }]
"""
LETTERS = """\
       0   1   2   3

   0   P   .   .   .r!
           *
   1   o  *@x  .
           x
   2       .   .   O


. square  p l o town by its grape (purple, light blue, orange)  P L O the same on a start square
@ large city, its edges: * open, x closed  at the border: r road, c city, ! for each coat of arms
towns: A 0,0 purple (start); B 3,2 orange (start); C 0,1 orange
large cities: L 1,1 (1 pennant)
border: 3,0 E road to Italy (1 coat)
"""


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SHEET)
    return path


def test_check_knows_what_a_file_is(carc, record_file, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(carc_env.preset("goldmines").to_toml())
    own = tmp_path / "own.toml"
    own.write_text(carc_env.preset("france").to_toml())
    outcome = carc("check", record_file, HOMES / "goldmines" / "tiles.toml", config, own)
    assert outcome.status == 0 and outcome.err == ""
    assert outcome.out.splitlines() == [
        f"{record_file}: game records: 3, every move and score is correct",
        f"{HOMES / 'goldmines' / 'tiles.toml'}: box goldmines: 8 tiles of 8 kinds",
        f"{config}: configuration: 2 players, boxes base, goldmines, 79 tiles in the stack",
        f"{own}: configuration: 2 players, boxes base, map_chips, inns_and_cathedrals, traders_and_builders, "
        "map sheet france with 112 squares, 112 tiles in the stack",
    ]


def test_all_files_of_the_package_hold(carc):
    package = HOMES.parent
    files = set(package.rglob("*.toml")) - {package / "web" / "setting_words.toml"}  # texts of the web page
    assert carc("check", *files).status == 0
    assert set(PRESETS.glob("*.toml")) | set(SHEETS.glob("*.toml")) < set(package.rglob("*.toml"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SHEET.replace("[3, 2]", "[1, 1]"), "town B: 1,1 is not a square for tiles"),
        (SHEET.replace('grape = "purple"', 'grape = "red"'), "town A: grape 'red' should be one of"),
        (SHEET.replace('"E"', '"W"'), "border connection 3,0 W: the edge does not lie at the border"),
        (SHEET.replace('".ooo"', '".oo"'), "rows: row 2 has 3 letters and row 0 has 4"),
        (SHEET.replace("start = true", "start = false"), "0 start squares"),
        (SHEET.replace('"oooo"', '"oo.o"'), "these squares cannot be reached from the start squares: 3,0"),
        ("players = 3\ncolour = 'red'", "unknown key 'colour'"),
        ("players = 9", "players = 9"),
        (
            'tiles_only = ["goldmines"]\nboxes = []\nstarts = [["D", 0, 0, 0], ["D", 0, 0, 0]]',
            "starts: there are two tiles on 0,0",
        ),
        ("title = 'mine'", "lacks the key 'name'"),
        ("hello", "the file contains neither game records (one JSON object per line) nor TOML; as TOML: "),
        (
            (HOMES / "goldmines" / "tiles.toml").read_text().replace('edges = "FRRF"', 'edges = "FRRR"'),
            "tile GM1: edge W is R",
        ),
        (
            (HOMES / "goldmines" / "tiles.toml").read_text().replace("C2 = 8", "C2 = 9"),
            "C2 has 8 tiles, but the field `tiles` says 9",
        ),
    ],
)
def test_check_names_file_place_and_reason(carc, tmp_path, text, reason):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    outcome = carc("check", path)
    assert outcome.status == 1 and outcome.out == ""
    assert outcome.complaint.startswith(f"carc: {path}: ") and reason in outcome.complaint
    assert path.read_text() == text


def test_check_goes_on_after_a_file_that_does_not_hold(carc, tmp_path, record_file):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("players = 9")
    outcome = carc("check", wrong, record_file)
    assert outcome.status == 1 and str(wrong) in outcome.complaint and str(record_file) in outcome.out
    found = carc("check", wrong, record_file, "--json").json
    assert [entry["good"] for entry in found] == [False, True]
    assert "players = 9" in found[0]["error"] and found[1]["kind"] == "records"


# --- sheets -----------------------------------------------------------------------------------------------------------
def test_a_sheet_is_drawn_in_letters(carc, sheet):
    summary, _, letters = carc("check", sheet).out.partition("\n\n")
    assert summary == (
        f"{sheet}: sheet mine: 4 x 3, 9 squares for tiles, 3 towns; room for chips: 1 (any_edge), 3 (open_edges_only)"
    )
    assert letters == LETTERS + "\n"


def test_a_reconstruction_is_marked_as_such(carc):
    path = SHEETS / "france.toml"
    (found,) = carc("check", path, "--json").json
    assert found == {
        "file": str(path),
        "good": True,
        "kind": "sheet",
        "summary": "sheet france, a reconstruction, not the publisher's layout: 13 x 14, 112 squares for tiles, 12 towns; "
        "room for chips: 39 to 40 (any_edge), 42 to 44 (open_edges_only)",
    }
    assert sheet_letters(read_sheet("france")) in carc("check", path).out


# --- pictures ---------------------------------------------------------------------------------------------------------
def test_the_picture_of_a_sheet(carc, sheet, tmp_path):
    outcome = carc("check", sheet, "--picture", tmp_path / "out.svg")
    assert (outcome.status, outcome.err) == (0, "")
    assert (tmp_path / "out.svg").read_text() == sheet_svg(read_sheet(str(sheet)))


def test_the_picture_of_a_configuration_is_the_table_at_the_start(carc, sheet, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(carc_env.GameConfig(sheet=str(sheet)).to_toml())
    assert carc("check", config, "--picture", tmp_path / "out.svg").status == 0
    assert (tmp_path / "out.svg").read_text() == svg(carc_env.Game(carc_env.GameConfig.from_toml(config), seed=0))


def test_the_picture_of_game_records_is_the_last_position(carc, record_file, records, tmp_path):
    assert carc("check", record_file, "--picture", tmp_path / "out.svg").status == 0
    assert (tmp_path / "out.svg").read_text() == svg(carc_env.replay(records[-1]))
    assert ansi(carc_env.replay(records[-1])) in carc("replay", record_file).out


@pytest.mark.parametrize("name", ["out.png", "out.PNG"])
def test_a_picture_as_png(carc, sheet, tmp_path, name):
    assert carc("check", sheet, "--json", "--picture", tmp_path / name).json[0]["good"]
    with Image.open(io.BytesIO((tmp_path / name).read_bytes())) as picture:
        assert picture.format == "PNG" and picture.width == 1400


@pytest.mark.parametrize("name", ["out.gif", "out", "svg", "out.svg.txt"])
def test_a_picture_of_another_kind_is_wrong_usage(carc, sheet, tmp_path, name):
    outcome = carc("check", sheet, "--picture", tmp_path / name)
    assert outcome.status == 2 and outcome.out == "" and not (tmp_path / name).exists()
    assert outcome.complaint == f"carc: picture {tmp_path / name}: the name should end in .svg or .png"


def test_a_box_has_no_picture(carc, tmp_path):
    outcome = carc("check", HOMES / "base" / "tiles.toml", "--picture", tmp_path / "out.svg")
    assert outcome.status == 2 and not (tmp_path / "out.svg").exists()
    assert outcome.complaint == (
        f"carc: {HOMES / 'base' / 'tiles.toml'}: a box file cannot be drawn; only map sheets, "
        "configurations and game records can be drawn"
    )


def test_one_picture_is_of_one_file(carc, sheet, tmp_path):
    outcome = carc("check", sheet, sheet, "--picture", tmp_path / "out.svg")
    assert outcome.status == 2 and outcome.complaint == "carc: --picture draws one file, but several are given"
    assert not (tmp_path / "out.svg").exists()


def test_no_picture_of_what_does_not_hold(carc, sheet, tmp_path):
    sheet.write_text(SHEET.replace('"oooo"', '"oo.o"'))
    outcome = carc("check", sheet, "--picture", tmp_path / "out.svg")
    assert outcome.status == 1 and "these squares cannot be reached from the start squares: 3,0" in outcome.complaint
    assert not (tmp_path / "out.svg").exists()


def test_a_picture_that_cannot_be_written(carc, sheet, tmp_path):
    path = tmp_path / "nowhere" / "out.svg"
    outcome = carc("check", sheet, "--picture", path, "--json")
    assert outcome.status == 1 and outcome.complaint == f"carc: {path}: No such file or directory"
    assert json.loads(outcome.out) == [
        {"file": str(sheet), "good": False, "error": f"{path}: No such file or directory"}
    ]
