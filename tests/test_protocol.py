"""Tests of the bot protocol and its page docs/protocol.md: the replies to correct and to malformed lines, and programs
as bots.
"""

import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import carc_env
from carc_env.arena import protocol
from carc_env.arena.protocol import Session
from carc_env.bots.command import LONGEST_LINE, CommandBot, Program
from carc_env.compiling import jit
from tests.modes import nightly
from tests.processes import is_running

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "docs/examples"
FEW = 1 if jit.is_compiled() else 10


def said(*lines: str, bot: object = "greedy") -> list[str]:
    session = Session(bot)
    return [answer for line in lines for answer in session.answers(line)]


def test_the_transcript_of_the_page():
    """Checks the transcript on the page. A process that compiles also writes `info compiling`, so these lines are left
    out.
    """
    script = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL).group(1).splitlines()
    told = [line.removeprefix("> ") for line in script if line.startswith("> ")]
    out = io.BytesIO()
    protocol.serve("greedy", io.BytesIO("\n".join(told).encode() + b"\ncarc\n"), out)
    said = [line for line in out.getvalue().decode().splitlines() if line != "info compiling"]
    assert said == [line for line in script if not line.startswith("> ")]


@pytest.mark.parametrize("preset", carc_env.presets())
def test_a_session_plays_whole_games_of_every_preset(preset):
    """Checks that the protocol returns the action of the bot, for positions that contain nothing hidden."""
    game, bot, session = carc_env.Game(preset, seed=5), carc_env.make_bot("greedy"), Session("greedy")
    for number in range(10**6 if FEW == 1 else 12):
        if game.is_over:
            break
        if number % 5:
            game.play(bot.choose(game))
            continue
        assert list(session.answers("position " + game.position())) == []
        *infos, best = session.answers("go")
        assert best == "best " + game.text(bot.choose(game))
        assert infos[0].endswith(best.removeprefix("best "))
        game.play(best.removeprefix("best "))


def test_a_game_that_is_over_or_was_not_given():
    assert said("go") == ["error no position has been given yet; first send 'position <JSON>'"]
    game = carc_env.Game("base", deck=["U"])
    while not game.is_over:
        game.play(int(game.legal_actions()[0]))
    assert said("position " + game.position(), "go") == ["error the game is over, so there is no action to choose"]


def test_a_deck_lists_all_tiles_drawn_so_far():
    """Checks that a deck is refused if it does not list all drawn tiles, or if it lists more. Otherwise, the bot would
    act for a tile that nobody has drawn, or a program would not notice that its list is wrong.
    """
    position = {"carc_env": 1, "config": "base", "deck": ["V"], "starts": [["D", 0, 0, 0]], "chips": []}
    refusal, without = said("position " + json.dumps(position | {"moves": ["V@0,1/0", "pass"]}), "go")
    assert refusal.startswith("error position: deck lists 1 tile, but the players have drawn 2 after these moves")
    assert without == "error no position has been given yet; first send 'position <JSON>'"
    refusal = said("position " + json.dumps(position | {"deck": ["V", "K", "U"], "moves": []}))[0]
    assert refusal.startswith("error position: deck lists 3 tiles, but the players have drawn 1 after these moves")


def test_a_bot_without_values_says_none():
    game = carc_env.Game("goldmines", seed=1)
    answers = said("position " + game.position(), "go playouts 10", bot="random")
    assert len(answers) == 1 and answers[0].startswith("best ")


