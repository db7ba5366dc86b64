"""Tests of game records, byte strings, decks and seeds: valid ones are read back, and errors for the others name the
place and the reason.
"""

import copy
import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

import carc_env
import carc_env.boxes.actions
from carc_env import DeckError, Game, IllegalAction, NotationError, RecordError, SeedError, replay
from carc_env.bots import make
from tests.modes import sized


def played(config="goldmines", seed=7, answers=10**6):
    """Return a game after `answers` random actions, or at its end."""
    game, bot = Game(config, seed=seed), make("random", seed=1)
    while not game.is_over and answers:
        game.play(bot.choose(game))
        answers -= 1
    return game


@pytest.fixture(scope="module")
def whole():
    """Return a finished game."""
    return played()


def test_a_record_gives_the_game_back(whole):
    record = json.loads(json.dumps(whole.record()))
    assert replay(record) == whole
    assert list(record)[:4] == ["carc_env", "config", "seed", "deck"]
    assert (record["carc_env"], record["seed"], record["starts"]) == (1, 7, [["D", 0, 0, 0]])
    assert record["scores"] == whole.scores.tolist() and record["moves"] == whole.moves


@pytest.mark.parametrize("answers", [0, 1, 30])
def test_a_game_going_on_is_given_back_and_goes_on_alike(answers):
    game = played(answers=answers)
    again = replay(game.record())
    assert again == game == Game.from_bytes(game.to_bytes())
    for other in (game, again):
        other.play(make("random", seed=2).choose(other))
    assert again == game


def test_a_record_may_name_a_preset_and_leave_out_what_follows(whole):
    record = {key: whole.record()[key] for key in ("carc_env", "deck", "moves")} | {"config": "goldmines"}
    assert replay(record).scores.tolist() == whole.scores.tolist()


def altered(record, path, value):
    """Return the record with another value at `path`. If the value is None, the entry is removed."""
    changed = copy.deepcopy(record)
    place = changed
    *above, last = path
    for key in above:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["carc_env"], None, ("lacks the key 'carc_env'",)),
        (["carc_env"], 2, ("carc_env = 2", "format 1")),
        (["deck"], None, ("lacks the key 'deck'",)),
        (["moves"], "D@1,0/90", ("moves = 'D@1,0/90'", "of type list")),
        (["colour"], "red", ("unknown key 'colour'",)),
        (["seed"], -1, ("seed -1",)),
        (["seed"], 1.5, ("seed = 1.5", "of type int")),
        (["seed"], True, ("seed = True", "of type int")),
        (["config"], "gold", ("unknown preset 'gold'",)),
        (["config", "players"], 9, ("players = 9",)),
        (["config", "colour"], "red", ("unknown key 'colour'",)),
        (["deck"], [], ("the deck is empty",)),
        (["deck", 3], "ZZ", ("deck[3] = 'ZZ'", "unknown tile")),
        (["deck", 3], 7, ("a deck is a list of tile ids",)),
        (["starts"], [], ("starts", "at least one")),
        (["starts", 0, 0], "ZZ", ("unknown tile 'ZZ'",)),
        (["moves", 0], "ZZ@1,0/0", ("moves[0]", "'ZZ'", "not in hand")),
        (["moves", 0], "jump", ("moves[0]", "'jump' is not an action")),
        (["moves", 0], "", ("moves[0]", "not an action")),
        (["moves", 0], 17, ("moves[0]", "17")),
        (["moves", 0], "pass", ("moves[0]", "'pass'")),
        (["moves", 0], "ingot 0,0", ("moves[0]", "'ingot' is not possible now")),
        (["moves", -1], "take 0,0", ("moves[",)),
        (["scores", 0], 1000, ("scores = [1000", "but the moves give")),
        (["scores"], [1], ("scores = [1]", "but the moves give")),
    ],
)
def test_a_record_that_does_not_hold_names_place_and_reason(whole, path, value, words):
    with pytest.raises(RecordError) as refusal:
        replay(altered(whole.record(), path, value))
    message = str(refusal.value)
    assert all(word in message for word in words), message
    assert "\n" not in message


def test_a_move_left_out_is_noticed_where_it_is_missing(whole):
    record = whole.record()
    del record["moves"][20]
    with pytest.raises(RecordError, match=r"moves\[(\d+)\]") as refusal:
        replay(record)
    assert str(refusal.value).startswith("moves[2")


