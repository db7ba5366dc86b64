"""Tests of the parts of a game in a terminal: menus, the window of the board, the survey, and texts. Also checks that
every moment of a game fits on the screen.
"""

import io
import random
import sys

import pytest
from rich.console import Console
from rich.text import Text

import carc_env
from carc_env.bots import ActionValue
from carc_env.compiling import waiting
from carc_env.render.ansi import cells
from carc_env.rules.state import Phase
from carc_env.terminal.asked_bots import Seats
from carc_env.terminal.begin import a_display
from carc_env.terminal.board import Window, survey
from carc_env.terminal.frame import drawn_with, last_cell, side_by_side
from carc_env.terminal.kept_games import Keeper
from carc_env.terminal.menu import PAGE, Menu, found, hint_menu, legal_answers, menu_of
from carc_env.terminal.plain import Plain
from carc_env.terminal.play import Sitting
from carc_env.terminal.screen import Screen
from carc_env.terminal.words import Names, final_table, player_line, question, winners


@pytest.fixture(scope="module")
def middle():
    """Return a game of `everything` in the middle of the game. The tile in hand fits in many places."""
    game, bot = carc_env.Game("everything", seed=1), carc_env.make_bot("greedy")
    while game.phase != Phase.PLACE_TILE or game.tiles_left > 120 or len(game.legal_actions()) < 30:
        game.play(bot.choose(game))
    return game


# --- menus ------------------------------------------------------------------------------------------------------------
def test_many_answers_are_grouped_by_place_and_each_is_in_one_group(middle):
    answers = legal_answers(middle)
    menu = menu_of(middle, answers)
    cells_named = [entry.cell for entry in menu.entries]
    assert len(set(cells_named)) == len(cells_named) < len(answers)
    assert cells_named == sorted(cells_named, key=lambda cell: (cell[1], cell[0]))  # in reading order
    assert sorted(answer.action for answer in menu.answers) == sorted(middle.legal_actions().tolist())
    several = next(entry for entry in menu.entries if len(entry.answers) > 1)
    assert several.label == "{},{}".format(*several.cell) and several.about == f"{len(several.answers)} ways"
    inner = menu_of(middle, several.answers)
    assert [entry.label for entry in inner.entries] == [answer.text for answer in several.answers]
    assert menu.marks() == {cell: f"({number})" for number, cell in enumerate(cells_named, 1)}


def test_few_answers_are_listed_each():
    game = carc_env.Game("base", deck=["U", "V"])
    menu = menu_of(game, legal_answers(game))
    assert [entry.label for entry in menu.entries] == ["U@-1,0/0", "U@1,0/0", "U@0,1/0"]


