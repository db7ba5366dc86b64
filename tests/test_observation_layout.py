"""Tests of the layout of actions and observations: it stays the same, it has room for all systems, and observations
keep within its bounds.
"""

import dataclasses
import os

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env.boxes import layout
from carc_env.boxes.actions import TABLE
from carc_env.boxes.tiles import LAST_IDS, SPOTS, printed_kinds, tile_kinds, tile_table
from carc_env.observing import encode
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.prospects import default_prices
from carc_env.observing.spaces import layout_of, spots_of, things_of, window_of
from carc_env.observing.standing import survey
from carc_env.rules.state import FIRST_PRINTED, MAX_KINDS, Phase, Spot
from carc_env.setup.config import as_config, presets
from tests.modes import sized

GROUPS = {"planes": layout.PLANES, "globals": layout.GLOBALS, "candidates": layout.COLUMNS, "table": layout.STANDING}
GAMES = sized(2, 1, 1)  # games of each preset


COMMON = {25: "e20ac87aade11f02", 31: "abca05b10bb0b099", 75: "3218f8c987303391"}  # hashes by table size
OF_PRESETS = {
    "base": "92c2150969239716",
    "carcassonne": "4a5198481e958d06",
    "everything": "e5fa163343fe55c5",
    "expansions": "0e9474f34dc3822b",
    "france": "3c3c83c584cd8d9c",
    "goldmines": "1538783321e1f708",
    "goldmines-c1": "95e572ed5857c5d5",
}


def test_the_layout_stays_as_it_is(usual_sizes):
    """Checks that the layout is unchanged, because agents and programs depend on it. A change that cannot be avoided
    also changes VERSION and this test, and is listed in the changelog.
    """
    assert (layout.VERSION, layout.ROWS_VERSION, encode.layout_hash("candidates")) == (4, 3, "be32d15e29681ce1")
    assert {
        size: encode.layout_hash(layout=layout_of(size, "common")) for size in COMMON
    } == COMMON and encode.layout_hash() == COMMON[25]
    assert {name: encode.layout_hash(layout=layout_of(carc_env.preset(name))) for name in presets()} == OF_PRESETS


def test_there_is_room_for_all_systems():
    assert (
        MAX_KINDS == 208
        and len(tile_kinds()) <= FIRST_PRINTED == len(layout.LAND_KINDS)
        and FIRST_PRINTED + len(printed_kinds()) == MAX_KINDS
    )
    assert {"PLACE_ABBEY", "PLACE_GERMAN_CASTLE", "PLACE_FERRY", "MOVE_FERRY", "FOUND_CASTLE", "CASTLE_SCORE"} <= {
        p.name for p in Phase
    }
    for name in ("shrine", "hut", "castle", "cathedral", "lying", "2N", "2Nw", "2Wn"):
        assert name in SPOTS
    assert {"ferry", "castle", "castle_side", "choice", "bonus_N"} <= set(layout.PLANES)
    assert {"offer", "abbeys_5", "castle_tokens_0", "holds_GC6_5", "hand_GK1", "left_GC6b"} <= set(layout.GLOBALS)
    assert {"ferry", "castle_score"} <= {block.name for block in TABLE}


def test_tile_kinds_keep_their_numbers():
    assert tuple(kind.id for kind in tile_kinds())[-len(LAST_IDS) :] == LAST_IDS
    assert [kind.id for kind in tile_kinds()] == list(layout.LAND_KINDS[: len(tile_kinds())])
    table = tile_table()[0]["kinds"]
    assert (table["n_segments"][len(tile_kinds()) : FIRST_PRINTED] == 0).all() and (
        table["n_segments"][FIRST_PRINTED:] == 1
    ).all()


def test_spots_are_named_as_they_are_numbered():
    def written(spot: Spot) -> str:
        name = spot.name.removeprefix("SECOND_")
        name = name.capitalize() if len(name) <= 2 else name.lower()
        return ("2" if spot.name.startswith("SECOND_") else "") + name

    assert tuple(written(spot) for spot in Spot) == SPOTS


