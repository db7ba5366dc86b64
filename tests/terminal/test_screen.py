"""Tests of `carc play` and `carc watch` in a terminal of 80 x 24, as pyte shows it."""

import re
import signal
import subprocess

import pytest

import carc_env
from carc_env.arena.check_files import replay_file
from tests.terminal.conftest import asked

DECK = ["U", "E", "V", "GM2", "B", "K", "D", "GM5"]
COLOUR = re.compile(rb"\033\[[\d;]*[34]8?[;\d]*m")


@pytest.fixture
def begun(file_of):
    """Return the file of a short game of The Goldmines."""
    return file_of("goldmines", DECK)


def test_a_whole_game_by_numbers_to_the_final_table(terminal, begun, kept):
    screen = terminal("play", "--load", begun)
    first = screen.until(asked("places U"))
    assert (
        "goldmines, tile 2 of 9" in first
        and "> 0 Red (you)" in first
        and "3 U@0,1/0" in first
        and "(3)" in first
        and first.splitlines()[-1] == ">"
    )
    assert "number, notation, hint, undo, ? for help, quit" in first.splitlines()[22]
    assert COLOUR.search(screen.raw) and b"\033[?1049h" in screen.raw
    while not re.search(r"(?m)^total +\d", screen.text):
        screen.process.send("1\r")
        screen.hear(0.3)
    text = screen.until("The game is in")
    assert "points from" in text and screen.ended() == 0
    assert b"\033[?1049l" in screen.raw  # the terminal's own screen is back, and shows the final table
    assert list(replay_file(next(kept.iterdir())))[0].is_over


@pytest.mark.long
def test_arrows_move_the_board_pages_turn_and_tab_completes(terminal, begun):
    screen = terminal("play", "--load", begun)
    head = screen.until(asked("places U")).splitlines()[0]
    assert head.split()[:3] == ["-2", "-1", "[0]"]
    assert screen.press("\033[C", r"(?m)^ +-1 +\[0\] +1 ").splitlines()[0].split()[0] == "-1"
    screen.press("\033[D", r"(?m)^ +-2 +-1 +\[0\]")
    screen.press("\033[B", r"(?m)^ +4\b|^ +4$")
    screen.press("U@1\t", "> U@1,0/0")
    assert "meeple road E  2 tiles 2 open" in screen.press("\r", "may place a figure on")
    assert "undo  " in screen.type("?", "Enter: back to the game")
    assert "meeple road E" in screen.type("", "may place a figure on")
    screen.type("hint", "chance to")
    screen.type("b", r"3 meeple field Es")
    assert "Taken back." in screen.type("undo", "places U")


def test_a_long_menu_leaves_no_room_for_all_news(terminal, file_of):
    tiles = sorted(carc_env.Game("base", seed=1).deck)
    screen = terminal("play", "--load", file_of("base", tiles[:40]), "--against", "greedy")
    for _ in range(80):
        text = screen.until(asked(r"(places|may place)"))
        if "(news shows everything)" in text and ", n: more" in text:
            break
        screen.process.send("1\r")
        screen.hear(0.3)
    assert ", n: first page" in screen.type("-", "n: first page")
    assert ", n: more" in screen.type("b", "n: more")
    assert "Enter: back" in screen.type("news", "Enter: back")


def test_without_colours(terminal, begun):
    screen = terminal("play", "--load", begun, NO_COLOR="1")
    screen.until("places U")
    screen.type("U@1,0/0", "may place a figure on")
    screen.type("meeple road E", asked("goldmines, tile 4 of 9"))
    assert "m0" in screen.text and not COLOUR.search(screen.raw)  # figures show the numbers of their players


def test_a_dumb_terminal_gets_lines_of_its_width(terminal, begun):
    screen = terminal("play", "--load", begun, rows=30, columns=40, TERM="dumb")
    screen.until("3  U@0,1/0")
    assert b"\033" not in screen.raw and max(map(len, screen.raw.decode().splitlines())) <= 40
    screen.process.send("\x04")
    assert screen.ended() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was_and_keeps_the_game(terminal, begun, carc):
    screen = terminal("play", "--load", begun)
    screen.until("places U")
    screen.type("1", "may place a figure on")
    screen.process.sendintr()
    text = screen.until("interrupted")
    assert "The game is saved. To continue it:" in text and "Traceback" not in text
    assert screen.ended() == 130 and screen.raw.rstrip().endswith(b"carc: interrupted")
    command = re.search(rb"carc (play --load .*)", screen.raw)[1]  # from the raw output: the screen breaks lines
    assert "may place a figure on" in carc(*command.decode().split()).out


def test_a_process_that_is_to_end_keeps_the_game(terminal, begun, kept):
    screen = terminal("play", "--load", begun)
    screen.until("places U")
    screen.type("1", "may place a figure on")
    screen.process.kill(signal.SIGTERM)
    assert screen.ended() == 128 + signal.SIGTERM
    assert [len(game.moves) for game in replay_file(next(kept.glob("*.jsonl")))] == [1]
    assert b"Traceback" not in screen.raw


