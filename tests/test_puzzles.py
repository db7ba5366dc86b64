"""Tests of puzzles: the shipped puzzles are correct, long rollouts play by the engine's rules, and the search finds
puzzles, continues where it was stopped, and reports its progress.
"""

import json

import numpy as np
import pytest

import carc_env
from carc_env.arena.long_rollouts import LongRollouts
from carc_env.arena.puzzle_search import Effort, Found, PuzzleFinder, played_games, puzzles_in, recorded_games, search
from carc_env.arena.puzzles import Valued, difficulty_of, is_clear, lines_of, read_puzzle, shipped, why_of
from carc_env.bots import make
from carc_env.common.errors import FileError
from carc_env.notation.positions import read_position
from carc_env.observing.keen import keen_prices
from carc_env.setup.config import as_config, presets

SMALL = {"boxes": ["goldmines"]}
EASY = Effort(
    short=((2, -99.0),), most=3, rounds=(2, 4), second=4, written=(4, 8), near=99.0
)  # so little effort that the results are random


# --- the puzzles of the package ---------------------------------------------------------------------------------------
def test_at_least_sixty_ship_from_every_preset():
    assert len(shipped()) >= 60 and {puzzle.preset for puzzle in shipped()} == set(presets())
    assert len({puzzle.position for puzzle in shipped()}) == len(shipped())


@pytest.mark.parametrize("preset", presets())
def test_a_shipped_puzzle_is_what_it_says(preset):
    """Checks that the position loads, that its legal actions are those in the file, and that `greedy` plays the action
    in the file, which is not the best one.
    """
    greedy = make("greedy")
    for puzzle in shipped():
        if puzzle.preset != preset:
            continue
        game = carc_env.Game.from_position(puzzle.position, seed=1)
        assert game.config == carc_env.preset(preset) and game.position() == puzzle.position
        assert sorted(game.texts()) == sorted(answer.text for answer in puzzle.answers)
        assert game.text(greedy.choose(game)) == puzzle.greedy != puzzle.best
        assert puzzle.answers[0][1:] == (0.0, 0.0) and puzzle.why[0] == {}
        assert [answer.gain for answer in puzzle.answers] == sorted((a.gain for a in puzzle.answers), reverse=True)
        assert all(-gain >= 4 and -gain >= 3 * error >= 0 for _, gain, error in puzzle.answers[1:])
        assert puzzle.difficulty == difficulty_of(game, game.action(puzzle.best))
        assert puzzle.answers[1].text in lines_of(puzzle)[2] and "best" in lines_of(puzzle)[1]


@pytest.mark.parametrize("number", [0, -1])
def test_other_stacks_say_the_same(number):
    """Checks that the best action also leads on stacks that the search did not use, by about the gain in the file."""
    puzzle = [puzzle for puzzle in shipped() if puzzle.preset == "base"][number]
    game = carc_env.Game.from_position(puzzle.position, seed=1)
    rollouts = LongRollouts(game, keen_prices(), 12345)
    best, second = (game.action(answer.text) for answer in puzzle.answers[:2])
    rollouts.roll_out([best, second], 100)
    gain, error = rollouts.gain(second, best)
    assert gain == pytest.approx(puzzle.answers[1].gain, abs=4 * (error + puzzle.answers[1].error)) and gain < 0


def test_what_is_hidden_does_not_stand_in_them():
    for puzzle in shipped():
        position = read_position(puzzle.position)
        assert "seed" not in position and len(position["deck"]) <= sum(
            carc_env.Game(puzzle.preset, seed=1).state[name] for name in ("n_deck",)
        )
        game = carc_env.Game.from_position(puzzle.position, seed=2)
        assert len(position["deck"]) == game.state["n_drawn"]
        laid = {(tile.x, tile.y) for tile in game.board()}
        assert all(((chip[0], chip[1]) in laid) == (len(chip) == 4) for chip in position["chips"])


# --- long rollouts ----------------------------------------------------------------------------------------------------
def late(config="goldmines", left=4, seed=3):
    game, bot = carc_env.Game(config, seed=seed), make("greedy")
    while game.tiles_left > left or len(game.legal_actions()) < 2:
        game.play(bot.choose(game))
    return game


def test_rollouts_play_to_the_end_on_stacks_in_common():
    game = late()
    before, answers = game.clone(), game.legal_actions().tolist()
    rollouts = LongRollouts(game, keen_prices(), 7)
    rollouts.roll_out(answers, 70)
    assert game == before
    again = LongRollouts(game, keen_prices(), 7)
    for stacks in (3, 65, 70):  # rollouts in several parts are the same
        again.roll_out(answers[:1], stacks)
    assert again.played[answers[0]].margins.tolist() == rollouts.played[answers[0]].margins.tolist()
    for answer in answers:
        own, other = rollouts.sources(answer)
        assert sum(own.values()) - sum(other.values()) == pytest.approx(rollouts.mean(answer))
    other_stacks = LongRollouts(game, keen_prices(), 8)
    other_stacks.roll_out(answers[:1], 70)
    assert other_stacks.played[answers[0]].margins.tolist() != rollouts.played[answers[0]].margins.tolist()
    gain, error = rollouts.gain(answers[0], answers[-1])
    gains = rollouts.played[answers[0]].margins - rollouts.played[answers[-1]].margins
    assert (gain, error) == (gains.mean(), pytest.approx(gains.std(ddof=1) / np.sqrt(70)))