def test_a_limit_replaces_the_budget_of_a_search():
    game, asked = carc_env.Game("goldmines", seed=1), []
    bot = carc_env.make_bot("rollout:ms=500", seed=1)
    search = bot._search.search
    bot._search.search = lambda *words: asked.append(words[2:4]) or search(*words)
    told = said("position " + game.position(), "go playouts 16", "go movetime 3", bot=bot)
    assert [line.split()[0] for line in told] == [*["info"] * 3, "best"] * 2, "values and action of one search"
    assert asked[-1] == (0, 3) and asked[0] == (16, 0.0) and (bot.playouts, bot.ms) == (0, 500.0)
    with pytest.raises(carc_env.BotError, match="rollout: give exactly one of playouts and ms"), bot.budget():
        pass


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("playouts 1000001", "playouts '1000001': should be a whole number from 1 to 1000000"),
        ("playouts 000000000001" + "9" * 50, "should be a whole number from 1 to 1000000"),
        ("playouts " + "9" * 5000, "should be a whole number from 1 to 1000000"),
        ("playouts 0", "playouts '0': should be a whole number from 1 to 1000000"),
        ("movetime 10000001", "movetime '10000001': should be a whole number from 1 to 10000000"),
    ],
)
def test_a_limit_is_at_most_what_a_spec_may_say(limit, reason):
    """Checks that the bounds for bot specs also hold here. A tree search reserves memory for all playouts at once."""
    bot = carc_env.make_bot("mcts:playouts=8", seed=1)
    bot._search.search = None  # a search would fail
    (told,) = said("position " + carc_env.Game("base", seed=1).position(), f"go {limit}", bot=bot)
    assert told.startswith("error ") and told.endswith(reason)


def test_a_bot_without_a_budget_takes_any_limit():
    position = "position " + carc_env.Game("base", seed=1).position()
    assert said(position, "go playouts 1000000000")[-1].startswith("best ")
    assert said(position, "go playouts 1000000001")[-1].endswith("should be a whole number from 1 to 1000000000")


@pytest.mark.parametrize("value", ["9" * 400, "9" * 5000, "-" + "9" * 400, "1e400", "nan"])
@pytest.mark.parametrize("option", ["playouts", "ms"])
def test_a_number_out_of_all_bounds_is_no_value_of_an_option(option, value):
    with pytest.raises(carc_env.BotError, match=f"{option} = .* should be a"):
        carc_env.make_bot(f"mcts:{option}={value}")


def test_a_program_is_sent_what_the_documentation_shows(monkeypatch):
    """Checks that the program receives the JSON text of `Game.position`, in one line without spaces, and the legal
    actions.
    """
    game, heard, say = carc_env.Game("base", seed=1), [], Program.say
    monkeypatch.setattr(Program, "say", lambda program, line: heard.append(line) or say(program, line))
    carc_env.make_bot(f"cmd:{sys.executable} docs/examples/first_answer.py").choose(game)
    (position,) = [line for line in heard if line.startswith("position ")]
    assert position.startswith(f'position {game.position()[:-1]},"legal":["')


def test_a_bot_that_compiles_says_so(monkeypatch):
    began = []

    def slow(game):
        began.append(time.monotonic())
        time.sleep(1)
        return game.legal_actions()[0]

    monkeypatch.setattr(protocol, "TELL_SECONDS", 0.2)
    monkeypatch.setattr(protocol, "seconds_lost", lambda: time.monotonic() - began[0] if began else 0.0)
    out, before = io.BytesIO(), time.monotonic()
    protocol.serve(slow, io.BytesIO(f"position {carc_env.Game('base', seed=1).position()}\ngo\n".encode()), out)
    *told, last = out.getvalue().decode().splitlines()
    assert (
        2 <= len(told) <= (time.monotonic() - before) / 0.2
        and set(told) == {"info compiling"}
        and last.startswith("best ")
    )


COMPILES = """
import sys, time
for line in sys.stdin:
    if line == 'carc\\n':
        print('ready', flush=True)
    for _ in range(25 * line.startswith('go')):
        print('info compiling', flush=True)
        time.sleep(0.2)
    if line.startswith('go'):
        print('best pass', flush=True)
"""


def test_a_program_that_compiles_is_waited_for(monkeypatch, tmp_path):
    (tmp_path / "compiles.py").write_text(COMPILES)
    game = carc_env.Game("base", seed=1)
    while "pass" not in game.texts():
        game.play(int(game.legal_actions()[0]))
    program = f"{sys.executable} {tmp_path / 'compiles.py'}"
    bot = CommandBot(program, patience=4.0)
    assert game.text(bot.choose(game)) == "pass"
    bot.close()
    monkeypatch.setattr("carc_env.bots.command.COMPILING", 1.2)
    bot = CommandBot(program, patience=1.0)
    with pytest.raises(carc_env.CarcError, match="has not written 'best' within 1 s"):
        bot.choose(game)
    bot.close()