@pytest.mark.long
def test_a_process_that_is_to_end_while_a_bot_thinks_keeps_the_game(piped, begun, kept):
    process = piped("play", "--load", begun, "--against", "tests.terminal.bots:ends")
    out, err = process.communicate("1\npass\n1\n", timeout=300)
    assert process.returncode == 128 + signal.SIGTERM and err == "" and "did not play" not in out
    assert [game.moves[1:] for game in replay_file(next(kept.glob("*.jsonl")))] == [["pass"]]


def test_the_other_end_of_the_terminal_vanishes(terminal, begun, kept):
    screen = terminal("play", "--load", begun)
    screen.until("places U")
    screen.type("1", "may place a figure on")
    assert screen.vanish() == 128 + signal.SIGHUP
    assert [len(game.moves) for game in replay_file(next(kept.glob("*.jsonl")))] == [1]


def test_a_game_killed_at_any_moment_is_kept_to_the_last_answer(piped, begun, kept):
    process = piped("play", "--load", begun)
    process.stdin.write("1\n")
    process.stdin.flush()
    for line in process.stdout:
        if "may place a figure on" in line:
            break
    process.kill()
    process.communicate()
    assert [len(game.moves) for game in replay_file(next(kept.glob("*.jsonl")))] == [1]


@pytest.mark.long
def test_nobody_reads_any_more(piped, begun):
    process = piped("play", "--load", begun)
    process.stdout.close()
    process.stdin.write("1\n")
    process.stdin.close()
    assert process.wait(300) in (0, 1) and process.stderr.read() == ""


# --- watch ------------------------------------------------------------------------------------------------------------
@pytest.mark.long
def test_watch_by_keys(terminal, tmp_path):
    path = tmp_path / "short.toml"
    path.write_text('boxes = ["goldmines", "abbot"]\n')
    screen = terminal("watch", "greedy", "random", "--preset", path, "--seed", 3, "--delay", 0.25)
    screen.until(r"\[0\.25 s\]  \+ faster  - slower  space pause  \. step  q quit")
    paused = screen.press(" ", r"\[paused\]")
    screen.hear(0.5)
    assert screen.text == paused
    tile = int(re.search(r"tile (\d+) of", paused)[1])
    screen.press("....", rf"tile (?!{tile} )\d+ of")
    screen.press("\033[C", r"\[paused\]")
    screen.press("-- ", r"\[1 s\]")
    screen.press("+" * 8, r"The game is over\.")
    assert re.search(r"total +\d+ +\d+", screen.text) and re.search(r"(Red|Blue) \(\w+\) wins", screen.text)
    screen.process.send("q")
    assert screen.ended() == 0 and "total" in screen.text


@pytest.mark.long
def test_watch_is_left_at_once(terminal):
    screen = terminal("watch", "greedy", "greedy", "--delay", 3600)
    screen.until(r"\[3\.6e\+03 s\]")
    screen.process.sendintr()
    assert screen.ended() == 130  # it does not wait for the hour
    assert "interrupted" in screen.text and "Traceback" not in screen.text


def test_watch_line_by_line(carc):
    outcome = carc("watch", "greedy", "random", "--preset", "base", "--seed", 3)
    assert outcome.status == 0 and outcome.lines[:3] == ["base, tile 2 of 72", "Red (greedy)", "Blue (random)"]
    assert re.search(r"^Red: \w+@-?\d+,-?\d+/\d+$", outcome.out, re.MULTILINE) and "Blue: " in outcome.out
    assert all(len(line) <= 80 for line in outcome.lines) and outcome.lines[-1].endswith(" wins.")
    assert carc("watch", "greedy", "random", "--preset", "base", "--seed", 3).out == outcome.out


def test_watch_says_which_bot_failed(carc):
    outcome = carc("watch", "greedy", "tests.terminal.bots:wrong", "--preset", "base", "--seed", 3)
    assert outcome.status == 1 and outcome.err == "carc: wrong played 0, which is not legal\n"


@pytest.mark.parametrize("delay", ["-1", "x", "nan", "1e9"])
def test_watch_at_an_impossible_speed(carc, delay):
    outcome = carc("watch", "greedy", "greedy", "--delay", delay)
    assert outcome.status == 2 and "should be a number of seconds from 0 to 3600" in outcome.err


@pytest.mark.long
def test_play_needs_no_library_for_lines(begun, kept, monkeypatch):
    program = (
        "import sys; sys.modules['rich'] = None\nfrom carc_env.commands.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    import sys

    done = subprocess.run(
        [sys.executable, "-c", program, "play", "--load", str(begun), "--plain"],
        input="1\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "You: U@-1,0/0" in done.stdout and done.stderr == ""