def test_a_move_after_the_end(whole):
    record = whole.record()
    record["moves"].append("pass")
    with pytest.raises(RecordError, match="the game is over"):
        replay(record)


@pytest.mark.parametrize("thing", [None, [], "x", 3])
def test_something_else_than_a_record(thing):
    with pytest.raises(RecordError, match="the record should be a table of fields"):
        replay(thing)


def test_a_file_of_records(tmp_path, whole):
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(json.dumps(game.record()) for game in (whole, played("base", answers=9))) + "\n\n")
    assert [replay(record).config.boxes for record in carc_env.read_records(path)] == [("base", "goldmines"), ("base",)]
    path.write_text(path.read_text() + "{oops\n")
    with pytest.raises(RecordError, match="games.jsonl, line 4 is not JSON"):
        list(carc_env.read_records(path))


@pytest.mark.parametrize("line", ["[1]", "3", "null"])
def test_a_line_that_is_not_a_record_is_named(tmp_path, line):
    (tmp_path / "games.jsonl").write_text(line)
    with pytest.raises(RecordError, match="games.jsonl, line 1 should be a game record"):
        list(carc_env.read_records(tmp_path / "games.jsonl"))


def test_another_format_is_named_before_its_keys():
    other = {"carc_env": 2, "new": "key"}
    for read in (replay, lambda record: carc_env.Game.from_position(json.dumps(record))):
        with pytest.raises(RecordError, match="carc_env = 2, but this version reads format 1"):
            read(other)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(carc_env.FileError, match="nothing.jsonl: No such file or directory"):
        list(carc_env.read_records(tmp_path / "nothing.jsonl"))


def test_a_line_that_is_not_utf_8_is_named(tmp_path, whole):
    path = tmp_path / "games.jsonl"
    record = json.dumps(whole.record())
    path.write_bytes(f"{record}\n".encode() + b'{"names": ["\xff"]}\n')
    records = carc_env.read_records(path)
    assert replay(next(records)) == whole
    with pytest.raises(RecordError, match="games.jsonl, line 2 is not UTF-8 text"):
        next(records)


CASTLES = {"boxes": ("base", "german_castles")}


@pytest.mark.parametrize(
    ("config", "lacking"),
    [("france", ("starts",)), ("france", ("chips",)), ("france", ("starts", "chips")), (CASTLES, ("german_castles",))],
)
def test_draws_that_are_missing_come_from_the_seed_or_not_at_all(config, lacking):
    game = Game(config, seed=3)
    record = {key: value for key, value in game.record().items() if key not in lacking}
    assert replay(record) == game
    with pytest.raises(RecordError, match=f"^record: lacks {' and '.join(lacking)}, and has no seed"):
        replay(record | {"seed": None})


def test_a_record_that_lacks_draws_is_retraced_as_it_is_replayed(whole):
    record = {key: value for key, value in played("france", answers=9).record().items() if key != "chips"}
    *_, (number, last) = carc_env.games.replay.retrace(record)
    assert number == len(record["moves"]) and last == replay(record)


# --- byte strings ------------------------------------------------------------------------------------------------
def test_every_truncation_is_noticed(whole):
    data = whole.to_bytes()
    for length in {*range(64), *range(64, len(data), 17), len(data) - 1}:
        with pytest.raises(RecordError, match="not a game of carc_env|truncated or changed"):
            Game.from_bytes(data[:length])


def test_every_altered_byte_is_noticed(whole):
    data = whole.to_bytes()
    for at in {*range(64), *range(64, len(data), 13), len(data) - 1}:
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        with pytest.raises(RecordError, match="not a game of carc_env|truncated or changed"):
            Game.from_bytes(bytes(changed))


def test_bytes_of_something_else():
    with pytest.raises(RecordError, match="not a game of carc_env"):
        Game.from_bytes(b"PNG")