def test_a_bot_that_answers_nonsense_is_an_error():
    game = carc_env.Game("goldmines", seed=1)
    assert said("position " + game.position(), "go", bot=lambda game: "pass")[0].startswith(
        "error <bot <lambda>> returned 'pass'"
    )


def mutated(rng: random.Random, line: str) -> str:
    """Return the line with a random change, or a random other line. A few of these lines are still valid."""
    how = rng.randrange(7)
    at = rng.randrange(len(line) + 1)
    if how == 0:
        return line[:at]
    if how == 1:
        return line[:at] + rng.choice('{}[]",:0-9 \x00é\u2028') + line[at:]
    if how == 2:
        return line[at:] + line[:at]
    if how == 3:
        return re.sub(r"-?\d+", lambda match: rng.choice([match.group(), "-1", "99999999999", "1e9", "null"]), line)
    if how == 4:
        return line.replace('"', rng.choice(["'", '""', ""]))
    if how == 5:
        return rng.choice(
            [
                "go",
                "go movetime",
                "go movetime -1",
                "go playouts x",
                "carc 1",
                "position",
                "position {}",
                "ready",
                " ",
                "\t",
                "go \x00",
            ]
        )
    return "position " + json.dumps(
        {
            "carc_env": rng.choice([1, 2, None]),
            "config": rng.choice(["goldmines", "chess", {}, 3]),
            "deck": rng.choice([[], ["U"], ["?"], 3]),
            "starts": rng.choice([[], [["D", 0, 0, 0]], [1]]),
            "chips": rng.choice([[], [[0, 0]], 3]),
            "moves": rng.choice([[], ["pass"], [3]]),
        }
    )