def test_pages_follow_each_other_and_begin_anew(middle):
    menu = menu_of(middle, legal_answers(middle))
    seen = []
    for _ in range(-(-len(menu.entries) // PAGE)):
        seen += [number for number, _ in menu.page(PAGE)]
        menu.turn(PAGE, 1)
    assert seen == list(range(1, len(menu.entries) + 1)) and menu.first == 0
    menu.turn(PAGE, -1)
    assert menu.page(PAGE)[-1][0] == len(menu.entries)


def test_figures_are_grouped_by_spot_and_the_tile_shows_the_numbers(middle):
    game = middle.clone()
    while not (game.phase == Phase.PLACE_FIGURE and len(game.legal_actions()) > PAGE):
        game.play(carc_env.make_bot("greedy").choose(game))
    menu = menu_of(game, legal_answers(game))
    spots = [entry for entry in menu.entries if len(entry.answers) > 1]
    assert spots and all(len({answer.text.partition(" ")[2] for answer in entry.answers}) == 1 for entry in spots)
    assert menu.entries[-1].label == "pass"
    assert set(menu.spots().values()) <= {str(number) for number in range(1, len(menu.entries))}


def test_what_is_typed_finds_answers():
    game = carc_env.Game("base", deck=["U", "V"])
    answers = legal_answers(game)
    assert [answer.text for answer in found(game, answers, "U@0,1/180")] == ["U@0,1/0"]
    assert [answer.text for answer in found(game, answers, "U")] == [answer.text for answer in answers]
    assert found(game, answers, "") == found(game, answers, "V@1,0/0") == found(game, answers, "U@1,0/0 now") == []
    assert [
        entry.about
        for error in (None, 0.83)
        for entry in hint_menu(game, [ActionValue(answers[0].action, 0.04, error)]).entries
    ] == ["+0.0, 50%", "+0.0 ± 0.8, 50%"]
    three = carc_env.Game(carc_env.GameConfig(players=3))
    assert [entry.about for entry in hint_menu(three, [ActionValue(three.legal_actions()[0], 0.04)]).entries] == [
        "+0.0"
    ]


def test_marks_are_those_of_the_first_entry_on_a_cell():
    game = carc_env.Game("base", deck=["E", "V"])
    menu = Menu([entry for answer in legal_answers(game) for entry in menu_of(game, [answer]).entries])
    assert menu.marks()[menu.entries[0].cell] == "(1)" and len(menu.marks()) < len(menu.entries)


# --- the board --------------------------------------------------------------------------------------------------------
def test_the_window_shows_the_last_tile_and_as_many_marked_cells_as_any_other(middle):
    menu = menu_of(middle, legal_answers(middle))
    drawn, last, others = drawn_with(middle, False, menu), last_cell(middle), list(menu.marks())
    window = Window(6, 7)
    window.follow(drawn, last, others)
    seen = sum(window.shows(cell) for cell in set(others))
    assert window.shows(last)
    for x in range(-30, 30):
        for y in range(-30, 30):
            other = Window(6, 7, x, y)
            assert not other.shows(last) or sum(other.shows(cell) for cell in set(others)) <= seen


def test_the_window_moves_within_the_board(middle):
    drawn, window = cells(middle), Window(6, 7)
    window.move(drawn, 1000, -1000)
    assert window.x == max(x for x, _ in drawn) and window.y == min(y for _, y in drawn) - 6
    assert set(window.hides(drawn).split()) == {"h", "j"}
    assert len(window.lines(drawn, False, None)) == 1 + 3 * 7


def test_the_survey_shows_all_cells_in_80_columns(middle):
    lines = survey(cells(middle), False, (0, 0))
    assert len(lines) == 1 + max(y for _, y in cells(middle)) - min(y for _, y in cells(middle)) + 1
    assert max(map(len, lines)) <= 80
    figures = [figure for tile in middle.board() for figure in tile.figures]
    text = "\n".join(lines)
    assert all(
        f"{letter}{player}" in text
        for letter, player in {(figure.figure[0], figure.player) for figure in figures if figure.figure == "meeple"}
    )


def test_pictures_stand_side_by_side_as_far_as_there_is_room():
    assert side_by_side([["ab", "cd"], ["e"], ["fgh"]], 5) == ["ab e", "cd"]
    assert side_by_side([], 5) == []


# --- words ------------------------------------------------------------------------------------------------------------
def test_names_stand_for_numbers():
    names = Names({1: "greedy"}, 2)
    assert names.said("player 1 took an ingot from player 0") == "Blue took an ingot from You"
    assert (names.long(0), names.long(1)) == ("Red (you)", "Blue (greedy)")
    game = carc_env.Game("base", deck=["U", "V"])
    assert question(game, names) == "Red (you) places U, a tile with a road"
    assert player_line(game, 1, names, False, 80).split() == ["1", "Blue", "(greedy)", "0", "7m"]
    assert player_line(game, 1, names, False, 22).split() == ["1", "Blue", "0", "7m"]


def test_the_final_table_adds_up_and_names_a_draw():
    game = carc_env.Game({"players": 3}, deck=["U"])
    while not game.is_over:
        game.play(game.legal_actions()[-1])
    assert winners(game, Names({1: "a", 2: "b"}, 3)) == "Red (you), Blue (a) and Yellow (b) draw."
    assert final_table(game, Names({}, 3))[-3].split() == ["total", "0", "0", "0"]


# --- the screen -------------------------------------------------------------------------------------------------------
class Typist(Screen):
    """A screen that types random input, and checks everything that is shown."""

    def __init__(self, width: int, height: int, seed: int):
        self.out, self.chance, self.moments, self.sitting = io.StringIO(), random.Random(seed), 0, None
        super().__init__(Console(file=self.out, force_terminal=True, width=width, height=height, color_system="256"))

    def ask(self, prompt="> ", words=()):
        shown = Text.from_ansi(self.out.getvalue().rpartition("\033[H")[2].removesuffix("\033[2K")).plain.split("\n")
        self.out.seek(0)
        self.out.truncate()
        assert len(shown) == self.console.height and all(len(line) <= self.console.width for line in shown)
        menu, text = self.sitting.menu, "\n".join(shown)
        assert self.sitting.view or all(
            f" {number} " in text for number, _ in menu.page(self.room(self.sitting.game.players))
        )
        self.moments += 1
        other = self.chance.choice(["?", "all", "key", "players", "news", "n", "-", "hint", "b", "2hk", "undo"])
        return other if self.chance.random() < 0.05 else str(self.chance.randint(1, len(menu.entries)))


@pytest.mark.parametrize(("width", "height", "players"), [(80, 24, 2), (60, 20, 5), (200, 50, 3)])
def test_every_moment_of_a_short_game_of_everything_fits_the_screen(kept, monkeypatch, width, height, players):
    monkeypatch.setenv("TERM", "xterm-256color")
    full = carc_env.Game({"players": players, "boxes": list(carc_env.preset("everything").boxes)}, seed=players)
    game = carc_env.Game(full.config, deck=full.deck[:30], seed=1)
    screen = Typist(width, height, players)
    seats = Seats({player: "greedy" for player in range(1, players)}, game)
    screen.sitting = Sitting(game, 0, seats, screen, Keeper("test"))
    screen.sitting.run()
    assert screen.sitting.game.is_over and screen.moments > 10


class Tty(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


def sit_down(monkeypatch, columns=80):
    """Make standard input and output look like a terminal of 24 lines."""
    for name, value in (("TERM", "xterm"), ("COLUMNS", str(columns)), ("LINES", "24")):
        monkeypatch.setenv(name, value)
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, Tty())


def test_who_has_a_terminal_that_is_large_enough_gets_the_screen(monkeypatch):
    sit_down(monkeypatch)
    assert isinstance(a_display(False), Screen) and isinstance(a_display(True), Plain)
    sit_down(monkeypatch, 59)
    assert isinstance(a_display(False), Plain)
    sit_down(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert isinstance(a_display(False), Plain)


def test_a_library_that_there_is_not_is_said_in_one_line(monkeypatch, capsys):
    sit_down(monkeypatch)
    monkeypatch.setitem(sys.modules, "carc_env.terminal.screen", None)
    assert isinstance(a_display(False), Plain)
    said = capsys.readouterr().err
    assert (
        said.startswith("carc: printing plain lines, because the full screen needs a library that is not installed: ")
        and said.count("\n") == 1
    )


def test_the_screen_says_itself_that_code_is_compiled(monkeypatch, capsys):
    out, now = io.StringIO(), [10.0]
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("carc_env.terminal.screen.time.monotonic", lambda: now[0])
    with Screen(Console(file=out, force_terminal=True, width=80, height=24)):
        waiting._report("compiling", 100.0)
        assert "Compiling" not in out.getvalue(), "what takes less than two seconds is not told"
        now[0] += 2.5
        waiting._report("waiting", 100.0)
        assert out.getvalue().endswith(
            "\x1b[24;1H\x1b[2KCompiling code for its first use. This takes seconds to a minute ..."
        )
    assert waiting.watch is None and capsys.readouterr().err == ""