# --- decks and seeds -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("deck", "words"),
    [
        ([], ("the deck is empty",)),
        (["U", "ZZ"], ("deck[1] = 'ZZ'", "unknown tile")),
        (["U", 7], ("a deck is a list of tile ids",)),
        ("UV", ("a deck is a list of tile ids", "'UV'")),
        (["U"] * 1000, ("1001 tiles", "at most")),
        (["DA2"] * 150, ("roads, cities, fields", "at most")),
    ],
)
def test_a_deck_that_cannot_be_played(deck, words):
    with pytest.raises(DeckError) as refusal:
        Game("base", deck=deck)
    assert all(word in str(refusal.value) for word in words), refusal.value


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "7", True])
def test_a_seed_that_is_none(seed):
    for begin in (
        lambda: Game("base", seed=seed),
        lambda: carc_env.Games("base", 1, [seed]),
        lambda: make("random", seed),
    ):
        with pytest.raises(SeedError, match="should be an integer from 0 to"):
            begin()


def test_any_seed_of_64_bits_will_do():
    decks = [
        tuple(Game("base", seed=seed).deck)
        for seed in (0, 1, 2**32, 2**63, 2**64 - 1, np.int64(5), np.uint64(2**63 + 1))
    ]
    assert len(set(decks)) == len(decks)


def test_a_number_of_seeds_that_is_wrong():
    with pytest.raises(ValueError, match="3 games need 3 seeds, not 2"):
        carc_env.Games("base", 3, [1, 2])


# --- actions ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ("U@1,0/90", IllegalAction, ("U@1,0/90",)),
        ("U@0,0/0", IllegalAction, ("0,0 is taken by tile D",)),
        ("U@5,5/0", IllegalAction, ("5,5", "beside")),
        ("U@1,0/45", NotationError, ("'U@1,0/45' is not an action",)),
        ("U@1,0", NotationError, ("is not an action",)),
        ("V@1,0/0", NotationError, ("'V' is not in hand; the tile in hand is 'U'",)),
        ("meeple road E", NotationError, ("no figure is to be placed now",)),
        ("ingot 0,0", NotationError, ("'ingot' is not possible",)),
        ("pass", IllegalAction, ("pass", "a tile is to be placed")),
        ("", NotationError, ("not an action",)),
        ("U@1,0/0\nU@1,0/0", NotationError, ("not an action",)),
        (-1, IllegalAction, ("-1 is not from 0 to",)),
        (10**9, IllegalAction, ("1000000000 is not from 0 to",)),
        (10**30, IllegalAction, ("is not an action", "an int from 0 to")),
        (1.5, IllegalAction, ("1.5 is not an action",)),
        (None, IllegalAction, ("None is not an action",)),
        (True, IllegalAction, ("True is not an action",)),
    ],
)
def test_a_wrong_answer_says_why_and_changes_nothing(answer, error, words):
    game = Game("base", deck=["U", "V", "E"])
    before = game.clone()
    with pytest.raises(error) as refusal:
        game.play(answer)
    assert all(word in str(refusal.value) for word in words), refusal.value
    assert game == before


def test_a_wrong_answer_in_a_batch_changes_no_game():
    games = carc_env.Games("base", 3, [1, 2, 3])
    good = [int(np.flatnonzero(mask)[0]) for mask in games.legal_mask()]
    for wrong in (-1, 10**9, carc_env.boxes.actions.N_ACTIONS - 1):
        before = games.records.tobytes()
        with pytest.raises(IllegalAction, match=f"game 1: action {wrong}"):
            games.step([good[0], wrong, good[2]])
        assert games.records.tobytes() == before
    with pytest.raises(ValueError, match="3 games need 3 actions"):
        games.step(good[:2])


def test_games_taken_out_of_a_batch_are_copies_and_can_be_put_back():
    games = carc_env.Games("base", 4, [1, 2, 3, 4])
    some = games[[1, 3]]
    before = games.records.tobytes()
    some.step(make("random", 0).choose_batch(some))
    assert games.records.tobytes() == before
    games[[1, 3]] = some
    assert games.records[1].tobytes() == some.records[0].tobytes()
    assert games.records[0].tobytes() == carc_env.Games("base", 1, [1]).records[0].tobytes()


def test_a_batch_of_one_game_is_that_game():
    game = Game("base", seed=3)
    games = carc_env.Games.view_of(game)
    games.step([game.legal_actions()[0]])
    assert len(game.moves) >= 1 and game == replay(game.record())