@pytest.mark.parametrize("lines", [2_000 // FEW**2, nightly(10_000)])
def test_malformed_lines_are_errors_and_change_nothing(lines):
    rng, session = random.Random(3), Session("random")
    game = carc_env.Game("carcassonne", seed=2)
    for _ in range(10):
        game.play(int(rng.choice(game.legal_actions())))
    position = "position " + game.position()
    assert not list(session.answers(position))
    errors = 0
    for _ in range(lines):
        before = session.game.to_bytes()
        line = mutated(rng, rng.choice([position, "go movetime 100", "isready", "carc"]))
        answers = list(session.answers(line))
        assert all("\n" not in answer for answer in answers) and not session.is_over
        if answers and answers[0].startswith("error "):
            errors += 1
            assert len(answers) == 1 and session.game.to_bytes() == before
    assert errors > 0.3 * lines


def test_bytes_that_are_no_text_and_lines_without_end():
    out = io.BytesIO()
    protocol.serve("random", io.BytesIO(b"\xff\xfe\n" + b"x" * (protocol.LONGEST_LINE + 50) + b"\nisready\n\n"), out)
    first, second, third = out.getvalue().decode().splitlines()
    assert (
        first.startswith("error a line should be UTF-8")
        and second.startswith("error the line has more than")
        and third == "readyok"
    )


# --- programs as bots -------------------------------------------------------------------------------------------------
PYTHON = f"{sys.executable} {EXAMPLES / 'first_answer.py'}"
PROGRAMS = [PYTHON] + ([f"node {EXAMPLES / 'last_answer.js'}"] if shutil.which("node") else [])


@pytest.mark.parametrize("program", PROGRAMS, ids=["python", "node"][: len(PROGRAMS)])
def test_foreign_programs_play_a_match(program):
    records = []
    result = carc_env.play_match(
        f"cmd:{program}", "random", "carcassonne" if FEW == 1 else "goldmines", pairs=1, seed=3, record=records.append
    )
    assert result.illegal == 0 and len(records) == 2 and all(carc_env.replay(record).is_over for record in records)


def test_the_client_of_the_page_gets_the_actions_of_a_bot():
    game, bot = carc_env.Game("base", seed=4), carc_env.make_bot("greedy")
    positions, actions = [], []
    for _ in range(6):
        positions.append(game.position())
        actions.append(game.text(bot.choose(game)))
        game.play(actions[-1])
    positions.insert(3, positions[0].replace('"moves":[]', '"moves":["pass"]'))
    words = [sys.executable, EXAMPLES / "ask_bot.py", sys.executable, "-m", "carc_env", "bot", "greedy"]
    done = subprocess.run(words, input="\n".join(positions), capture_output=True, text=True, check=True, cwd=ROOT)
    said = done.stdout.splitlines()
    assert said.pop(3).startswith("error moves[0]: 'pass' is not legal") and said == actions


def test_our_own_bot_through_the_protocol_plays_as_itself(monkeypatch):
    monkeypatch.setattr("carc_env.bots.command.PATIENCE", 120.0)  # a machine may be busy while the program starts
    program = CommandBot(f"{sys.executable} -m carc_env bot greedy", patience=120.0)
    game, bots = carc_env.Game("goldmines", seed=4), [program, carc_env.make_bot("greedy")]
    for _ in range(20 // FEW):
        answers = [bot.choose(game) for bot in bots]
        assert answers[0] == answers[1]
        game.play(answers[0])
    bots[0].close()


def test_a_program_as_an_opponent_in_an_environment():
    import gymnasium

    env = gymnasium.make("carc_env/Goldmines-v0", opponent=f"cmd:{PYTHON}", config={"boxes": ["goldmines"]})
    _, info = env.reset(seed=3)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))


FAULTS = {  # what a program does after `go`, and the error message
    "raise SystemExit(3)": "has ended (exit status 3)",
    "time.sleep(99)": "has not written 'best' within 0.5 s",
    "print('best castle in the air')": "returned the action 'castle in the air'",
    "print('error no')": "wrote: error 'no'",
    "[print('info', k) for k in range(20000)]": "wrote 10000 lines, but none of them begins with 'best'",
    "print('x' * 10**6)": "wrote a line of more than 65536 bytes",
}
FAULTY = """
import sys, time
for line in sys.stdin:
    if line.split()[0] == "carc":
        print("ready", flush=True)
    elif line.split()[0] == "go":
        {fault}
        sys.stdout.flush()
"""


@pytest.fixture
def faulty(tmp_path):
    """Return a function that writes a program with a fault and returns a bot that runs it."""
    from carc_env.bots.command import CommandBot

    def make(fault: str) -> CommandBot:
        path = tmp_path / "faulty.py"
        path.write_text(FAULTY.format(fault=fault))
        return CommandBot(f"{sys.executable} {path}", patience=0.5 if "sleep" in fault else 20)

    return make


@pytest.mark.parametrize(("fault", "reason"), FAULTS.items())
def test_a_program_that_does_not_answer_loses_its_games_and_the_match_goes_on(fault, reason, faulty, capsys):
    bot = faulty(fault)
    with pytest.raises(carc_env.BotFault, match=re.escape(reason)):
        bot.choose(carc_env.Game("goldmines", seed=1))
    result = carc_env.play_match(bot, "random", "goldmines", pairs=1)
    assert result.illegal == 2 and result.win_rate_a == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(reason in line for line in lines if line.startswith("carc_env: cmd:"))


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_may_be_as_long_as_a_line_may_be(more):
    """Checks that a line of LONGEST_LINE bytes is read, and that a longer line is refused."""
    line = f"'best ' + 'x' * {LONGEST_LINE - len('best ') + more}"
    program = Program([sys.executable, "-c", f"print({line})"], "talker")
    if more:
        with pytest.raises(carc_env.BotFault, match=f"more than {LONGEST_LINE} bytes"):
            program.wait_for("best", 20)
    else:
        assert len(program.wait_for("best", 20)) == LONGEST_LINE - len("best ")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("cmd:", "should name a program"),
        ("cmd:'", "No closing quotation"),
        ("cmd:no-such-program-here", "cannot be started"),
        (f"cmd:{sys.executable} -c pass", "has ended (exit status 0) before it wrote a line that begins with 'ready'"),
    ],
)
def test_programs_that_there_are_not(spec, reason):
    with pytest.raises(carc_env.BotError, match=re.escape(reason)):
        carc_env.make_bot(spec)


