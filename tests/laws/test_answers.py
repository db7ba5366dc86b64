"""Laws about actions: which are legal, and their texts."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carc_env
from carc_env.systems import QUESTIONS

from .games import games, games_going_on, seeds


@given(games())
def test_legal_actions_are_the_mask(game):
    """The legal actions are the indices of the ones in the mask, in ascending order."""
    legal, mask = game.legal_actions(), game.mask()
    assert legal.dtype == np.int32 and mask.dtype == np.int8 and mask.shape == (game.n_actions,)
    assert set(np.unique(mask)) <= {0, 1}
    assert legal.tolist() == np.flatnonzero(mask).tolist()
    assert (len(legal) == 0) == game.is_over
    assert len(legal) != 1  # a decision with only one legal action is not asked for


def test_a_game_that_is_over_takes_no_answer():
    """A finished game accepts no action. In a batch with games that go on, it is stepped with NONE."""
    game = carc_env.Game("base", deck=["B"])
    game.play("pass")
    games = carc_env.Games.view_of(game)
    games.step([-1])
    with pytest.raises(carc_env.IllegalAction, match="game 0: action 0 is not legal"):
        games.step([0])
    assert games.game(0) == game and game.is_over


@given(games(), seeds)
def test_play_accepts_exactly_the_mask(game, seed):
    """Every action in the mask can be played. Every other action is refused and changes nothing."""
    mask, before = game.mask(), game.to_bytes()
    for action in game.legal_actions().tolist():
        other = game.clone()
        other.play(action)
        assert other.to_bytes() != before
    rng = random.Random(seed)
    n = game.n_actions
    for action in [*rng.sample(range(n), 60), -1, -n, n, 2**31, 2**63]:
        if not 0 <= action < n or not mask[action]:
            with pytest.raises(carc_env.IllegalAction):
                game.play(action)
    assert game.to_bytes() == before


@given(games())
def test_texts_and_actions_are_inverse(game):
    """Every legal action has a text of its own, and the text gives the action."""
    legal = game.legal_actions().tolist()
    texts = [game.text(action) for action in legal]
    assert len(set(texts)) == len(texts)
    assert [game.action(text) for text in texts] == legal


nearly_answers = st.from_regex(
    r"(U|D@|meeple|big|builder|pig|abbot|ingot|take|pass|recall|circle|add|remove|sell|abbey@|GC1@|ferry|castle) ?\w*,?[12+ ]*\w*",
    fullmatch=True,
)


@given(games(), st.one_of(st.text(max_size=12), nearly_answers))
def test_play_accepts_exactly_the_texts(game, text):
    """A text of no legal action is refused and changes nothing."""
    before = game.to_bytes()
    if text.split() not in [game.text(action).split() for action in game.legal_actions()]:
        with pytest.raises(carc_env.IllegalAction):
            game.play(text)
    assert game.to_bytes() == before


@given(games_going_on)
def test_far_away_is_nowhere(game):
    """A cell that is one table width away is a different cell, although opposite borders of the table are joined."""
    size = game.config.table_size
    for text in map(game.text, game.legal_actions()):
        verb, comma, rest = text.partition(",")
        if comma:
            start = max(verb.rfind("@"), verb.rfind(" ")) + 1
            with pytest.raises(carc_env.IllegalAction):
                game.play(f"{verb[:start]}{int(verb[start:]) + size},{rest}")


@given(games())
def test_a_text_in_the_wrong_question_is_refused(game):
    """A text of another decision than the current one is refused."""
    start = game.board()[0]
    cell = f"{start.x},{start.y}"
    answers = {
        "PLACE_TILE": f"{game.tile}@{cell}/0",  # refused at this decision, too, because a start tile lies there
        "PLACE_ABBEY": f"abbey@{cell}",  # and so are the next two
        "PLACE_GERMAN_CASTLE": f"GC1@{cell}/0",
        "PLACE_INGOT": f"ingot {cell}",
        "PLACE_FIGURE": "meeple road E",
        "PLACE_FERRY": "ferry S-W",
        "MOVE_FERRY": f"ferry {cell} S-W",
        "FOUND_CASTLE": f"castle {cell} E",
        "CASTLE_SCORE": f"castle {cell} E scores road {cell} E",
        "TAKE_INGOT": f"take {cell}",
        "SELL_WINE": "sell purple 2 abroad",
        "CROP_CHOICE": "circle add",
        "CROP_ADD": f"add meeple road {cell} E",
        "CROP_REMOVE": f"remove meeple road {cell} E",
    }
    assert answers.keys() == {phase.name for phase in QUESTIONS}
    if game.phase.name in (
        "PLACE_TILE",
        "PLACE_INGOT",
        "PLACE_FERRY",
        "CASTLE_SCORE",
        "TAKE_INGOT",
        "CROP_CHOICE",
        "CROP_REMOVE",
    ):
        with pytest.raises(carc_env.IllegalAction):
            game.play("pass")
    for phase, text in answers.items():
        if phase in ("PLACE_TILE", "PLACE_ABBEY", "PLACE_GERMAN_CASTLE") or phase != game.phase.name:
            with pytest.raises(carc_env.IllegalAction):
                game.play(text)