def test_a_rollout_is_a_game_of_the_bot():
    """With one tile left, nothing is hidden, so each rollout is the game that `keen` plays."""
    game, keen = late(left=1), make("keen")
    rollouts = LongRollouts(game, keen_prices(), 1)
    for answer in game.legal_actions().tolist():
        rollouts.roll_out([answer], 2)
        end = game.clone()
        end.play(answer)
        while not end.is_over:
            end.play(keen.choose(end))
        margin = end.scores[game.player] - np.delete(end.scores, game.player).max()
        assert rollouts.played[answer].margins.tolist() == [margin, margin]


# --- the search -------------------------------------------------------------------------------------------------------
def test_what_makes_a_puzzle():
    best = Valued("a", 0.0, 0.0)
    for second, greedy, is_one in (
        (Valued("b", -4.0, 1.3), "b", True),
        (Valued("b", -4.0, 1.4), "b", False),
        (Valued("b", -3.9, 0.1), "b", False),
        (Valued("b", -9.0, 0.1), "a", False),
    ):
        assert is_clear((best, second), greedy) == is_one
    assert not is_clear((best,), "b")


def test_difficulty_grows_with_what_greedy_thinks_little_of():
    game = late(left=30)
    order = [answer for answer, _ in make("greedy").analyse(game)]
    found = [difficulty_of(game, answer) for answer in order]
    assert found == sorted(found) and sum(2.0**-bits for bits in found) == pytest.approx(1, abs=0.05)


def test_why_tells_what_differs():
    best, other = (
        ({"roads": 10.0, "cities": 4.0}, {"roads": 1.0, "cities": 2.0}),
        ({"roads": 8.96, "cities": 4.4}, {"roads": 1.2, "cities": 2.0}),
    )
    assert why_of(best, other) == {"roads": (-1.0, 0.2)} and why_of(best, best) == {}


def test_a_puzzle_of_the_search_is_found_again():
    """Checks that a search with the default effort and another seed finds the position of a shipped puzzle again."""
    puzzle = min((puzzle for puzzle in shipped() if puzzle.preset == "france"), key=lambda one: one.answers[1].gain)
    game = carc_env.Game.from_position(puzzle.position, seed=3)
    found = PuzzleFinder(seed=99).look(game)
    assert found is not None and (found.best, found.greedy) == (puzzle.best, puzzle.greedy)
    assert found.answers != puzzle.answers and found.position == puzzle.position
    assert PuzzleFinder(99, Effort(last=game.tiles_left - 1)).look(game) is None


def test_most_questions_are_none():
    tables = played_games(as_config(SMALL), 1, 1, "random")[0].tables()
    assert list(puzzles_in(tables, PuzzleFinder(0, Effort(last=3)))).count(None) > 10


def test_the_search_goes_on_where_it_was_stopped(tmp_path):
    sources, path, told = played_games(as_config(SMALL), 4, 5, "level:3"), tmp_path / "new" / "found.jsonl", []

    def stop(games, puzzles, questions):
        told.append((games, questions))
        if games == 2:
            raise KeyboardInterrupt

    finder = PuzzleFinder(0, EASY)
    with pytest.raises(KeyboardInterrupt):
        search(sources, Found(path), finder, show=stop)
    assert len(path.read_text().splitlines()) == 2 and told[0] == (0, 1)
    with open(path, "a") as file:
        file.write('{"game": "goldm')  # a line as a killed process leaves it
    search(sources, Found(path), finder)
    whole = Found(tmp_path / "whole.jsonl")
    search(sources, whole, finder)
    assert Found(path).games == whole.games and len(whole.games) == 4
    before = path.read_text()
    assert search(sources, Found(path), finder) == whole.puzzles and path.read_text() == before


def test_recorded_games_are_looked_through(tmp_path):
    path = tmp_path / "games.jsonl"
    games = [list(source.tables())[-1].record() for source in played_games(as_config(SMALL), 2, 5, "level:3")]
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    sources = recorded_games(str(path))
    assert len({source.name for source in sources}) == 2 and all("games.jsonl, " in one.name for one in sources)
    assert sum(1 for _ in sources[0].tables()) > 10
    with pytest.raises(FileError, match=r"none\.jsonl: No such file"):
        recorded_games(str(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    "change, why",
    [
        ({"answers": [["pass", 0.0, 0.0]]}, "not a puzzle; the first action should lead every other action by 4"),
        ({"answers": 3}, "should be of type list"),
        ({"answers": [["pass", 0.0]]}, r"'answers' should hold lists \[text, gain, error\]"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_a_file_that_does_not_hold_is_refused(tmp_path, change, why):
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps({"game": "a", "puzzles": [shipped()[0].to_dict() | change]}) + "\n")
    with pytest.raises(FileError, match=rf"found\.jsonl, line 1: .*{why}"):
        Found(path)
    assert read_puzzle(json.loads(json.dumps(shipped()[0].to_dict())), "x") == shipped()[0]
