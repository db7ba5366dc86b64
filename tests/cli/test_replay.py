"""Tests of `carc replay` for one game: the position after a move in letters, as JSON and as a picture."""

import io
import json

import pytest
from PIL import Image

import carc_env
from carc_env.arena.check_files import position_after
from carc_env.bots import make
from carc_env.render import ansi, svg


@pytest.mark.parametrize("moves", [0, 1, 20])
def test_a_game_after_some_of_its_moves(carc, record_file, records, moves):
    outcome = carc("replay", record_file, "--move", moves)
    assert (outcome.status, outcome.err) == (0, "")
    head, _, drawn = outcome.out.partition("\n\n")
    game, all_moves = position_after(carc_env.replay(records[0]), moves), len(records[0]["moves"])
    assert drawn == ansi(game)
    assert len(game.moves) == moves and game.moves == records[0]["moves"][:moves]
    if moves:
        player = game.state["moves"][moves - 1]["player"]
        assert (
            head
            == f"game 1 of 3, move {moves} of {all_moves}: player {player} played {records[0]['moves'][moves - 1]!r}"
        )
    else:
        assert head == f"game 1 of 3, before the first of {all_moves} moves"


def test_every_position_of_a_game_leads_to_the_next(records):
    """If a game is continued from any position with the recorded actions, it ends as recorded."""
    record = records[2]
    whole = carc_env.replay(record)
    assert position_after(whole, len(whole.moves)) == whole
    for moves in range(0, len(whole.moves), 6):
        game = position_after(whole, moves)
        assert game.moves[:moves] == record["moves"][:moves] and len(game.moves) >= moves
        while len(game.moves) < len(whole.moves):
            game.play(record["moves"][len(game.moves)])
        assert game == whole


def test_what_follows_by_itself_is_told(carc, tmp_path):
    """If forced actions follow the given move, the command also plays and names them."""
    game, bot, before = carc_env.Game("goldmines", seed=1), make("random", seed=0), 0
    while len(game.moves) < before + 2:
        before = len(game.moves)
        game.play(bot.choose(game))
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(game.record()))
    number, followed = before + 1, game.moves[before + 1 :]
    outcome = carc("replay", path, "--move", number)
    assert outcome.out.splitlines()[0].endswith("; the engine then played " + ", ".join(map(repr, followed)))
    assert outcome.out.endswith("\n\n" + ansi(game))
    assert carc("replay", path, "--move", number, "--json").json["position"]["followed"] == followed


@pytest.mark.parametrize("words", [("--game", 2), ("--game", 2, "--move", 30), ("--move", 30)])
def test_json(carc, record_file, records, words):
    number = 2 if "--game" in words else 1
    record = records[number - 1]
    moves = 30 if "--move" in words else len(record["moves"])
    game = position_after(carc_env.replay(record), moves)
    found = carc("replay", record_file, "--json", *words).json
    assert found["games"] == [{"moves": len(record["moves"]), "over": True, "scores": record["scores"]}]
    assert found["position"] == {
        "game": number,
        "move": moves,
        "player": int(game.state["moves"][moves - 1]["player"]),
        "text": record["moves"][moves - 1],
        "followed": game.moves[moves:],
        "moves": len(game.moves),
        "over": game.is_over,
        "scores": game.scores.tolist(),
    }


def test_only_the_game_asked_for_is_played(carc, record_file, records):
    lines = record_file.read_text().splitlines()
    record_file.write_text("\n".join([lines[0], "{}", lines[2]]))
    assert carc("replay", record_file, "--game", 3).status == 0
    outcome = carc("replay", record_file, "--game", 2)
    assert (
        outcome.status == 1 and outcome.complaint == f"carc: {record_file}, line 2: the record lacks the key 'carc_env'"
    )


@pytest.mark.parametrize(("words", "moves"), [((), None), (("--move", 25), 25), (("--move", 0), 0)])
def test_the_picture_of_a_position(carc, record_file, records, tmp_path, words, moves):
    assert carc("replay", record_file, *words, "--picture", tmp_path / "out.svg").status == 0
    whole = carc_env.replay(records[0])
    assert (tmp_path / "out.svg").read_text() == svg(whole if moves is None else position_after(whole, moves))


def test_a_picture_as_png(carc, record_file, tmp_path):
    assert carc("replay", record_file, "--move", 10, "--picture", tmp_path / "out.png").status == 0
    with Image.open(io.BytesIO((tmp_path / "out.png").read_bytes())) as picture:
        assert picture.format == "PNG" and picture.width == 1400


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--move", "1000"), "--move 1000: game 1 of {file} has {moves} moves"),
        (("--game", "4"), "--game 4: {file} has 3 game records"),
        (("--picture", "out.gif"), "picture out.gif: the name should end in .svg or .png"),
        (("--move", "-1"), "'-1' should be a whole number from 0 up"),
        (("--move", "1e3"), "'1e3' should be a whole number from 0 up"),
        (("--move", "9" * 5000), "should be a whole number from 0 up"),
        (("--game", "0"), "'0' should be a whole number from 1 up"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(carc, record_file, records, words, reason):
    outcome = carc("replay", record_file, *words)
    assert outcome.status == 2 and outcome.out == ""
    assert reason.format(file=record_file, moves=len(records[0]["moves"])) in outcome.complaint


def test_a_picture_that_cannot_be_written(carc, record_file, tmp_path):
    outcome = carc("replay", record_file, "--picture", tmp_path / "no" / "out.svg")
    assert outcome.status == 1
    assert outcome.complaint == f"carc: {tmp_path / 'no' / 'out.svg'}: No such file or directory"
