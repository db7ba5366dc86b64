"""Tests of the error messages for illegal actions: a message names the reason and the tile."""

import numpy as np
import pytest

import carc_env


def refusal(game: carc_env.Game, answer: int | str) -> str:
    with pytest.raises(carc_env.IllegalAction) as refused:
        game.play(answer)
    return str(refused.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("U@5,5/0", "'U@5,5/0' is not legal: 5,5 is not beside a tile; tile U is in hand"),
        ("U@99,0/0", "99,0 is not beside the tiles on the table; tile U is in hand"),
        ("U@0,0/0", "'U@0,0/0' is not legal: 0,0 is taken by tile D; tile U is in hand"),
        ("U@1,0/90", "'U@1,0/90' is not legal: it does not match its neighbour on side W of 1,0; tile U is in hand"),
        ("V@1,0/0", "tile 'V' is not in hand; the tile in hand is 'U'"),
        ("pass", "'pass' is not legal: a tile is to be placed; tile U is in hand"),
        ("meeple city N", "no figure is to be placed now; write a placement such as 'U@1,0/90'; tile U is in hand"),
        ("take 0,1", "'take' is not possible now; write a placement such as 'U@1,0/90'; tile U is in hand"),
        ("jump", "'jump' is not an action; write a placement such as 'U@1,0/90'; tile U is in hand"),
    ],
)
def test_a_refused_placement_names_the_tile_in_hand(answer, said):
    assert refusal(carc_env.Game("base", deck=["U", "E"]), answer) == said


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "meeple city N",
            "the tile just placed (L) has no city at N; it has road N, road E, city S, road W, field Nw, field Ne, field Es",
        ),
        (
            "meeple monastery",
            "the tile just placed (L) has no monastery; "
            "it has road N, road E, city S, road W, field Nw, field Ne, field Es",
        ),
        (
            "meeple",
            "'meeple': write the figure, the feature and the spot, such as 'meeple road N'; the spots of the tile are "
            "N E S W Nw Ne En Es Ws Wn; tile L was just placed",
        ),
        ("big city S", "'big city S' is not legal: player 0 has no big meeple in supply; tile L was just placed"),
        ("recall", "'recall' is not legal: player 0 has no abbot on an unfinished building; tile L was just placed"),
        (
            "E@3,0/0",
            "no tile is to be placed now; write a figure such as 'meeple road N', or 'pass'; tile L was just placed",
        ),
        (
            "sell orange 2 abroad",
            "no wine can be sold now; write a figure such as 'meeple road N', or 'pass'; tile L was just placed",
        ),
        (3700, "action 3700 is not legal: a figure is to be placed, or 'pass'; tile L was just placed"),
    ],
)
def test_a_refused_figure_names_the_tile_just_placed(answer, said):
    game = carc_env.Game("base", deck=["L", "E"])
    game.play("L@1,0/180")
    assert refusal(game, answer) == said


def test_every_id_that_is_refused_is_told_which_tile_it_is_about():
    """Checks the messages for random illegal ids in a random game with the preset `everything`."""
    rng = np.random.default_rng(0)
    game = carc_env.Game("everything", seed=4)
    for _ in range(60):
        about = f"; tile {game.tile} is in hand" if game.tile else f"; tile {game.board()[-1].tile} was just placed"
        legal = game.legal_actions()
        for action in set(rng.integers(0, game.n_actions, 12).tolist()) - set(legal.tolist()):
            said = refusal(game, action)
            if game.phase in (carc_env.Phase.PLACE_TILE, carc_env.Phase.PLACE_FIGURE):
                assert said.startswith(f"action {action} is not legal: ") and said.endswith(about)
        game.play(rng.choice(legal))


# --- the boxes in which players hold tokens and tiles -----------------------------------------------------------------
LAKE = "FE2@1,0/0; pass"  # its ferry must be placed now
FERRY = f"{LAKE}; ferry E-W; U@2,0/0; pass"  # the ferry of the lake can be moved
CITY = "E@0,-1/180; meeple city S"  # a small city was completed
FOUR = ("E", 0, 0, 0), ("E", 4, 0, 0), ("E", 8, 0, 0), ("E", 12, 0, 0)  # four cities of two tiles can be completed
NO_TOKEN = (
    "; ".join(f"E@{x},-1/180; meeple city S; castle {x},-1 S; B@0,{1 + x // 4}/0; pass" for x in (0, 4, 8))
    + "; E@12,-1/180; meeple city S"
)
HOLE = (("B", 0, 0, 0), ("B", 1, -1, 0), ("B", 2, 0, 0), ("B", 1, 1, 0))  # tiles surround the empty square 1,0


@pytest.mark.parametrize(
    ("box", "starts", "deck", "moves", "answer", "said"),
    [
        ("ferries", None, "FE2 B", LAKE, "ferry N-E", "the lake has no road on edge N"),
        ("ferries", None, "FE2 B", LAKE, "ferry W-W", "'W-W': a ferry joins two different edges"),
        (
            "ferries",
            None,
            "FE2 B",
            LAKE,
            "ferry E",
            "'ferry E' is not an action; write the edges of the two roads that the ferry joins",
        ),
        (
            "ferries",
            None,
            "FE2 B",
            LAKE,
            "pass",
            "player 0 puts the ferry on the lake just placed: ferry E-S, ferry E-W, ferry S-W",
        ),
        ("ferries", None, "FE2 U B", FERRY, "ferry 1,0 N-E", "the lake on 1,0 has no road on edge N"),
        ("ferries", None, "FE2 U B", FERRY, "ferry 0,0 E-W", "no ferry lies on 0,0"),
        (
            "castles",
            None,
            "E B",
            CITY,
            "castle 0,-1 E",
            "player 0 founds a castle in a small city just completed, or none: castle 0,-1 S, pass",
        ),
        (
            "castles",
            FOUR,
            "E B E B E B E B",
            NO_TOKEN,
            "castle 12,-1 S",
            "no castle is to be founded now; write a placement",
        ),
        ("abbeys", HOLE, "B", "", "abbey@3,0", "the squares on all four sides of 3,0 should be occupied"),
        ("abbeys", HOLE, "B", "", "abbey@0,0", "0,0 is taken"),
        (
            "german_castles",
            None,
            "U B",
            "",
            "GC3@1,0/0",
            "player 0 does not hold GC3; the castle tiles in hand are GC1 and GC6",
        ),
        ("german_castles", None, "U B", "", "GC1@0,0/0", "GC1@0,0/0 needs two empty squares"),
        ("german_castles", None, "U B", "", "GC1@1,0/90", "GC1@1,0/90 does not match its neighbours"),
    ],
)
def test_a_refused_answer_changes_nothing(box, starts, deck, moves, answer, said):
    hands = [("GC1", "GC6"), ("GC2",)] if box == "german_castles" else None
    game = carc_env.Game(
        carc_env.GameConfig(boxes=("base", box), starts=starts), deck=deck.split(), german_castles=hands
    )
    for text in filter(None, moves.split("; ")):
        game.play(text)
    before = game.state.tobytes()
    message = refusal(game, answer)
    assert said in message and message.isprintable() and game.state.tobytes() == before


@pytest.mark.parametrize("tile", ["GC1", "GC1a", "abbey"])
def test_what_players_hold_is_not_drawn(tile):
    with pytest.raises(
        carc_env.DeckError, match=rf"^deck\[1\] = '{tile}': such tiles are in the players' hands and cannot be drawn$"
    ):
        carc_env.Game("everything", deck=["U", tile])