def test_legal_in_a_batch_is_legal_in_the_game():
    games = carc_env.Games("goldmines", 3, [5, 6, 7])
    for action in range(-1, carc_env.boxes.actions.N_ACTIONS + 1, 97):
        expected = [action in Game("goldmines", seed=seed).legal_actions() for seed in (5, 6, 7)]
        assert games.are_legal([action] * 3).tolist() == expected


def test_texts_are_those_of_all_legal_answers():
    deck = Game("everything", seed=2).record()["deck"][: sized(1000, 1000, 40)]
    game = Game("everything", seed=2, deck=deck)
    while not game.is_over:
        assert game.texts() == [game.text(action) for action in game.legal_actions()]
        game.play(game.legal_actions()[len(game.moves) % len(game.legal_actions())])
    assert game.texts() == []


def test_some_games_step_where_their_answers_are_legal():
    games, before = carc_env.Games("base", 4, [1, 2, 3, 4]), carc_env.Games("base", 4, [1, 2, 3, 4])
    first = np.array([int(games.game(i).legal_actions()[0]) for i in range(4)])
    assert games.are_legal([first[3], -1], [3, 0]).tolist() == [True, False]
    assert games.step_if_legal([first[3], -1, 10**9], [3, 0, -2]).tolist() == [True, False, False]
    for i, game in enumerate(map(games.game, range(4))):
        if i == 3:
            before.game(i).play(first[3])
        assert game == before.game(i)
    assert games.step_if_legal([], []).tolist() == []
    assert games.step_if_legal(first).tolist() == [True, True, True, False]
    with pytest.raises(IndexError):
        games.step_if_legal([first[0]], [4])
    with pytest.raises(IllegalAction, match="2 games need 2 actions"):
        games.step_if_legal(first, [0, 1])


def test_no_answer_is_legal_in_a_game_that_is_over():
    games = carc_env.Games.view_of(Game("base", deck=["U"]))
    games.step([games.game(0).legal_actions()[0]])
    games.step([games.game(0).legal_actions()[-1]])
    assert games.is_over.all() and not games.step_if_legal([-1]).any() and not games.are_legal([-1]).any()
    for answer in (-1, "pass"):
        with pytest.raises(IllegalAction, match="not legal: the game is over"):
            games.game(0).play(answer)


# --- records are complete ---------------------------------------------------------------------------------------------
def chip_taken(games):
    """Play all games of a batch at random until a chip is taken in game 0, and return game 0."""
    while not games.game(0).chips.sum():
        games.step([make("random", seed=1).choose(games.game(i)) for i in range(len(games))])
    return games.game(0)


def test_a_game_of_a_batch_whose_chip_was_taken_is_replayed():
    game = chip_taken(carc_env.Games("carcassonne", 2, [3, 4]))
    assert len(game.record()["chips"]) == 30
    assert replay(game.record()) == game == Game.from_bytes(game.to_bytes())


def test_a_first_placement_that_is_forced_onto_a_chip():
    """The engine plays a single legal action by itself when the game begins. Checks that the record contains the chip
    that this action takes.
    """
    sheet = {
        "name": "strip",
        "title": "A strip",
        "rows": ["ooo"],
        "town": [
            {"name": name, "square": [x, 0], "grape": "orange", "start": True} for name, x in (("A", 0), ("B", 2))
        ],
    }
    config = carc_env.GameConfig(boxes=("base", "map_chips"), sheet=sheet, starts=(("B", 0, 0, 0), ("B", 2, 0, 0)))
    game = Game(config, deck=["B"], chips=[(1, 0, "purple", 2)])
    assert game.moves[0] == "B@1,0/0" and game.chips[0].tolist() == [[0, 1], [0, 0], [0, 0]]
    assert game.record()["chips"] == [[1, 0, "purple", 2]] and replay(game.record()) == game


def test_chips_without_a_seed_come_with_the_deck_of_the_same_game():
    """Checks that the deck and the start tiles come from the same seed, and that the record gives the game back."""
    for _ in range(10):
        game = Game("france", chips=[])
        everything = carc_env.Game("france", seed=game.seed)
        assert game.deck == everything.deck and game.record()["starts"] == everything.record()["starts"]
        assert game.record()["chips"] == [] and replay(game.record()) == game


