"""Laws that search needs: undo, reshuffling of hidden tiles and chips, positions, and games taken from a batch."""

import json
import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carc_env
from tests import modes

from .games import every_config, games, play_on, players_of, random_answer, seeds, squares_of

DRAWS = modes.sized(6000, 1200, 400)


def seen_by_all(game):
    """Return the observations of the players (`players_of`) as bytes."""
    return [array.tobytes() for player in players_of(game) for array in game.observe(player, "both").values()]


# --- undo -------------------------------------------------------------------------------------------------------------
@given(games(), seeds)
def test_undo_gives_the_game_before_the_last_answer(game, seed):
    """Undoing actions restores every earlier game, bit for bit, even if the engine played forced actions in between."""
    rng, before = random.Random(seed), []
    while len(before) < 5 and not game.is_over:
        before.append((game.clone(), game.last_events))
        game.play(random_answer(rng, game))
    for earlier, events in reversed(before):
        game.undo()
        assert game == earlier and game.last_events == events


@every_config(0.3)
def test_undo_to_the_very_beginning(config, seed):
    game = carc_env.Game(config, seed=seed)
    first, rng = game.clone(), random.Random(seed)
    answers = len(play_on(game, rng, answers=12))
    for _ in range(answers):
        game.undo()
    assert game == first
    with pytest.raises(carc_env.IllegalAction, match="nothing to undo"):
        game.undo()
    assert game == first


# --- what is hidden ---------------------------------------------------------------------------------------------------
@given(games(), seeds)
def test_reshuffling_changes_nothing_that_is_known(game, seed):
    """Reshuffling changes no observation, no position and no legal action. The hidden tiles and faces stay the same,
    but their order may change.
    """
    other = game.clone()
    other.reshuffle_hidden(seed)
    assert seen_by_all(other) == seen_by_all(game)
    assert other.position() == game.position()
    assert other.legal_actions().tolist() == game.legal_actions().tolist()
    assert other.board() == game.board() and other.scores.tolist() == game.scores.tolist()
    assert Counter(other.deck) == Counter(game.deck)
    one, two = game.record()["chips"], other.record()["chips"]
    assert [chip[:2] for chip in one] == [chip[:2] for chip in two]
    assert Counter(tuple(chip[2:]) for chip in one) == Counter(tuple(chip[2:]) for chip in two)
    assert other.seed is None and carc_env.replay(other.record()) == other
    play_on(other, random.Random(seed))
    assert other.is_over


@given(games(), st.lists(seeds, min_size=1, max_size=4))
def test_reshuffling_a_batch_is_reshuffling_its_games(game, batch_seeds):
    batch = carc_env.Games.view_of(game)[[0] * len(batch_seeds)]
    batch.reshuffle_hidden(batch_seeds)
    for i, seed in enumerate(batch_seeds):
        other = game.clone()
        other.reshuffle_hidden(seed)
        assert batch.game(i) == other


def assert_all_alike(orders, found):
    """Check that all orders are equally frequent. The chi-square test fails by chance in less than one of a million
    runs.
    """
    expected = len(found) / len(orders)
    counts = Counter(found)
    assert set(counts) == set(orders)
    assert sum((counts[order] - expected) ** 2 / expected for order in orders) < 3 * len(orders) + 40


def test_each_order_of_the_stack_is_equally_likely():
    game = carc_env.Game("base", deck=["U", "V", "E", "X", "W"])
    game.play(game.legal_actions()[0])  # U is laid, and the turn goes on, so the next tile is not drawn yet
    games = carc_env.Games.view_of(game)[[0] * DRAWS]
    games.reshuffle_hidden(range(DRAWS))
    orders = [tuple(games.game(i).deck) for i in range(DRAWS)]
    assert_all_alike([("U", *order) for order in permutations(["V", "E", "X", "W"])], orders)


def test_each_order_of_the_faces_is_equally_likely():
    chips = [(6, 0, "purple", 1), (5, 1, "purple", 2), (9, 2, "orange", 1), (12, 2, "light_blue", 2)]
    game = carc_env.Game("france", seed=3, chips=chips)
    games = carc_env.Games.view_of(game)[[0] * DRAWS]
    games.reshuffle_hidden(range(DRAWS))
    found = [tuple(chip[2:] for chip in sorted(games.game(i)._chips())) for i in range(DRAWS)]
    assert_all_alike(set(permutations(chip[2:] for chip in chips)), found)


