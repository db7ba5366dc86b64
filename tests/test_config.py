"""Tests of GameConfig: presets, reading and writing TOML, and the error messages for wrong configurations."""

import dataclasses

import pytest

import carc_env
from carc_env import ConfigError, GameConfig
from carc_env.boxes.tiles import BOX_NAMES
from carc_env.common import toml

NAMES = ("base", "goldmines", "goldmines-c1", "everything")


def test_presets():
    assert set(carc_env.presets()) >= set(NAMES)
    assert carc_env.preset("base") == GameConfig()
    assert carc_env.preset("goldmines") == GameConfig(boxes=("base", "goldmines"))
    assert carc_env.preset("goldmines-c1") == GameConfig(
        boxes=("base", "goldmines", "crop_circles"), edition="C1", crop_circle_tiles=("CR7",)
    )
    assert set(carc_env.preset("everything").boxes) == set(BOX_NAMES) - {"map_chips"}  # needs a map sheet


@pytest.mark.parametrize(
    ("name", "tiles"), [("base", 72), ("goldmines", 80), ("goldmines-c1", 81), ("expansions", 122), ("everything", 177)]
)
def test_number_of_tiles(name, tiles):
    game = carc_env.Game(name, seed=0)
    assert len(game.deck) + 1 == tiles  # the deck and the start tile
    assert game.tiles_left + (game.tile is not None) == tiles - 1


def test_defaults():
    config = GameConfig()
    assert (config.players, config.boxes, config.tiles_only, config.edition, config.meeples) == (
        2,
        ("base",),
        (),
        "C2",
        7,
    )
    assert config.starts == (("D", 0, 0, 0),)
    assert (config.small_city_points, config.gold_rule) == (4, "hig")


def test_what_was_filled_in_is_filled_in_anew():
    """Checks that a change of a configuration updates the defaults that depend on other fields, and keeps the values
    that were given.
    """
    base = carc_env.preset("base")
    on_sheet = dataclasses.replace(base, sheet="france")
    assert (on_sheet.meeples, on_sheet.starts) == (9, None)
    assert dataclasses.replace(on_sheet, sheet=None) == base
    assert dataclasses.replace(base, players=3).starts == (("D", 0, 0, 0),)
    assert dataclasses.replace(GameConfig(meeples=7), sheet="france").meeples == 7


@pytest.mark.parametrize("tiles", [("CR7",), ("CR1", "CR12", "CR12")])
def test_crop_circle_tiles(tiles):
    config = GameConfig(boxes=("base", "crop_circles"), crop_circle_tiles=tiles)
    deck = carc_env.Game(config, seed=0).deck
    assert sorted(tile for tile in deck if tile.startswith("CR")) == sorted(tiles)


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        GameConfig().players = 3
    assert hash(GameConfig()) == hash(GameConfig(boxes=["base"]))  # lists become tuples