def test_a_chip_on_a_possible_start_is_refused_always():
    for seed in (None, *range(6)):
        with pytest.raises(carc_env.ChipError, match="is a start square"):
            Game("france", seed=seed, chips=[(4, 4, "orange", 1)])
    starts = (("D", 6, 7, 0), ("R", 8, 9, 90))
    with pytest.raises(carc_env.ChipError, match="is not on an empty square"):
        Game(dataclasses.replace(carc_env.preset("france"), starts=starts), seed=1, chips=[(6, 7, "orange", 1)])


@pytest.mark.parametrize(
    "chips",
    [
        [1],
        [[0, 0]],
        ["purple"],
        7,
        "purple",
        [(0, 0, "red", 1)],
        [(0, 0, "orange", 3)],
        [(0.0, 0, "orange", 1)],
        [(True, 0, "orange", 1)],
        [([], 0, "orange", 1)],
        [(10**30, 0, "orange", 1)],
        {1: 2},
    ],
)
def test_chips_that_are_none(chips):
    with pytest.raises(carc_env.ChipError) as error:
        Game("france", seed=1, chips=chips)
    assert len(str(error.value)) < 300
    if isinstance(chips, list):
        with pytest.raises(RecordError, match="chips"):
            replay(Game("france", seed=1).record() | {"chips": chips})


def test_a_numpy_seed_is_kept_as_an_int():
    game = Game("base", seed=np.int64(3))
    assert type(game.seed) is int and json.loads(json.dumps(game.record()))["seed"] == 3
    assert Game.from_bytes(game.to_bytes()) == game


