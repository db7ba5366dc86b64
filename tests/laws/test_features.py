"""Laws about features: those that the engine merges after each action equal those that the tiles on the table form."""

import random

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

import carc_env

from .games import UP_TO_CHIPS, games, is_as_printed, random_answer, seeds
from .printed import FACTS, box_of, features_from_scratch, segments_on_table


def as_told(game):
    """Return the features as the game reports them. Coats of arms of roads are left out."""
    return sorted(
        (f.kind, f.segments, f.tiles, f.open, f.pennants if f.kind == "city" else 0, f.strength, f.is_complete)
        for f in game.features()
    )


@given(games(is_as_printed))
def test_features_from_scratch(game):
    """The tiles, open edges, pennants, strengths and completion of every feature equal those rebuilt from the tiles."""
    assert as_told(game) == sorted(map(tuple, features_from_scratch(game)))


@given(games(is_as_printed))
def test_features_share_out_the_segments(game):
    """Every segment of every tile belongs to exactly one feature."""
    segments = [segment for feature in game.features() for segment in feature.segments]
    assert len(segments) == len(set(segments))
    assert set(segments) == segments_on_table(game).keys()


# --- a sheet of one row: everything across it is completed at once (RULES 21.7) ---------------------------------------
LONGEST = 12
TILES = [tile for tile in FACTS if box_of(tile) in UP_TO_CHIPS]


@pytest.fixture(scope="module")
def strips(tmp_path_factory):
    """Return the paths of sheets of one row or one column, by direction ("row", "column") and length."""
    folder, found = tmp_path_factory.mktemp("strips"), {}
    for n in range(2, LONGEST + 1):
        for way in ("row", "column"):
            ends = [0, n - 1]
            towns = [
                {"name": f"town {at}", "square": [at, 0] if way == "row" else [0, at], "grape": "orange", "start": True}
                for at in ends
            ]
            sheet = {
                "name": "strip",
                "title": "A strip",
                "rows": ["o" * n] if way == "row" else ["o"] * n,
                "town": towns,
            }
            found[way, n] = folder / f"{way}{n}.toml"
            found[way, n].write_text(tomli_w.dumps(sheet))
    return found


@given(st.sampled_from(["row", "column"]), st.integers(2, LONGEST), st.sampled_from(["count_tiles", "nine"]), seeds)
def test_strip(strips, way, n, border_monastery, seed):
    """On 1 x n squares, a road or city that only runs across the strip is completed when it is laid. When all squares
    are full, everything but fields is completed.
    """
    rng = random.Random(seed)
    config = carc_env.GameConfig(boxes=UP_TO_CHIPS[:-1], sheet=str(strips[way, n]), border_monastery=border_monastery)
    game = carc_env.Game(config, deck=rng.choices(TILES, k=2 * n), seed=seed)
    along = {"E", "W"} if way == "row" else {"N", "S"}
    while True:
        full = len(game.board()) == n
        segments = segments_on_table(game)
        assert as_told(game) == sorted(map(tuple, features_from_scratch(game)))
        for feature in game.features():
            if feature.kind in ("road", "city"):
                spots = {spot for key in feature.segments for spot in segments[key].spots}
                assert feature.is_complete or not full and spots & along
            elif feature.kind != "field" and full:
                assert feature.is_complete
        if game.is_over:
            break
        game.play(random_answer(rng, game))
