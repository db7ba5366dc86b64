"""Tests of `carc play` line by line: menus, notation, commands, saved and continued games, and errors."""

import json
import re
from pathlib import Path

import pytest

import carc_env
from carc_env.arena.check_files import replay_file
from carc_env.terminal.play import scrolling

SHORT = ["U", "E", "V", "GM2", "B", "K", "D", "GM5"]  # with The Goldmines; the start tile is D
BASE = ["U", "E", "V", "K", "D", "W", "J", "U", "P"]
EVERY_BOX = ["U", "FE1", "AB1", "BB1", "E", "TB1", "SM1", "K"]


def question(out: str) -> str:
    """Return the last decision that the person was asked to make."""
    return re.findall(r"^Red \(you\) .*|^Blue \(you\) .*", out, re.MULTILINE)[-1]


def no_line_is_wide(lines: list[str], width: int = 80) -> None:
    """Check that no line is too wide. Names of files and the command that continues a game may be wider, because they
    must not be broken.
    """
    for line in lines:
        assert len(line) <= width or line.startswith(("carc play --load", "carc replay", "The game is in")), line


# --- whole games ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", ["1", "2"])
def test_a_whole_game_of_goldmines_by_numbers(carc, kept, number):
    """The numbers `number` and 1 are typed by turns. The saved game is the game that was shown."""
    outcome = carc("play", "--seed", 5, typed=f"{number}\n1\n" * 400)
    assert outcome.status == 0 and outcome.err == ""
    no_line_is_wide(outcome.lines)
    assert all(letter.isascii() and letter.isprintable() for line in outcome.lines for letter in line)
    game = list(replay_file(next(kept.iterdir())))[0]
    assert game.is_over and game.seed == 5 and len(game.board()) == 80
    table = outcome.out.partition(f"goldmines, tile 80 of 80; {game.supply} ingots in the supply\n\npoints from")[
        2
    ].splitlines()
    found = {
        source: points
        for line in table[1:]
        if len(line.split()) > 2 and "." not in line
        for source, *points in [line.rsplit(None, 2)]
    }
    points = {source: list(map(str, of)) for source, of in game.final_scores().items() if of.any()}
    assert found == points | {"total": list(map(str, game.scores))}
    winner = ["Red (you)", "Blue (greedy)"][int(game.scores.argmax())]
    assert f"{winner} wins." in outcome.lines
    assert outcome.lines[-1] == f"The game is in {next(kept.iterdir())}"


def test_a_short_game_of_everything_by_numbers(carc, kept, file_of):
    """The decisions of all boxes, including those about castle tiles, are shown as menus."""
    begun = file_of(
        "everything",
        [kind for kind in EVERY_BOX if kind in carc_env.Game("everything", seed=0).deck] + SHORT[:3],
        german_castles=[["GC1", "GC2"], ["GC3", "GC4"]],
    )
    outcome = carc("play", "--load", begun, "--against", "random", typed="1\n" * 400)
    assert outcome.status == 0
    no_line_is_wide(outcome.lines)
    assert list(replay_file(next(kept.iterdir())))[0].is_over
    asked = set(re.findall(r"^Red \(you\) (.*)", outcome.out, re.MULTILINE))
    assert {"may place a castle tile", "places U, a tile with a road"} <= asked
    assert re.search(r"^total +\d+ +\d+$", outcome.out, re.MULTILINE)


def test_a_toml_file_three_bots_and_a_seat(carc, tmp_path, kept):
    path = tmp_path / "own.toml"
    path.write_text('boxes = ["goldmines"]\n')
    outcome = carc(
        "play", "--preset", path, "--against", "greedy", "random", "--seat", 1, "--seed", 3, typed="1\n" * 50
    )
    assert outcome.status == 0
    # 9 tiles: those of the box alone, and the start tile
    assert outcome.lines[1] == "--- goldmines, tile 3 of 9; 14 ingots in the supply"
    assert any(line.startswith("> 1 Blue (you) ") for line in outcome.lines) and any(
        line.startswith("  2 Yellow (random)") for line in outcome.lines
    )
    game = list(replay_file(next(kept.iterdir())))[0]
    assert game.players == 3 and game.is_over


def test_by_notation_with_any_spot_and_by_beginnings(carc, file_of):
    begun = file_of("goldmines", SHORT)
    outcome = carc("play", "--load", begun, typed="U@1,0/180\nmeeple road W\n")
    assert [line for line in outcome.lines if line.startswith("You: ")] == ["You: U@1,0/0", "You: meeple road E"]
    outcome = carc("play", "--load", begun, typed="u@1,0/0\nMee f e\n")
    assert [line for line in outcome.lines if line.startswith("You: ")] == ["You: U@1,0/0", "You: meeple field Es"]