TALKATIVE = """
import json, sys
for line in sys.stdin:
    word, _, rest = line.partition(" ")
    if word.strip() == "carc":
        print("info good morning", "ready", sep="\\n", flush=True)
    elif word == "position":
        legal = json.loads(rest)["legal"]
    elif word.strip() == "go":
        print(f"note value 99 answer {legal[-1]}", f"info value 2 answer {legal[0]}", f"best {legal[0]}", sep="\\n", flush=True)
"""


def test_only_lines_of_info_tell_what_answers_are_worth(tmp_path):
    (tmp_path / "talkative.py").write_text(TALKATIVE)
    bot, game = carc_env.make_bot(f"cmd:{sys.executable} {tmp_path / 'talkative.py'}"), carc_env.Game("base", seed=1)
    assert bot.analyse(game) == [(int(game.legal_actions()[0]), 2.0)]
    bot.close()


EAGER = """
import json, sys, time
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "carc":
        print("ready", flush=True)
    elif word == "position":
        legal = json.loads(rest)["legal"]
    elif word == "go":
        print(f"best {legal[0]}", "info more", "{more}", sep="\\n", flush=True)
"""


def with_lines(program, number):
    """Wait until a program has written `number` lines that nobody has read yet."""
    until = time.monotonic() + 60
    while program._lines.qsize() < number:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("more", ["best pass", "note"])
def test_what_a_program_writes_unasked_is_no_action(tmp_path, more):
    (tmp_path / "eager.py").write_text(EAGER.replace("{more}", more))
    bot, game = carc_env.make_bot(f"cmd:{sys.executable} {tmp_path / 'eager.py'}"), carc_env.Game("base", seed=1)
    assert bot.choose(game) == game.legal_actions()[0]
    while "pass" not in game.texts() or len(game.texts()) < 2:
        game.play(int(game.legal_actions()[0]))
    with_lines(bot._program, 2)
    if more == "note":
        assert bot.choose(game) == game.legal_actions()[0]
    else:
        with pytest.raises(carc_env.BotFault, match="wrote 'best pass' without being asked"):
            bot.choose(game)
        assert bot._program is None and bot.choose(game) == game.legal_actions()[0], "it is started again"
    bot.close()


def test_a_program_that_was_interrupted_answers_nothing_else(monkeypatch):
    """Checks that Ctrl-C, as in a notebook or at a terminal, ends the program. Otherwise, its action for this position
    would arrive when the next action is requested.
    """
    bot, game = carc_env.make_bot(f"cmd:{PYTHON}"), carc_env.Game("base", seed=1)
    first = bot._program
    with monkeypatch.context() as changed, pytest.raises(KeyboardInterrupt):
        changed.setattr(bot, "_heard", lambda *_: signal.default_int_handler(2, None))
        bot.choose(game)
    assert first._process.poll() is not None
    assert bot.choose(game) == game.legal_actions()[0]
    bot.close()


PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    print(child.pid, file=file)
for line in sys.stdin:
    print("ready" if line.startswith("carc") else "best nothing", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are looked for as on POSIX")
def test_what_a_program_has_started_ends_with_it(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    bot = carc_env.make_bot(f"cmd:{sys.executable} {tmp_path / 'parent.py'} {tmp_path / 'pid'}")
    child = int((tmp_path / "pid").read_text())
    assert is_running(child)
    bot.close()
    until = time.monotonic() + 20
    while is_running(child):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_on_windows_the_children_of_a_program_end_too(monkeypatch):
    from carc_env.bots import command

    asked = []
    program = Program([sys.executable, "-c", "import time; time.sleep(600)"], "sleeper")
    with monkeypatch.context() as changed:
        changed.setattr(command.os, "name", "nt")
        changed.setattr(command.subprocess, "run", lambda words, **_: asked.append(words))
        command.kill(program._process)
    assert asked == [["taskkill", "/F", "/T", "/PID", str(program._process.pid)]]
    assert program._process.wait(20) != 0
    program.stop()
