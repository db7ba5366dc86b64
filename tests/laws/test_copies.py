"""Laws about copies: clones, bytes, records, seeds and batches."""

import json
import os
import random
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import carc_env
from tests import modes

from .games import configs, dictated, every_config, games, play_on, random_answer, seeds


def copies(game):
    """Yield copies of the game: a clone, a game read from its bytes, and a game replayed from its record as JSON."""
    yield game.clone()
    yield carc_env.Game.from_bytes(game.to_bytes())
    yield carc_env.replay(json.loads(json.dumps(game.record())))


@given(games(), seeds)
def test_copies_are_the_game(game, seed):
    """A clone, a game read from bytes and a replayed record equal the game and continue as it does."""
    before, record = game.to_bytes(), game.record()
    finished = []
    for copy in copies(game):
        assert copy.to_bytes() == before
        assert copy.record() == record
        play_on(copy, random.Random(seed))
        finished.append(copy)
    assert game.to_bytes() == before  # playing a copy does not change the game
    play_on(game, random.Random(seed))
    for copy in finished:
        assert copy.to_bytes() == game.to_bytes()
        assert copy.record() == game.record()


@every_config()
def test_same_seed_same_game(config, seed):
    """Equal seeds and equal actions give equal games. Another seed gives another deck."""
    one, other, third = (carc_env.Game(config, seed=s) for s in (seed, seed, seed + 1))
    assert play_on(one, random.Random(seed)) == play_on(other, random.Random(seed))
    assert one.to_bytes() == other.to_bytes()
    assert one.record()["deck"] != third.record()["deck"]


def test_same_seed_in_another_process():
    """A seed gives the same deck in every process."""
    program = "import carc_env; print(carc_env.Game('goldmines', seed=12345).record()['deck'])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(carc_env.Game("goldmines", seed=12345).record()["deck"])


@every_config()
def test_dictated_deck_is_the_same_game(config, seed):
    """A game that is given the deck, start tiles and chips of another game continues as the other game does."""
    game = carc_env.Game(config, seed=seed)
    other = dictated(game)
    assert play_on(game, random.Random(seed)) == play_on(other, random.Random(seed))
    assert other.scores.tolist() == game.scores.tolist()
    assert other.board() == game.board() and other.chips.tolist() == game.chips.tolist()


@given(configs, st.lists(seeds, min_size=1, max_size=modes.sized(6, 6, 2)))
def test_batch_is_single_games(config, batch_seeds):
    """Games in a batch and single games have equal bytes after every action."""
    batch = carc_env.Games(config, len(batch_seeds), batch_seeds)
    single = [carc_env.Game(config, seed=seed) for seed in batch_seeds]
    rng = random.Random(batch_seeds[0])
    out = np.zeros_like(batch.legal_mask())
    while not any(game.is_over for game in single):
        assert batch.legal_mask(out=out) is out
        for game, record, mask in zip(single, batch.records, out, strict=True):
            assert game.state.tobytes() == record.tobytes()
            assert np.array_equal(mask, game.mask())
        actions = [random_answer(rng, game) for game in single]
        batch.step(np.array(actions))
        for game, action in zip(single, actions, strict=True):
            game.play(action)
    for game, record in zip(single, batch.records, strict=True):
        assert game.state.tobytes() == record.tobytes()


@every_config()
def test_plain_assignment_copies_games(config, seed):
    """Assigning a record to another place in a batch copies the game. Afterwards the two games are independent."""
    batch = carc_env.Games(config, 3, [seed, seed + 1, seed + 2])
    batch.records[1] = batch.records[0]
    mask = batch.legal_mask()
    assert np.array_equal(mask[0], mask[1])
    first, last = np.flatnonzero(mask[0])[[0, -1]]
    batch.step([first, first, np.flatnonzero(mask[2])[0]])
    assert batch.records[0].tobytes() == batch.records[1].tobytes()
    batch.records[2] = carc_env.Games(config, 1, [seed]).records[0]
    batch.step([*(int(np.flatnonzero(row)[0]) for row in batch.legal_mask()[:2]), last])
    assert batch.records[0].tobytes() == batch.records[1].tobytes() != batch.records[2].tobytes()


PLAY_AND_UNDO = """
import carc_env
game = carc_env.Game(carc_env.preset("base"), seed=1)
for _ in range(6):
    game.play(game.legal_actions()[0])
before = game.record()
game.play(game.legal_actions()[0])
game.undo()
assert game.record() == before
"""


def test_nothing_is_read_after_it_was_freed():
    """No memory is read after it was freed. In this test, memory goes back to the system as soon as it is freed, so
    that reading it would end the process (glibc).
    """
    env = os.environ | {"MALLOC_MMAP_THRESHOLD_": "4096"}
    subprocess.run([sys.executable, "-c", PLAY_AND_UNDO], env=env, check=True, timeout=600)
