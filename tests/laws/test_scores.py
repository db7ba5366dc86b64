"""Laws about points."""

import random
from collections import Counter

from hypothesis import given

import carc_env

from .games import every_config, games, is_as_printed, play_on, random_answer, states
from .printed import segments_on_table, turn_spot


@given(games())
def test_sources_add_up(game):
    """The points by source add up to the scores, during the game and at its end."""
    assert sum(game.final_scores().values()).tolist() == game.scores.tolist()


@every_config(0.3)
def test_points_are_told(config, seed):
    """Scores never fall, and every change of a score is reported as an event with its source."""
    told, last = Counter(), 0
    for game in states(config, seed):
        for event in game.last_events:
            if isinstance(event, carc_env.PointsScored):
                told[event.source, event.player] += event.points
                assert event.points >= 0
            assert str(event)
        for source, points in game.final_scores().items():
            assert points.tolist() == [told[source, player] for player in range(config.players)]
        assert (game.scores >= last).all()
        last = game.scores


@given(games())
def test_what_pays_at_the_end_only(game):
    """Fields, ingots and goods score nothing before the game is over."""
    if not game.is_over:
        for source in ("fields", "ingots", "goods"):
            assert not game.final_scores()[source].any()


INGOTS = [0, 1, 2, 3, 8, 10, 12, 21, 24, 27, 40, 44, 48, 52, 56, 60, 64]  # points for 0 to 16 ingots (RULES 5.6)


def field_points(game):
    """Return the points of each player from all fields. For each completed city beside an own field: 3 points, or 4
    with an own pig in the field.
    """
    segments, points = segments_on_table(game), [0] * game.players
    feature_at = {segment: feature for feature in game.features() for segment in feature.segments}
    city_at = {
        (x, y, edge): feature_at[x, y, name] for (x, y, name), segment in segments.items() for edge in segment.spots
    }
    rotation = {(place.x, place.y): place.rotation for place in game.board()}
    pigs = {
        (figure.player, place.x, place.y, figure.spot)
        for place in game.board()
        for figure in place.figures
        if figure.figure == "pig"
    }
    for field in set(feature_at.values()):
        if field.kind != "field" or not any(field.strength):
            continue
        cities = set()
        for x, y, spot in field.segments:
            for edge in segments[x, y, spot].fact["adjoins_city_with_edge"]:
                cities.add(city_at[x, y, turn_spot(edge, rotation[x, y] // 90)])
        completed = sum(city.is_complete for city in cities)
        for player, strength in enumerate(field.strength):
            if strength == max(field.strength):
                has_pig = any((player, *segment) in pigs for segment in field.segments)
                points[player] += completed * (4 if has_pig else 3)
    return points


@every_config(1, is_as_printed)
def test_final_scoring(config, seed):
    """Final points for ingots, goods and fields equal those computed from what the players have and from the tiles."""
    game = carc_env.Game(config, seed=seed)
    play_on(game, random.Random(seed))
    final = game.final_scores()
    assert final["ingots"].tolist() == [INGOTS[ingots] for ingots in game.ingots]
    most = game.goods.max(0)
    assert final["goods"].tolist() == (10 * ((game.goods == most) & (most > 0)).sum(1)).tolist()
    assert final["fields"].tolist() == field_points(game)


@every_config()
def test_no_points_without_figures(config, seed):
    """A player who never places a figure gets no gold, and points only for chips, wine and goods."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    while not game.is_over:
        figures_of_first = game.phase == carc_env.Phase.PLACE_FIGURE and game.player == 0
        game.play("pass" if figures_of_first else random_answer(rng, game))
    assert game.ingots[0] == 0
    paid = {source for source, points in game.final_scores().items() if points[0]}
    assert paid <= {"chips", "wine", "goods"}