@pytest.mark.parametrize("name", GROUPS)
def test_every_entry_says_what_it_is(name):
    for what, entry in GROUPS[name].items():
        assert entry.kind in layout.KINDS and entry.meaning and entry.low <= entry.high, what
        assert entry.kind == "signed" or entry.low == 0, what
        assert entry.high == 1 or entry.kind not in ("flag", "share"), what


def test_spaces_have_these_bounds():
    space = gymnasium.make("carc_env/Base-v0", observation="both", spaces="common", price=True).observation_space
    for name in ("planes", "globals", "candidates"):
        for k, entry in enumerate(GROUPS[name].values()):
            at = (slice(None), k) if name == "candidates" else k
            assert (space[name].low[at] == entry.low).all() and (space[name].high[at] == entry.high).all()


def seen(game: carc_env.Game, player: int) -> dict[str, np.ndarray]:
    """Return what a player observes. The first axis of each array has the entries of the layout."""
    found = game.observe(player, ObservationSpec(layout_of(game.config.table_size, "common"), "both", price=True))
    table = np.zeros((1, layout.N_STANDING), np.float32)
    survey(game.clone()._games, np.arange(1), tile_table(), default_prices(), np.array([player]), table)
    return {
        "planes": found["planes"].reshape(layout.N_PLANES, -1),
        "globals": found["globals"][:, None],
        "candidates": found["candidates"].T,
        "table": table.T,
    }


@pytest.mark.parametrize("preset", presets())
def test_all_that_is_ever_seen_is_as_they_say(preset):
    rng = np.random.default_rng(5)
    for seed in range(GAMES):
        game = carc_env.Game(as_config(preset, players=2 + seed), seed)
        things = things_of(game.config)
        every = 1 if os.environ.get("NUMBA_DISABLE_JIT") != "1" else 40
        while not game.is_over:
            game.play(rng.choice(game.legal_actions()))
            if game.state["n_moves"] % every and not game.is_over:
                continue
            for name, numbers in seen(game, int(rng.integers(game.players))).items():
                for entry, some in zip(GROUPS[name].values(), numbers, strict=True):
                    assert entry.low <= some.min() and some.max() <= entry.high, entry
                    if entry.kind in ("flag", "category"):
                        assert (some == np.round(some)).all(), entry
                    if not entry.is_in(things):
                        assert not some.any(), entry


# --- what a layout of one configuration leaves out --------------------------------------------------------------------
def test_a_follower_can_lie_on_special_monasteries_alone():
    def spots(*boxes):
        return {SPOTS[spot] for spot in spots_of(carc_env.GameConfig(boxes=("base", *boxes)))}

    assert {"N", "monastery"} < spots() and "lying" not in spots()
    assert spots("special_monasteries") == spots() | {"lying"}


def test_what_a_configuration_has_is_named():
    sheet, gold = {"sheet", "large cities", "borders", "towns", "coats"}, "ingots feature by feature"
    assert sheet < things_of(carc_env.preset("france")) and "base" in things_of(carc_env.preset("france"))
    goldmines = carc_env.preset("goldmines")
    assert not (sheet | {gold}) & things_of(goldmines) and "tile GM1" in things_of(goldmines)
    assert gold in things_of(dataclasses.replace(goldmines, gold_rule="rgg_rounds"))


def test_a_tile_that_a_layout_cannot_show_is_refused():
    own = layout_of(carc_env.GameConfig(), "game")
    own.check_deck(["U", "B"])
    with pytest.raises(carc_env.DeckError, match=r"deck\[1\] = 'GM1': the configuration does not contain this tile"):
        own.check_deck(["U", "GM1"])


def test_actions_lead_to_common_ids_and_back():
    own = layout_of(carc_env.GameConfig(), "game")
    actions = np.arange(own.n_actions)
    assert np.array_equal(own.from_common(own.to_common(actions)), actions) and own.from_common(0) == 0
    for some in (own, window_of(own, 9)):
        ends = np.cumsum([block.size for block in some.blocks]).tolist()
        assert [block.start for block in some.blocks] == [0, *ends[:-1]]