def test_beginnings_that_several_answers_have_become_a_menu(carc, file_of):
    outcome = carc("play", "--load", file_of("goldmines", SHORT), typed="u@1\nmeep\n2\n")
    assert "You: U@1,0/0" in outcome.lines
    fields = outcome.out.partition("moves begin with this text.")[2]
    assert "pass" not in fields.partition(">")[0] and "b: back" in fields
    assert "You: meeple field Nw" in outcome.lines


# --- commands ---------------------------------------------------------------------------------------------------------
def test_hint_tells_what_greedy_plays(carc, file_of):
    begun = file_of("goldmines", SHORT)
    outcome = carc("play", "--load", begun, typed="hint\nb\nhint\n1\n")
    game, bot = carc_env.replay(json.loads(begun.read_text())), carc_env.make_bot("greedy")
    best = [game.text(action) for action, _ in bot.analyse(game)[:5]]
    told = outcome.out.partition("with the expected margin and the chance to win:")[2].partition("b: back")[0]
    assert re.findall(r"^ +\d  (\S+)  \([+-]\d+\.\d, \d+%\)$", told, re.MULTILINE) == best
    assert f"You: {game.text(bot.choose(game))}" in outcome.lines


def test_hint_asks_any_bot_and_stays_with_it(carc, file_of):
    begun = file_of("goldmines", SHORT)
    outcome = carc("play", "--load", begun, typed="hint rollout:playouts=60\nb\nhint\n1\n")
    assert outcome.out.count("What rollout:playouts=60 thinks best") == 2 and "(± standard error)" in outcome.said
    assert re.search(r"^ +\d  \S+  \([+-]\d+\.\d ± \d+\.\d, \d+%\)$", outcome.out, re.MULTILINE)
    named = carc("play", "--load", begun, "--hints", "level:4", typed="hint\n")
    assert "What level 4 thinks best" in named.out


def test_a_bot_that_gives_no_hints_is_named(carc, file_of):
    begun = file_of("goldmines", SHORT)
    outcome = carc("play", "--load", begun, typed="hint random\nhint nobody\nhint level:9\nhint\n")
    assert "<bot random> cannot compute values of actions" in outcome.out and "unknown bot 'nobody'" in outcome.out
    assert "the levels are level:1 to level:6" in outcome.out and "What greedy thinks best" in outcome.out
    refused = carc("play", "--load", begun, "--hints", "random")
    assert refused.status == 2 and "<bot random> cannot compute values of actions" in refused.err


def test_a_level_is_called_so(carc):
    outcome = carc("play", "--preset", "base", "--against", "level:2", "--seed", 7, typed="1\n")
    assert "  1 Blue (level 2)      0  7m" in outcome.out


def test_undo_goes_back_to_the_last_question_of_the_person(carc, file_of, kept):
    outcome = carc("play", "--load", file_of("goldmines", SHORT), typed="undo\n1\npass\nundo\nundo\n2\n")
    assert "You have made no move that you could take back." in outcome.said
    assert [line for line in outcome.lines if line.startswith("You: ")] == [
        "You: U@-1,0/0",
        "You: pass",
        "You: U@1,0/0",
    ]
    assert outcome.lines.count("Taken back.") == 2
    assert list(replay_file(next(kept.iterdir())))[0].moves == ["U@1,0/0"]


def test_undo_does_not_reach_before_the_first_question_when_a_bot_began(carc, file_of):
    outcome = carc("play", "--load", file_of("goldmines", SHORT), "--seat", 1, typed="undo\nq\n")
    assert "You have made no move that you could take back." in outcome.said and "Taken back." not in outcome.out


def test_save_and_go_on(carc, file_of, tmp_path):
    path = tmp_path / "my games.jsonl"
    outcome = carc(
        "play", "--load", file_of("goldmines", SHORT), typed=f"1\nsave\nsave {path}\n1\nsave {path}\nsave {tmp_path}\n"
    )
    assert "Add the name of a file: save my_game.jsonl" in outcome.said
    assert outcome.said.count(f"The game was added to {' '.join(str(path).split())}.") == 2
    assert f"The game was not saved: {tmp_path}: Is a directory" in outcome.said
    assert {tuple(json.loads(line)["names"]) for line in path.read_text().splitlines()} == {("you", "greedy")}
    first, second = replay_file(path)
    assert len(first.moves) == 1 and len(second.moves) > 1
    again = carc("play", "--load", path, typed="")
    assert again.status == 0 and question(again.out) == question(outcome.out) != "Red (you) may place a figure on U"


