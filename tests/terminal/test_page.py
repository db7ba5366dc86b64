"""Checks that docs/terminal.md shows what the program shows: the screen, and the transcript. The test types the input
of the transcript again.
"""

import re
import shlex
from pathlib import Path

from carc_env.commands.cli import parser
from tests.terminal.conftest import asked

PAGE = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
SCREEN, TRANSCRIPT = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
TYPED = re.findall(r"^> (?!\d (?:Red|Blue) )(.*)|^Save the game\?.*\) (.*)", TRANSCRIPT, re.MULTILINE)


def test_the_transcript(carc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    outcome = carc(
        "play",
        "--preset",
        "base",
        "--seed",
        7,
        "--plain",
        typed="".join(f"{line or answer}\n" for line, answer in TYPED),
    )
    assert outcome.out.strip("\n") == TRANSCRIPT.strip("\n") and len(TYPED) > 8
    assert carc("play", "--load", "my_game.jsonl").status == 0


def test_the_screen(terminal):
    screen = terminal("play", "--preset", "base", "--seed", 7)
    screen.until(asked("places V"))
    screen.type("1", asked("may place a figure"))
    assert screen.type("meeple road N", asked("places L")) == SCREEN.rstrip("\n")


def test_the_commands_are_commands():
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            assert parser().parse_args(shlex.split(line, comments=True)[1:]).run, line


def test_the_program_of_the_page_plays(capsys):
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    exec(compile(program, "docs/terminal.md", "exec"), {})
    assert re.fullmatch(r"V@\S+\nEntry\(player=None, text='tile V'\)\n", capsys.readouterr().out)


def test_every_command_of_the_help_stands_on_the_page():
    from carc_env.terminal import cardboard, play

    for word in re.findall(r"^([a-z][\w, ]*?)(?: [A-Z]+)? {2}", play.HELP + "\n" + cardboard.HELP, re.MULTILINE):
        for name in re.findall(r"[a-z]{3,}", word):
            assert f"`{name}`" in PAGE or f"`{name} " in PAGE or name in ("number", "arrows"), name