# --- positions --------------------------------------------------------------------------------------------------------
@given(games(), seeds)
def test_a_position_is_read_back(game, seed):
    """A position is one line. The game read from it has equal observations and legal actions, and plays to its end."""
    text = game.position()
    assert "\n" not in text and text.isascii()
    again = carc_env.Game.from_position(text, seed)
    assert again.position() == text and seen_by_all(again) == seen_by_all(game)
    assert again.legal_actions().tolist() == game.legal_actions().tolist() and again.config == game.config
    assert [game.text(action) for action in game.legal_actions()] == [
        again.text(action) for action in again.legal_actions()
    ]
    assert carc_env.Game.from_position(text, seed) == again
    play_on(again, random.Random(seed), answers=modes.sized(10**6, 10**6, 20))
    assert again.is_over or modes.NAME == "uncompiled"


@given(games(), seeds)
def test_a_position_tells_nothing_that_is_hidden(game, seed):
    """A position does not depend on the order of the stack or on the faces of hidden chips, and contains neither."""
    other = game.clone()
    other.reshuffle_hidden(seed)
    assert other.position() == game.position()
    known = json.loads(game.position())
    assert known["deck"] == game.deck[: len(known["deck"])]
    assert len(game.deck) - len(known["deck"]) == game.tiles_left
    down = {chip[:2] for chip in map(tuple, known["chips"]) if len(chip) == 2}
    assert down == {chip[:2] for chip in game._chips()} - {
        square for place in game.board() for square in squares_of(place)
    }


def test_every_order_may_come_out_of_a_position():
    game = carc_env.Game("base", deck=["U", "V", "E", "X"])
    text = game.position()
    assert json.loads(text)["left"] == {"E": 1, "V": 1, "X": 1}
    decks = {tuple(carc_env.Game.from_position(text, seed).deck) for seed in range(100)}
    assert decks == {("U", *order) for order in permutations(["V", "E", "X"])}


# --- games of a batch -------------------------------------------------------------------------------------------------
@every_config(0.5)
def test_games_taken_from_a_batch_are_whole(config, seed):
    """At any time, a game from a batch has the record, bytes, position, clone and undo of the game played alone."""
    single, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    batch = carc_env.Games(config, 2, [seed, seed + 1])
    for moment in range(modes.sized(100, 100, 21)):
        taken = batch.game(0)
        if moment % 20 == 0 or single.is_over:
            record = json.loads(json.dumps(taken.record()))
            assert record == single.record() | {"seed": None}
            assert (
                carc_env.replay(record)
                == taken
                == taken.clone()
                == carc_env.Game.from_bytes(taken.to_bytes())
                == single
            )
            assert taken.position() == single.position()
        if single.is_over:
            break
        action = random_answer(rng, single)
        single.play(action)
        batch.step([action, carc_env.rules.state.NONE if batch.is_over[1] else batch.game(1).legal_actions()[0]])
    if single.moves:
        undone = batch.game(0)
        single.undo()
        undone.undo()
        assert undone == single and batch.records[0].tobytes() == single.state.tobytes()


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="six whole games, and nothing of the rules but the batch")
@every_config(0.3)
def test_finished_games_of_a_batch_wait_for_the_others(config, seed):
    """Games of different lengths, stepped together with NONE for those that are over, end as they do alone."""
    batch, rng = carc_env.Games(config, 3, [seed, seed + 1, seed + 2]), random.Random(seed)
    singles = [carc_env.Game(config, seed=seed + i) for i in range(3)]
    while not batch.is_over.all():
        actions = [-1 if game.is_over else random_answer(rng, game) for game in singles]
        batch.step(actions)
        for game, action in zip(singles, actions):
            if action >= 0:
                game.play(action)
    sources = batch.final_scores()
    assert np.array_equal(sum(sources.values()), batch.scores)
    for i, game in enumerate(singles):
        assert batch.records[i].tobytes() == game.state.tobytes()
        assert all(sources[name][i].tolist() == points.tolist() for name, points in game.final_scores().items())
    before = batch.records.tobytes()
    with pytest.raises(carc_env.IllegalAction, match="game 1"):
        batch.step([-1, 0, -1])
    batch.step([-1, -1, -1])
    assert batch.records.tobytes() == before