def test_the_end_of_input_keeps_the_game_and_says_how_to_go_on(carc, kept):
    outcome = carc("play", "--preset", "base", "--against", "random", "--seed", 1, "--seat", 1, typed="1\n1\n")
    assert outcome.status == 0 and outcome.out.rstrip().endswith("--against random --seat 1")
    again = carc(*outcome.command, typed="1\n")
    assert question(again.out[: len(again.out) // 2]) == question(outcome.out)
    assert len(list(kept.iterdir())) == 2  # a continued game is saved in a new file, and the old file stays as it was


def test_nothing_is_kept_of_a_game_without_an_answer(carc, kept):
    outcome = carc("play", "--seed", 1, typed="?\nall\n")
    assert outcome.status == 0 and "go on" not in outcome.lines[-1] and not kept.exists()


@pytest.mark.parametrize(
    ("answer", "n_kept", "n_saved"), [("", 1, 0), ("yes", 1, 0), ("no", 0, 0), ("there.jsonl", 1, 1)]
)
def test_quit_offers_to_save(carc, kept, tmp_path, monkeypatch, answer, n_kept, n_saved):
    monkeypatch.chdir(tmp_path)
    outcome = carc("play", "--preset", "base", "--seed", 1, typed=f"1\nquit\n{answer}\n1\n")
    assert outcome.status == 0 and "Save the game? (Enter: yes" in outcome.out
    assert len(list(kept.glob("*.jsonl"))) == n_kept and len(list(tmp_path.glob("*.jsonl"))) == n_saved
    assert ("carc play --load" in outcome.out) == bool(n_kept)


def test_a_game_is_never_added_to_a_file_of_something_else(carc, kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("# My notes\n")
    outcome = carc("play", "--preset", "base", "--seed", 1, typed="1\nsave notes.md\nquit\nmaybe\nnotes.md\n")
    assert "maybe: answer yes, no, or the name of a file such as my_game.jsonl" in outcome.said
    assert outcome.said.count("notes.md: this file does not contain game records; choose another file") == 2
    assert Path("notes.md").read_text() == "# My notes\n" and not Path("maybe").exists()
    assert len([*kept.glob("*.jsonl")]) == 1


def test_a_saved_game_goes_on_with_the_bots_that_its_record_names(carc, file_of, kept):
    begun = carc("play", "--preset", "base", "--against", "level:3", "greedy", "--seat", 1, "--seed", 1, typed="1\n")
    path = begun.command[begun.command.index("--load") + 1]
    assert carc("play", "--load", path).command[-5:] == ["--against", "level:3", "greedy", "--seat", "1"]
    alike = carc("play", "--preset", "base", "--against", "greedy", "greedy", "--seed", 1, typed="1\n")
    path = alike.command[alike.command.index("--load") + 1]
    assert carc("play", "--load", path).command[-5:] == ["--against", "greedy", "greedy", "--seat", "0"]


@pytest.mark.parametrize(
    "name", ["cmd:echo", "tests.terminal.bots:wrong", "learned:runs/mine", "ppo:x.safetensors", "greedy:Eve", "Eve"]
)
def test_a_record_names_no_program_that_is_started(carc, file_of, name):
    path = file_of("base", BASE)
    record = json.loads(path.read_text()) | {"names": ["you", name]}
    path.write_text(json.dumps(record))
    assert carc("play", "--load", path, typed="1\n").command[-4:] == ["--against", "greedy", "--seat", "0"]


def test_commands_may_be_typed_in_capitals(carc, file_of):
    assert "What greedy thinks best" in carc("play", "--load", file_of("goldmines", SHORT), typed="HINT\n").said


def test_what_can_be_read(carc):
    outcome = carc("play", "--preset", "everything", "--seed", 4, typed="?\n\nkey\n\nplayers\nall\nnews\n")
    no_line_is_wide(outcome.lines)
    assert "undo             takes back your last move and all moves after it" in outcome.lines
    assert "m0, B1 ...: the figures of the players 0, 1 ..." in outcome.lines
    assert "0 Red (you): 0 points, 7 meeple, 1 big, 1 abbot, 1 builder, 1 pig" in outcome.said
    assert "Nothing has happened yet." in outcome.lines


def test_what_is_no_answer_is_said_with_names(carc, file_of):
    outcome = carc(
        "play",
        "--load",
        file_of("goldmines", SHORT),
        typed="99\n0\nfly\nU@7,7/0\nmeeple road E\n" + "9" * 5000 + "\n\x00\x1b\n",
    )
    assert (
        "The menu has no number 99; its numbers are 1 to " in outcome.said
        and "The menu has no number 0" in outcome.said
    )
    assert "'fly' is not an action; write a placement such as 'U@1,0/90'" in outcome.said
    assert "'U@7,7/0' is not legal: 7,7 is not beside a tile" in outcome.said
    assert "no figure is to be placed now" in outcome.said
    assert question(outcome.out) == "Red (you) places U, a tile with a road" and outcome.status == 0


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("l", (1, 0)),
        ("3l", (3, 0)),
        ("hhk", (-2, -1)),
        ("2jj", (0, 4)),
        ("x", None),
        ("3", None),
        ("3x", None),
        ("lx", None),
        ("", None),
        ("l3", None),
    ],
)
def test_scrolling(typed, move):
    assert scrolling(typed) == move


def test_the_board_moves(carc):
    outcome = carc("play", "--preset", "base", "--seed", 1, typed="1\npass\n1\npass\n2l\nboard\n")
    heads = [line for line in outcome.lines if re.fullmatch(r"( +\[?-?\d+\]?)+", line)]
    assert heads[-1] == heads[-3] != heads[-2]


# --- errors -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("--against", *["greedy"] * 5),
            "players = 6: should be from 2 to 5, or up to 6 with the box inns_and_cathedrals",
        ),
        (("--preset", "gold"), "unknown preset 'gold'"),
        (("--against", "nobody"), "unknown bot 'nobody'"),
        (("--seat", "2"), "there is no seat 2; the seats of this game are 0 to 1"),
        (("--seed", "-1"), "seed -1 should be an integer"),
        (("--load", "games.jsonl", "--preset", "base"), "--load already gives the game; leave out --preset and --seed"),
    ],
)
def test_wrong_usage_is_one_line(carc, words, reason):
    outcome = carc("play", *words)
    assert outcome.status == 2 and outcome.out == "" and reason in outcome.err and outcome.err.count("\n") == 1


