"""Tests of the analysis of games by a bot: the value of each action, the best action, and the points lost."""

import math

import pytest

import carc_env
from carc_env import BotError, Game, GameConfig, make_bot
from carc_env.arena.analysis import (
    COLUMNS,
    Judged,
    analyse_game,
    how_many,
    judged,
    lines_of,
    row_of,
    save_plot,
    total_line,
    totals,
)
from carc_env.arena.check_files import position_after
from carc_env.bots.winning import chance_in
from carc_env.render import rasterise
from carc_env.render.plot import Answer, plot
from tests.render.helpers import marked, parse, texts


def played(config: str, *bots: str, seed: int = 4) -> Game:
    game, bots = Game(config, seed=seed), [make_bot(bot, seed=1) for bot in bots]
    while not game.is_over:
        game.play(bots[game.player].choose(game))
    return game


@pytest.fixture(scope="module")
def game() -> Game:
    return played("goldmines", "greedy", "random")


@pytest.fixture(scope="module")
def answers(game) -> list[Judged]:
    return analyse_game(game)


class Likes:
    """A bot that uses the ids of the actions as their values, but gives no value to the smallest id."""

    name = "likes"

    def choose(self, game):
        return game.legal_actions()[-1]

    def analyse(self, game):
        return [(int(action), float(action)) for action in game.legal_actions()[:0:-1]]


@pytest.mark.parametrize("spec", ["level:5", "rollout:playouts=16", "rollout:ms=2", "expectimax:width=2,draws=1"])
def test_a_bot_that_tries_few_actions_values_the_chosen_one_too(spec):
    """Bots that try few actions would not try the worst moves of a game."""
    game = Game("base", deck=["U", "V", "D", "E"])
    while not game.is_over:  # takes the last legal action that is not `pass`, which is a bad one
        game.play(game.legal_actions()[-2 if game.text(game.legal_actions()[-1]) == "pass" else -1])
    found = analyse_game(game, spec)
    assert all(answer.value is not None and answer.lost >= 0 for answer in found)
    assert sum(total.lost for total in totals(found, 2)) > 5
    if "ms=" not in spec:
        assert found == analyse_game(game, spec), "the same in every analysis"


def test_actions_without_a_value_are_counted():
    game = Game("base", deck=["U", "V", "D", "E"])
    while not game.is_over:
        game.play(game.legal_actions()[0])
    found = analyse_game(game, Likes())
    red, _ = totals(found, 2)
    assert red.unknown == sum(answer.value is None for answer in found if answer.player == 0) > 0
    assert total_line(red).endswith(f"; the bot gave no value to {red.unknown} further actions")


def test_every_answer_that_somebody_chose_is_judged_once(game, answers):
    assert [answer.move for answer in answers] == sorted({answer.move for answer in answers}) and len(
        answers
    ) == how_many(game)
    assert all(answer.answer == game.moves[answer.move - 1] for answer in answers)
    left_out = set(range(1, len(game.moves) + 1)) - {answer.move for answer in answers}
    for move in left_out:  # these actions are forced
        assert len(position_after(game, move - 1).moves) >= move


def test_an_answer_is_judged_by_what_the_bot_says_of_the_position(game, answers):
    bot = make_bot("greedy")
    for answer in answers[::9]:
        before = position_after(game, answer.move - 1)
        values = {before.text(action): value for action, value in bot.analyse(before)}
        assert (answer.player, answer.phase) == (before.player, before.phase.name)
        assert answer.best == before.text(bot.choose(before)) and answer.best_value == values[answer.best]
        assert answer.value == values[answer.answer] and answer.lost == pytest.approx(answer.best_value - answer.value)
        assert answer.scores == tuple(position_after(game, answer.move).scores)


def test_the_chance_to_win_grows_with_the_margin_and_is_certain_in_the_end(answers):
    for answer in answers:
        assert answer.chance <= answer.best_chance and 0 <= answer.chance <= 1
        assert answer.chance >= 0.5 if answer.value > 0 else answer.chance <= 0.5
    assert any(answer.chance < answer.best_chance - 0.02 for answer in answers)
    last = answers[-1]
    assert abs(last.value) > 20 and min(last.chance, 1 - last.chance) < 0.001


def test_the_chance_to_win_has_the_scale_of_what_is_played():
    base, goldmines, other = Game("base"), Game("goldmines"), Game(GameConfig(meeples=5))
    three = GameConfig(players=3)
    assert chance_in(base, 0) == 0.5 and chance_in(base, 10) == pytest.approx(1 - chance_in(base, -10), abs=1e-4)
    assert chance_in(base, 10) > chance_in(goldmines, 10) > 0.5  # points are worth more where games are closer
    assert chance_in(other, 10) == pytest.approx(chance_in(base, 10), abs=0.02)
    assert chance_in(position_after(played("base", "greedy", "greedy"), 120), 10) > chance_in(base, 10) + 0.1
    assert chance_in(Game(three), 10) is None
    judged_there = analyse_game(position_after(played(three, "random", "random", "random"), 12))
    assert judged_there and all(answer.chance is None for answer in judged_there)


def test_greedy_finds_no_fault_with_itself_and_many_with_chance(answers):
    greedy, chance = totals(answers, 2)
    assert greedy.lost == 0 and not greedy.worst and chance.lost > 50 and chance.average > 0.5


@pytest.mark.parametrize("bot", ["greedy", "ppo"])
def test_nobody_loses_by_playing_as_the_judge_would(bot):
    judged_by_itself = analyse_game(played("expansions", bot, bot), bot)
    assert len(judged_by_itself) > 100 and {answer.lost for answer in judged_by_itself} == {0.0}
    assert all(answer.answer == answer.best for answer in judged_by_itself)


