"""Laws about turns: which player has the turn, when it is a double turn, and what may be sold in it."""

import random

import carc_env
from carc_env.boxes.sheets import read_sheet

from .games import draws_only, every_config, is_as_printed, random_answer, tiles_laid

COLOURS = ("purple", "light_blue", "orange")


def builder_of(game, player):
    """Return the square and spot of a player's builder, or None if it is not on the table."""
    if "traders_and_builders" not in game.config.boxes or game.meeples["builder"][player]:
        return None
    return next(
        (
            (place.x, place.y, figure.spot)
            for place in game.board()
            for figure in place.figures
            if (figure.figure, figure.player) == ("builder", player)
        ),
        None,
    )


def extends(game, builder, place):
    """True if the tile has a part of the road or city where the builder stood."""
    feature = next(feature for feature in game.features() if builder in feature.segments)
    return (place.x, place.y) in {segment[:2] for segment in feature.segments}


def busy_answer(rng, game, builder):
    """Return an action, in most cases one of a player who wants to build: a follower on a road or city, the builder, or
    a tile beside the builder's feature.
    """
    if rng.random() >= 0.8 or game.phase == carc_env.Phase.PLACE_TILE and not builder:
        return random_answer(rng, game)
    texts = [game.text(action) for action in game.legal_actions()]
    wanted = (
        [text for text in texts if text.startswith("builder")]
        or [text for text in texts if text.startswith(("meeple road", "meeple city"))]
        or ["pass"] * ("pass" in texts)
    )
    if game.phase == carc_env.Phase.PLACE_TILE:
        feature = next(feature for feature in game.features() if builder in feature.segments)
        beside = {(x + dx, y + dy) for x, y, _ in feature.segments for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        wanted = [text for text in texts if tuple(map(int, text.split("@")[1].split("/")[0].split(","))) in beside]
    return rng.choice(wanted) if wanted else random_answer(rng, game)


@every_config(0.3, is_as_printed)
def test_double_turns(config, seed):
    """A turn has a second part if its tile extends the road or city of the own builder, but never a third part.

    A tile with only one legal placement is laid without a decision. After that the test does not know which part is
    played.
    """
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    is_second = None  # None: it is not known
    while not game.is_over:
        if game.phase != carc_env.Phase.PLACE_TILE:
            game.play(random_answer(rng, game))
            continue
        player, builder, tiles = game.active_player, builder_of(game, game.active_player), tiles_laid(game)
        assert game.player == player
        game.play(busy_answer(rng, game, builder))
        extended = bool(builder) and tiles_laid(game) > tiles and extends(game, builder, game.board()[tiles])
        while not game.is_over and game.phase != carc_env.Phase.PLACE_TILE and tiles_laid(game) == tiles + 1:
            if not game.phase.name.startswith(("CROP", "TAKE")):
                assert game.player == game.active_player == player
            game.play(busy_answer(rng, game, None))
        if game.is_over:
            return
        if tiles_laid(game) > tiles + 1:
            is_second = None
            continue
        following = (player + 1) % config.players
        if is_second is None:
            assert game.active_player in ({player, following} if extended else {following})
            is_second = game.active_player == player
        else:
            is_second = extended and not is_second
            assert game.active_player == (player if is_second else following)


def possible_sales(game, sheet, place):
    """Return the sales that a tile permits with the chips that the player now holds (RULES 19.5)."""
    grapes = {town.grape for town in sheet.towns if town.square == (place.x, place.y)}
    abroad = any(border.square == (place.x, place.y) and border.coats for border in sheet.borders)
    found = set()
    for colour, (ones, twos) in zip(COLOURS, game.chips[game.active_player].tolist(), strict=True):
        for composition in ["2"] * (twos > 0) + ["1+1"] * (ones > 1):
            found |= {f"sell {colour} {composition} abroad"} if abroad else set()
            found |= {f"sell {colour} {composition} town"} if colour in grapes else set()
    return found


@every_config(0.3, lambda config: "map_chips" in config.boxes and draws_only(config))
def test_sales(config, seed):
    """A sale is offered wherever one is possible, before other decisions after the tile, and once a turn or part."""
    game, rng, sheet = carc_env.Game(config, seed=seed), random.Random(seed), read_sheet(config.sheet)
    has_sold = False  # in this turn; None: it is not known
    while not game.is_over:
        player, tiles, was_placing = game.active_player, tiles_laid(game), game.phase == carc_env.Phase.PLACE_TILE
        game.play(random_answer(rng, game))
        sales = [event for event in game.last_events if isinstance(event, carc_env.WineSold)]
        assert len(sales) <= 1 and {sale.player for sale in sales} <= {player}
        has_sold = has_sold or bool(sales)
        if game.active_player != player:
            has_sold = False
        if game.is_over or tiles_laid(game) != tiles + was_placing:
            has_sold = None if has_sold else False  # a tile was laid without a decision: the turn is unknown
        elif not was_placing:
            assert game.phase != carc_env.Phase.SELL_WINE
        elif game.phase == carc_env.Phase.SELL_WINE:
            sales = possible_sales(game, sheet, game.board()[-1])
            assert {game.text(action) for action in game.legal_actions()} == sales | {"pass"}
            assert not has_sold or config.wine_sales_per_turn_scope == "turn_part"
        elif game.active_player == player and game.phase.name in ("PLACE_INGOT", "PLACE_FIGURE"):
            may_sell = has_sold is False or config.wine_sales_per_turn_scope == "turn_part"
            assert not may_sell or not possible_sales(game, sheet, game.board()[-1])