@pytest.mark.parametrize(
    "config",
    [
        *map(carc_env.preset, NAMES),
        GameConfig(players=5, boxes=("base", "goldmines", "abbot"), gold_rule="rgg_single_pass", small_city_points=2),
        GameConfig(starts=(("D", 0, 0, 90), ("V", 3, -2, 180)), tiles_only=("goldmines",), meeples=9, edition="C1"),
    ],
    ids=[*NAMES, "five players", "own start tiles"],
)
def test_toml_and_dict_give_it_back(config, tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(config.to_toml())
    assert GameConfig.from_toml(path) == config
    assert GameConfig.from_dict(config.to_dict()) == config
    written = {field.name for field in dataclasses.fields(config) if getattr(config, field.name) is not None}
    assert set(toml.loads(config.to_toml())) == written


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"players": 1}, ("players = 1", "2 to 5")),
        ({"players": 6}, ("players = 6", "2 to 5")),
        ({"players": "2"}, ("players = '2'", "int")),
        ({"players": 2.0}, ("players = 2.0", "int")),
        ({"players": True}, ("players = True", "int")),
        ({"meeples": 0}, ("meeples = 0", "1 to 9")),
        ({"meeples": 10}, ("meeples = 10", "1 to 9")),
        ({"boxes": ("base", "bas")}, ("'bas'", *BOX_NAMES[:2])),
        ({"boxes": ("base", "base")}, ("'base'", "twice")),
        ({"boxes": ("base",), "tiles_only": ("base",)}, ("'base'", "twice")),
        ({"boxes": ()}, ("boxes", "at least one")),
        ({"boxes": "base"}, ("boxes = 'base'", "should be a list")),
        ({"boxes": (3,)}, ("unknown box 3",)),
        ({"edition": "C3"}, ("edition = 'C3'", "'C1', 'C2'")),
        ({"small_city_points": 3}, ("small_city_points = 3", "4, 2")),
        ({"gold_rule": "rgg"}, ("gold_rule = 'rgg'", "'rgg_rounds'")),
        ({"starts": ()}, ("starts", "at least one")),
        ({"starts": (("D", 0, 0),)}, ("('D', 0, 0)", "(tile, x, y, rotation)")),
        ({"starts": (("D", 0, 0, 45),)}, ("45", "0, 90, 180 or 270")),
        ({"starts": (("D", 0.5, 0, 0),)}, ("0.5", "(tile, x, y, rotation)")),
        ({"starts": (("ZZ", 0, 0, 0),)}, ("unknown tile 'ZZ'",)),
        ({"gold_rule": "rgg_rounds"}, ("gold_rule = 'rgg_rounds'", "box goldmines", "not in boxes")),
        ({"crop_add": "must", "tiles_only": ("crop_circles",)}, ("crop_add", "box crop_circles", "not in boxes")),
        ({"unfinished_inn_cathedral": "ignore"}, ("unfinished_inn_cathedral", "inns_and_cathedrals")),
        ({"border_monastery": "nine"}, ("border_monastery = 'nine'", "sheet")),
        ({"chip_large_city_rule": "open_edges_only", "sheet": "france"}, ("chip_large_city_rule", "map_chips")),
        ({"abbey_end": "end_with_stack"}, ("abbey_end", "abbeys")),
        (
            {"abbey_end": "never", "boxes": ("base", "abbeys")},
            ("abbey_end = 'never'", "'offer_once', 'end_with_stack'"),
        ),
        ({"abbey_end": "end_with_stack", "tiles_only": ("abbeys",)}, ("abbey_end", "box abbeys", "not in boxes")),
        ({"ferry_requires_highwayman": True}, ("ferry_requires_highwayman = True", "box ferries", "not in boxes")),
        ({"ferry_requires_highwayman": 1, "boxes": ("base", "ferries")}, ("ferry_requires_highwayman = 1", "bool")),
        (
            {"special_monasteries": "keep", "tiles_only": ("special_monasteries",)},
            ("special_monasteries = 'keep'", "not in boxes"),
        ),
        (
            {"special_monasteries": "none", "boxes": ("base", "special_monasteries")},
            ("special_monasteries = 'none'", "'replace', 'keep'"),
        ),
        ({"boxes": ("base", "abbeys"), "tiles_only": ("abbeys",)}, ("'abbeys'", "twice")),
        ({"boxes": ("base", "castle")}, ("unknown box 'castle'", "castles", "german_castles")),
        ({"tiles_only": ("german_castles",)}, ("german_castles", "no tiles for the stack")),
        ({"starts": (("GC1", 0, 0, 0),)}, ("GC1", "such tiles are in the players' hands")),
        ({"starts": (("GC1b", 0, 0, 0),)}, ("GC1b", "such tiles are in the players' hands")),
        ({"starts": (("abbey", 0, 0, 0),)}, ("abbey", "such tiles are in the players' hands")),
        ({"boxes": ("base", "map_chips")}, ("map_chips", "sheet")),
        ({"boxes": ("base", "crop_circles"), "crop_circle_tiles": ("CR13",)}, ("'CR13'", "CR1 to CR12")),
        ({"boxes": ("base", "crop_circles"), "crop_circle_tiles": ()}, ("crop_circle_tiles", "at least one")),
        ({"crop_circle_tiles": ("CR1",)}, ("crop_circle_tiles", "not in boxes")),
        ({"sheet": "spain"}, ("unknown sheet 'spain'", "france")),
    ],
)
def test_a_wrong_setting_names_itself_and_what_would_be_right(settings, words):
    with pytest.raises(ConfigError) as refusal:
        GameConfig(**settings)
    message = str(refusal.value)
    assert all(word in message for word in words), message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ((("D", 0, 0, 0), ("V", 0, 0, 0)), ("there are two tiles on 0,0",)),
        ((("D", 0, 0, 0), ("C", 1, 0, 0)), ("does not match", "side E")),
        ((("D", 0, 0, 0), ("D", 24, 0, 0)), ("the tiles span 25 cells", "a layout spans at most 24", "table_size")),
        ((("D", 2000, 0, 0),), ("coordinates",)),
    ],
)
def test_start_tiles_that_cannot_lie_so(starts, words):
    with pytest.raises(ConfigError) as refusal:
        carc_env.Game(GameConfig(starts=starts), seed=0)
    assert all(word in str(refusal.value) for word in words), refusal.value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("player = 3", ("unknown key 'player'", "players, boxes")),
        ("players = 9", ("players = 9",)),
        ("players = ", ("Invalid value",)),
        ('boxes = "base"', ("boxes = 'base'",)),
        ("[boxes]\nbase = true", ("boxes = {'base': True}",)),
    ],
)
def test_a_wrong_file_names_itself_and_the_reason(tmp_path, text, words):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refusal:
        GameConfig.from_toml(path)
    message = str(refusal.value)
    assert message.startswith(str(path)) and all(word in message for word in words), message
    assert path.read_text() == text


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(ConfigError, match="mine.toml"):
        GameConfig.from_toml(tmp_path / "mine.toml")
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="mine.toml"):
        GameConfig.from_toml(tmp_path / "mine.toml")


@pytest.mark.parametrize("name", ["gold", "", "../goldmines", "Base"])
def test_an_unknown_preset(name):
    with pytest.raises(ConfigError, match="known presets are base, .*goldmines"):
        carc_env.preset(name)
    with pytest.raises(ConfigError, match="known presets are"):
        carc_env.Game(name, seed=0)


@pytest.mark.parametrize("config", [None, 7, ["base"], ("base",), 1.5, b"base"])
def test_something_else_than_a_configuration(config):
    with pytest.raises(
        ConfigError, match="a GameConfig, a dict of its fields, the path of a TOML file or the name of a preset, not"
    ):
        carc_env.Game(config, seed=0)


def test_every_way_to_give_a_configuration(tmp_path):
    config = dataclasses.replace(carc_env.preset("goldmines"), players=3)
    path = tmp_path / "mine.toml"
    path.write_text(config.to_toml())
    for given in (config, config.to_dict(), path, str(path), {"boxes": ["base", "goldmines"], "players": 3}):
        assert carc_env.Game(given, seed=1) == carc_env.Game(config, seed=1)
    for broken in ({"colour": "red"}, {"players": 9}, str(tmp_path / "other.toml"), tmp_path):
        with pytest.raises(ConfigError):
            carc_env.Game(broken, seed=1)
    with pytest.raises(ConfigError, match="the configuration should be a table of fields"):
        carc_env.GameConfig.from_dict(7)
