"""Laws of conservation: nothing on the table is made or lost."""

from collections import Counter

from hypothesis import given

import carc_env

from .games import configs, games, seeds, states


@given(games())
def test_figures(game):
    """A player's figures in supply and on the table are always those of the beginning."""
    standing = Counter((f.figure, f.player) for place in game.board() for f in place.figures)
    for player in range(game.players):
        assert game.meeples["meeple"][player] + standing["meeple", player] == game.config.meeples
        assert game.meeples["abbot"][player] + standing["abbot", player] == ("abbot" in game.config.boxes)


@given(configs, seeds)
def test_tiles(config, seed):
    """Every tile of the deck is to be drawn, in hand, on the table or out of the game."""
    deck = carc_env.Game(config, seed=seed).record()["deck"]
    discarded = 0
    for game in states(config, seed):
        discarded += sum(isinstance(event, carc_env.TileDiscarded) for event in game.last_events)
        drawn = Counter(deck[: len(deck) - game.tiles_left])
        board = Counter(place.tile for place in game.board()) - Counter(start[0] for start in config.starts)
        gone = drawn - board - Counter([game.tile] if game.tile else [])
        assert not board - drawn
        assert gone.total() == discarded


@given(configs, seeds)
def test_ingots(config, seed):
    """Every gold tile brings two ingots; each lies on a tile, in the end set aside there, or is a player's."""
    for game in states(config, seed):
        gold_tiles = sum(place.tile.startswith("GM") for place in game.board())
        being_put = game.phase == carc_env.Phase.PLACE_INGOT
        on_tiles = sum(place.ingots for place in game.board())
        assert on_tiles + game.ingots.sum() == 2 * gold_tiles - being_put
        assert game.ingots.min() >= 0
    aside = [event.count for event in game.last_events if isinstance(event, carc_env.IngotsSetAside)]
    assert sum(aside) == on_tiles


@given(games())
def test_figures_stand_on_unfinished_features(game):
    """After scoring, figures stand on fields and unfinished features only, and weigh there."""
    on_board = sum(len(place.figures) for place in game.board())
    assert sum(sum(feature.strength) for feature in game.features()) == on_board
    if game.phase == carc_env.Phase.PLACE_TILE:
        assert not any(sum(feature.strength) for feature in game.features() if feature.is_complete)


@given(games())
def test_features_share_out_the_segments(game):
    """Every segment of every tile belongs to exactly one feature."""
    segments = [segment for feature in game.features() for segment in feature.segments]
    assert len(segments) == len(set(segments))
    assert {(x, y) for x, y, _ in segments} == {(place.x, place.y) for place in game.board()}