def test_copies_of_the_standard_library_are_the_game():
    """Checks `copy` and `pickle`, also in a process that has made no other game yet."""
    program = (
        "import copy, pickle, carc_env; g = carc_env.Game('goldmines', seed=1); "
        "b = carc_env.Games('base', 2, [1, 2]); "
        "print(copy.deepcopy(g) == g, copy.copy(g) == g, pickle.loads(pickle.dumps(g)) == g, "
        "*(other.records.tobytes() == b.records.tobytes() for other in (copy.deepcopy(b), pickle.loads(pickle.dumps(b)))))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["True"] * 5
    game = Game("base", seed=1)
    copy.deepcopy(game).play(game.legal_actions()[0])
    assert game == Game("base", seed=1)


# --- types of arguments -----------------------------------------------------------------------------------------------
NO_IDS = [
    1.0,
    311.9,
    "311",
    " 311 ",
    True,
    False,
    None,
    float("nan"),
    [0],
    np.array([0]),
    np.float32(1),
    np.bool_(True),
    10**30,
    -(10**30),
    "٣",
    b"3",
    (),
    object(),
]


@pytest.mark.parametrize("value", NO_IDS, ids=lambda value: repr(value)[:12])
def test_what_is_no_action_id(value):
    game, games = Game("base", seed=1), carc_env.Games("base", 2, [1, 2])
    before, good = game.clone(), int(game.legal_actions()[0])
    for ask in (
        game.play,
        game.text,
        lambda value: games.step([good, value]),
        lambda value: games.are_legal([value, good]),
    ):
        with pytest.raises(IllegalAction) as error:
            ask(value)
        assert len(str(error.value)) < 200
    assert game == before and games.records.tobytes() == carc_env.Games("base", 2, [1, 2]).records.tobytes()


@pytest.mark.parametrize(
    "actions",
    [
        None,
        7,
        "ab",
        np.zeros(2),
        np.zeros(2, bool),
        np.zeros((2, 1), int),
        [1],
        np.array([2**63, 1], np.uint64),
        [10**30, 0],
        np.array(["1", "2"]),
        [[1], [2]],
    ],
    ids=repr,
)
def test_what_are_no_actions_of_a_batch(actions):
    games = carc_env.Games("base", 2, [1, 2])
    before = games.records.tobytes()
    with pytest.raises(IllegalAction):
        games.step(actions)
    assert games.records.tobytes() == before


@pytest.mark.parametrize("kind", [int, np.int16, np.int64, np.uint16, np.array])
def test_ints_and_numpy_ints_pass(kind):
    game, games = Game("base", seed=1), carc_env.Games("base", 1, [1])
    action = kind(game.legal_actions()[-1])
    game.play(action)
    games.step([action])
    assert len(game.moves) and games.game(0) == game


@pytest.mark.parametrize("player", ["0", 1.5, 0.0, None, -1, 2, True, 10**30, [0]])
def test_what_is_no_player(player):
    game = Game("base", seed=1)
    asks = [lambda: carc_env.Games.view_of(game).observe([player])]
    asks += [lambda: game.observe(player), lambda: game.position(player)] if player is not None else []
    for ask in asks:
        with pytest.raises(carc_env.PlayerError, match="should be an int from 0 to 1"):
            ask()


@pytest.mark.parametrize(
    "out", [np.zeros(3), np.zeros((2, 10), np.int8), [[0]], np.zeros((2, carc_env.boxes.actions.N_ACTIONS))], ids=str
)
def test_an_array_to_write_to_has_the_right_shape(out):
    with pytest.raises(carc_env.ArrayError, match="out should be a writeable array int8"):
        carc_env.Games("base", 2, [1, 2]).legal_mask(out=out)


def test_numbers_of_games():
    games = carc_env.Games("base", 3, [1, 2, 3])
    assert games.game(-1) == games.game(2) == games.game(np.int64(2))
    for wrong in (3, -4, 1.0, "1", True, None):
        with pytest.raises(IndexError, match="the games are numbered from 0 to 2"):
            games.game(wrong)
    for wrong in (-1, 1.5, "3", None, True):
        with pytest.raises(carc_env.CountError, match="n = "):
            carc_env.Games("base", wrong, [])
    for seeds in (3, "abc", [1, 2.0, 3], [1, 2, None]):
        with pytest.raises(SeedError):
            carc_env.Games("base", 3, seeds)


def test_digits_are_those_of_ascii():
    game = Game("base", deck=["U", "V"])
    with pytest.raises(NotationError, match="is not an action"):
        game.play("U@１,0/0")


def test_notes_of_another_type_are_refused_at_once():
    game = Game("base", seed=1)
    with pytest.raises(TypeError, match="notes should be a carc_env.notation.notes.Notes, not .'Ada', 'Bo'."):
        game.notes = ("Ada", "Bo")
    assert game.record() == Game("base", seed=1).record()


# --- invalid positions ------------------------------------------------------------------------------------------------
POSITION = {"carc_env": 1, "config": "base", "deck": ["U"], "starts": [["D", 0, 0, 0]], "chips": [], "moves": []}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"deck": None}, "the position lacks the key 'deck'"),
        ({"deck": "U"}, "the position: deck = 'U': should be of type list"),
        ({"seed": 7}, "the text is a game record, not a position; `carc_env.replay` reads game records"),
        ({"deck": ["ZZ"]}, "unknown tile 'ZZ'"),
        ({"deck": [["U"]]}, "unknown tile"),
        ({"left": {"ZZ": 1}}, "unknown tile 'ZZ'"),
        ({"left": {"U": 10**9}}, "left: the number of copies of U should be from 1 to 192, not 1000000000"),
        ({"left": {"U": -1}}, "left: the number of copies of U should be from 1 to 192, not -1"),
        ({"left": {"U": 191}}, "at most 192"),
        ({"config": "gold"}, "unknown preset"),
        ({"starts": []}, "at least one"),
        ({"chips": [[0, 0]]}, "faces"),
        ({"chips": [[0, 0, "purple", 1]]}, "chips are given"),
        ({"faces": [["red", 1]]}, "faces"),
        ({"moves": ["V@1,0/0"]}, "moves[0]"),
        ({"scores": [5, 0]}, "scores"),
        ({"carc_env": 2}, "format 1"),
    ],
)
def test_a_position_that_does_not_hold(changes, words):
    position = {key: value for key, value in (POSITION | changes).items() if value is not None}
    with pytest.raises(RecordError) as error:
        Game.from_position(json.dumps(position), seed=1)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "x", "[]", "3", None, b"{}", "[" * 100_000, '{"carc_env": NaN}', "1" * 5000])
def test_something_else_than_a_position(text):
    with pytest.raises(RecordError, match="position"):
        Game.from_position(text, seed=1)
    assert Game.from_position(json.dumps(POSITION), seed=1).tile == "U"
    assert Game.from_position(json.dumps(POSITION | {"legal": ["U@1,0/0"]}), seed=1).tile == "U"  # of the bot protocol
