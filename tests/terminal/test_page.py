"""What docs/terminal.md shows is what is shown: the screen, and the transcript, which is typed anew."""

import re
from pathlib import Path

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
    screen.until("places V")
    screen.type("1", "may place a figure")
    assert screen.type("meeple road N", "places L") == SCREEN.rstrip("\n")


def test_every_command_of_the_help_stands_on_the_page():
    from carc_env.terminal.play import HELP

    for word in re.findall(r"^([a-z][\w, ]*?)(?: [A-Z]+)? {2}", HELP, re.MULTILINE):
        for name in re.findall(r"[a-z]{3,}", word):
            assert f"`{name}`" in PAGE or f"`{name} " in PAGE or name in ("number", "arrows"), name