def test_a_game_that_cannot_be_gone_on_with(carc, file_of, tmp_path):
    begun = file_of("base", ["U", "V"])
    assert "--against: 2 bots are given, but" in carc("play", "--load", begun, "--against", "greedy", "greedy").err
    game = carc_env.Game("base", deck=["U"])
    while not game.is_over:
        game.play(game.legal_actions()[0])
    begun.write_text(json.dumps(game.record()))
    outcome = carc("play", "--load", begun)
    assert outcome.status == 1 and outcome.err == f"carc: {begun}: the game is over; `carc replay {begun}` shows it\n"
    assert carc("play", "--load", tmp_path / "nothing.jsonl").status == 1


def test_a_folder_that_cannot_be_written_is_said_and_the_game_goes_on(carc, tmp_path, monkeypatch):
    (tmp_path / "full").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "full"))
    outcome = carc("play", "--seed", 5, typed="1\npass\n1\n")
    assert outcome.status == 0 and outcome.said.count("the game cannot be saved in") == 2  # in the game, and at the end
    assert outcome.out.count("You: ") == 3


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("tests.terminal.bots:Breaks", "Blue did not play: Breaks: ZeroDivisionError: no more ideas"),
        ("tests.terminal.bots:wrong", "Blue did not play: wrong played 0, which is not legal"),
    ],
)
def test_a_bot_that_fails_gives_its_seat_to_greedy(carc, file_of, spec, reason):
    outcome = carc(
        "play", "--load", file_of("base", BASE), "--against", spec, typed="1\npass\n" * 2 + "\n" + "1\npass\n" * 9
    )
    assert reason in outcome.said and outcome.status == 0
    assert any(line.startswith("  1 Blue (greedy)") for line in outcome.lines) and "total" in outcome.out


def test_who_does_not_want_greedy_leaves_and_can_go_on(carc, file_of):
    outcome = carc(
        "play", "--load", file_of("base", BASE), "--against", "tests.terminal.bots:wrong", typed="1\npass\nq\n"
    )
    assert outcome.status == 0 and outcome.command[-4:] == ["--against", "tests.terminal.bots:wrong", "--seat", "0"]


def test_ctrl_c_keeps_the_game(carc, file_of):
    outcome = carc(
        "play", "--load", file_of("base", BASE), "--against", "tests.terminal.bots:impatient", typed="1\npass\n"
    )
    assert outcome.status == 130 and outcome.err == "carc: interrupted\n"
    assert list(replay_file(outcome.command[2]))[0].moves[-1] == "pass"


def test_help_has_an_example(carc):
    for command in ("play", "watch"):
        assert f"Example: carc {command} " in carc(command, "--help").out