def test_totals(answers):
    of = [answer for answer in answers if answer.player == 1]
    _, total = totals(answers, 2)
    assert total.player == 1 and total.answers == len(of)
    assert total.lost == pytest.approx(math.fsum(answer.lost for answer in of), abs=0.001)
    assert total.average == pytest.approx(total.lost / len(of), abs=0.001)
    assert [answer.lost for answer in total.worst] == sorted((answer.lost for answer in of), reverse=True)[:5]
    assert total.to_dict()["worst"] == [answer.move for answer in total.worst]
    assert totals([], 3)[2].to_dict() == {
        "player": 2,
        "answers": 0,
        "unknown": 0,
        "lost": 0.0,
        "average": 0.0,
        "worst": (),
    } | {"worst": []}


def test_a_record_is_judged_as_its_game_and_may_name_other_spots(answers, game):
    record = game.record()
    assert analyse_game(record) == answers
    short = Game("base", deck=["U", "V", "V"])
    short.play("U@1,0/180")
    short.play("meeple road W")
    assert short.moves == ["U@1,0/0", "meeple road E"]
    assert analyse_game(short.record() | {"moves": ["U@1,0/180", "meeple road W"]}) == analyse_game(short)


def test_answers_come_one_at_a_time(game):
    asked = []

    class Counting(Likes):
        def analyse(self, game):
            asked.append(1)
            return [(int(action), 0.0) for action in game.legal_actions()]

    stream = judged(game, Counting())
    first, second = next(stream), next(stream)
    assert (first.move, second.move) == (1, 2) and len(asked) <= 3


def test_what_the_bot_says_nothing_of_is_not_counted(game):
    found = analyse_game(game, Likes())
    unknown = [answer for answer in found if answer.lost is None]
    assert unknown and all(answer.value is None and answer.best != answer.answer for answer in unknown)
    assert sum(total.answers for total in totals(found, 2)) == len(found) - len(unknown)
    assert row_of(unknown[0])[5:8] == ("?", "?", "?")


def test_a_game_that_goes_on_is_judged_as_far_as_it_is(game):
    part = position_after(game, 21)
    found = analyse_game(part)
    assert found == analyse_game(game)[: len(found)] and found[-1].move <= 21 and len(part.moves) - found[-1].move < 3
    assert analyse_game(position_after(game, 0)) == []


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        (lambda game: None, "should return"),
        (lambda game: [], "a finite value in points for each action"),
        (lambda game: [(10**9, 1.0)], "is not from 0 to"),
        (lambda game: [(int(game.legal_actions()[0]), float("nan"))], "a finite value in points for each action"),
        (lambda game: [3], "should return"),
        (lambda game: [(int(game.legal_actions()[0]), "much")], "should return"),
    ],
)
def test_nonsense_of_a_bot_is_one_clear_error(game, says, reason):
    class Odd(Likes):
        def analyse(self, game):
            return says(game)

    with pytest.raises(BotError, match=reason):
        analyse_game(game, Odd())


@pytest.mark.parametrize("bot", ["random", lambda game: game.legal_actions()[0]])
def test_a_bot_that_cannot_say_is_named(game, bot):
    with pytest.raises(BotError, match="cannot compute values of actions"):
        analyse_game(game, bot)


def test_nothing_hidden_changes_the_judgement():
    one, other = Game("carcassonne", seed=3), Game("carcassonne", seed=3)
    other.reshuffle_hidden(5)
    answer = one.text(one.legal_actions()[0])
    one.play(answer)
    other.play(answer)
    assert analyse_game(one)[0] == analyse_game(other)[0] and one.deck != other.deck


# --- output for people ------------------------------------------------------------------------------------------------
def test_the_table_has_a_line_for_each_answer(answers):
    lines = lines_of(answers)
    assert len(lines) == len(answers) + 1 and lines[0].split() == list(COLUMNS)
    lost = next(answer for answer in answers if answer.lost > 1)
    assert lines[answers.index(lost) + 1].split()[0] == str(lost.move) and lines[answers.index(lost) + 1].endswith(
        f"{lost.lost:.2f}  {lost.best}"
    )
    assert not row_of(next(answer for answer in answers if answer.lost == 0))[-1]
    assert total_line(totals(answers, 2)[0]).startswith("Red lost 0.0 points with ")


def test_the_plot_shows_points_and_losses(game, answers, tmp_path):
    save_plot(answers, game, make_bot("greedy"), tmp_path / "plot.svg")
    root = parse((tmp_path / "plot.svg").read_text())
    assert [int(curve.get("data-points")) for curve in marked(root, class_="points")] == game.scores.tolist()
    (lead,) = marked(root, class_="margin")  # the margin of the first player, after the actions of both
    last = [answer for answer in answers if answer.value is not None][-1]
    assert float(lead.get("data-margin")) == round(-last.value if last.player else last.value, 2)
    bars = {int(bar.get("data-move")): float(bar.get("data-lost")) for bar in marked(root, class_="lost")}
    assert bars == {answer.move: round(answer.lost, 2) for answer in answers if answer.lost}
    assert {
        "points",
        "expected margin of Red",
        "points lost",
        "moves",
        "Red",
        "Blue",
        "goldmines, judged by greedy",
    } <= set(texts(root))
    assert len(rasterise((tmp_path / "plot.svg").read_text(), 800)) > 5000
    root = parse(plot("<A> & B", [Answer(1, 0, 0.0, [0, 0])], ["<A>", "B & C"]))
    assert root[0].text == "<A> & B" and {"<A> & B", "<A>", "B & C"} <= set(texts(root))
    with pytest.raises(carc_env.PictureError, match="no action has been analysed"):
        save_plot([], game, make_bot("greedy"), tmp_path / "none.svg")
