"""Tests of expected results at each position of a game, playing on from a position, positions without a game, and the
explanations of decisions.
"""

import random
import re
from itertools import product

import pytest

import carc_env
from carc_env.arena.check_files import position_after
from carc_env.bots.winning import chance_in
from carc_env.boxes.tiles import BOX_NAMES
from carc_env.render.facts import cells_of
from carc_env.rules.state import Phase
from carc_env.systems import QUESTIONS
from carc_env.web import models
from carc_env.web.choices import BOTS
from carc_env.web.meanings import MEANINGS
from carc_env.web.understanding import CHEAP, Expected
from carc_env.web.view import facts_view
from tests.web import bots
from tests.web.asking import PERSONS, answer, begin, look, refused, settled
from tests.web.test_analysis import load, over

DICEY, SLOW, SPY = (f"tests.web.bots:{name}" for name in ("Dicey", "Pausing", "Watched"))
ROBOTS = [{"bot": "greedy"}, {"bot": "greedy"}]


def evaluation(client, view, n, **parameters):
    reply = client.get(f"/api/games/{view['id']}/moves/{n}/evaluation", params=parameters)
    assert reply.status_code == 200, reply.text
    return Expected.model_validate(reply.json())


@pytest.fixture(scope="module")
def game():
    return over("base", 4)


@pytest.fixture(scope="module")
def finished(client, game):
    return load(client, game)


# --- expected results -------------------------------------------------------------------------------------------------
def test_the_best_answer_says_what_is_expected_of_a_moment(client, game, finished):
    assert CHEAP in BOTS
    for n in (0, 7, 40):
        before = position_after(game, n)
        best = max(worth.value for worth in carc_env.make_bot(CHEAP).action_values(before))
        found, me = evaluation(client, finished, n), before.player
        assert (found.bot, found.move, found.player, found.over) == (CHEAP, n, me, False)
        assert found.margins[me] == pytest.approx(best, abs=1e-6) and found.margins[1 - me] == -found.margins[me]
        assert found.chances[me] == chance_in(before, best) and sum(found.chances) == pytest.approx(1)


def test_at_the_end_it_is_known(client, game, finished):
    found, (a, b) = evaluation(client, finished, len(game.moves)), game.scores.tolist()
    assert found.over and found.player is None and found.margins == [a - b, b - a]
    assert found.chances == ([1, 0] if a > b else [0, 1])


def test_of_three_players_that_of_the_one_asked_is_known(client):
    view = begin(client, {"players": 3, "boxes": ["base"]}, [{"name": name} for name in "ABC"])
    found = evaluation(client, view, 0, bot="greedy")
    assert found.margins[1:] == [None, None] and found.margins[0] is not None and found.chances == [None] * 3


def test_a_running_game_is_judged_move_by_move(client):
    view = begin(client, "base", PERSONS)
    for n in range(3):
        assert evaluation(client, view, n).move == n
        view = answer(client, view).json()
    assert "moves" in refused(client.get(f"/api/games/{view['id']}/moves/999/evaluation"), 422)
    random_bot = client.get(f"/api/games/{view['id']}/moves/1/evaluation", params={"bot": "random"})
    assert "cannot compute values of actions" in refused(random_bot, 422)
    unknown = client.get(f"/api/games/{view['id']}/moves/1/evaluation", params={"bot": "os:system"})
    assert "there is no bot 'os:system'" in refused(unknown, 422)


def test_a_moment_is_judged_once_and_again_after_another_answer(serving):
    bots.Watched.seen.clear()
    with serving(bots=[SPY]) as client:
        view = answer(client, begin(client, "base")).json()
        first = [evaluation(client, view, 1, bot=SPY) for _ in range(3)]
        assert first[0] == first[1] == first[2] and len(bots.Watched.seen) == 1
        undone = client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}).json()
        view = answer(client, undone, undone["answers"][-1]["text"]).json()
        evaluation(client, view, 1, bot=SPY)
        assert len(bots.Watched.seen) == 2


def test_few_positions_are_judged_at_a_time_and_the_table_goes_on(serving, monkeypatch):
    monkeypatch.setattr("carc_env.web.evaluations.MOST_AT_ONCE", 0)
    with serving() as client:
        view = begin(client, "base")
        reply = client.get(f"/api/games/{view['id']}/moves/0/evaluation")
        assert refused(reply, 503) == "0 positions are being evaluated: try again in a moment"
        assert answer(client, view).status_code == 200


def test_the_bot_does_not_see_the_stack(serving):
    bots.Watched.seen.clear()
    with serving(bots=[SPY]) as client:
        game = over("base")
        evaluation(client, load(client, game), 5, bot=SPY)
        (seen,) = bots.Watched.seen
        assert seen != game.deck and sorted(seen) == sorted(game.deck)


def test_who_may_look_on_may_ask(serving):
    with serving(guarded=True) as client:
        view = begin(client, "base")
        url = f"/api/games/{view['id']}/moves/0/evaluation"
        refused(client.get(url), 401)
        assert client.get(url, headers={"authorization": f"Bearer {view['watcher']}"}).status_code == 200


# --- playing on -------------------------------------------------------------------------------------------------------
def branch(client, view, n, **wish):
    return client.post(f"/api/games/{view['id']}/moves/{n}/branch", json=wish)


def test_a_finished_game_is_played_on_from_a_moment(client, game, finished):
    seats = [{"name": "Cleo"}, {"bot": "greedy"}]
    reply = branch(client, finished, 30, seats=seats)
    assert reply.status_code == 201
    view = models.NewView.model_validate(reply.json()).model_dump()
    then = client.get(f"/api/games/{finished['id']}/moves/30", params={"drawing": False}).json()
    assert view["id"] != finished["id"] and [player["name"] for player in view["players"]] == ["Cleo", "greedy"]
    assert view["left"] == then["left"] and view["tile"] == then["tile"] and view["phase"] == then["phase"]
    assert not view["over"] and view["answers"]
    deck = client.tables.find(view["id"]).now.game.deck
    assert deck != game.deck and sorted(deck) == sorted(game.deck)
    assert look(client, finished)["over"], "the game itself stays as it was"


def test_the_same_tiles_come_if_that_is_wished(client, game, finished):
    view = branch(client, finished, 30, same=True).json()
    assert client.tables.find(view["id"]).now.game == position_after(game, 30)


def test_a_running_game_is_played_on_elsewhere_only_where_bots_play(serving):
    with serving(bots=[DICEY]) as client:
        view = answer(client, begin(client, "base", PERSONS)).json()
        assert "people play this game" in refused(branch(client, view, 1), 409)
        game = begin(client, "base", [{"bot": DICEY}, {"bot": DICEY}])
        n = settled(client, game)["n_moves"] // 2
        client.tables.find(game["id"])
        assert branch(client, game, n).status_code == 201


def test_bots_at_play_hide_the_order_of_their_stack(serving):
    slow = "tests.web.bots:Slow"
    with serving(bots=[slow], patience=600) as client:
        running = begin(client, "base", [{"bot": slow}, {"bot": slow}])
        assert "the order of the stack stays hidden" in refused(branch(client, running, 0, same=True), 409)
        bots.GO.set()


def test_what_cannot_be_played_on(client, game, finished):
    assert "the game is over after these moves" in refused(branch(client, finished, len(game.moves)), 409)
    assert "moves" in refused(branch(client, finished, 9999), 422)
    assert "3 seats are given" in refused(branch(client, finished, 3, seats=[{}] * 3), 422)


# --- positions --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def position(game):
    return position_after(game, 21).position()


def test_a_position_is_shown_as_a_game_and_nothing_is_kept(client, game, position):
    before = client.get("/api/games").json()
    view = client.post("/api/positions", json={"position": position}).json()
    models.View.model_validate(view)
    shown = facts_view(position_after(game, 21), [{"name": "Red", "bot": None}, {"name": "Blue", "bot": None}])
    for key in ("answers", "left", "tile", "question", "moves", "why"):
        assert view[key] == client.post("/api/positions", json={"position": position}).json()[key]
    assert [each["text"] for each in view["answers"]] == [each["text"] for each in shown["answers"]]
    assert view["question"] == shown["question"] and view["title"] == "base"
    assert client.get("/api/games").json() == before


def test_a_position_is_judged(client, game, position):
    hints = client.post("/api/positions/hints", json={"position": position, "bot": "greedy"}).json()
    models.Hints.model_validate(hints)
    assert sorted(number for number, _ in hints["values"]) == list(range(len(hints["values"])))
    found = client.post("/api/positions/evaluation", json={"position": position, "bot": "greedy"}).json()
    Expected.model_validate(found)
    assert max(found["margins"]) == pytest.approx(abs(hints["values"][0][1])) and found["move"] is None
    features = client.post("/api/positions/features", json={"position": position}).json()["features"]
    assert len(features) == len(position_after(game, 21).features())


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "a position should be JSON"),
        ("{}", "the position lacks the key"),
        ('{"carc_env":1,"config":"a.toml","deck":[],"starts":[],"chips":[],"moves":[]}', "unknown preset 'a.toml'"),
        (
            '{"carc_env":1,"config":{"sheet":"/etc/passwd"},"deck":[],"starts":[],"chips":[],"moves":[]}',
            "unknown sheet '/etc/passwd'",
        ),
    ],
)
def test_what_is_no_position(client, text, reason):
    assert reason in refused(client.post("/api/positions", json={"position": text}), 422)


# --- explanations of decisions ----------------------------------------------------------------------------------------
def test_the_rules_of_each_box_are_a_page_of_the_server(client):
    page = client.get("/rules.html")
    assert page.status_code == 200
    sections = set(re.findall(r'<section id="(\w+)"', page.text))
    assert sections == {*BOX_NAMES, "maps"}
    assert {facts_view(carc_env.Game("carcassonne", seed=1), [{"name": "Ada", "bot": None}] * 2)["boxes"]["maps"]} == {
        "Carcassonne Maps"
    }


def test_each_question_says_why_and_names_its_box():
    assert all(question.why for question in QUESTIONS.values()) and set(MEANINGS) < set(QUESTIONS)


def asked(config, seed):
    """For each kind of decision in a game of random actions, return the first view with several legal actions."""
    game, chance, found = carc_env.Game(config, seed=seed), random.Random(seed), {}
    while not game.is_over:
        seats = [{"name": f"Player {player}", "bot": None} for player in range(game.players)]
        if game.phase.name not in found and len(game.legal_actions()) > 1:
            found[game.phase.name] = facts_view(game, seats)
        game.play(chance.choice(game.legal_actions().tolist()))
    return found


@pytest.mark.parametrize("config, seed", [("everything", 6), ("carcassonne", 1), ("goldmines-c1", 2)])
def test_what_answers_bring_is_said_where_it_is_not_seen(config, seed):
    for phase, facts in asked(config, seed).items():
        assert facts["why"]["words"].endswith(".") and facts["why"]["box"] in BOX_NAMES
        told = [each["means"] for each in facts["answers"] if not each["passes"]]
        assert all(means is None or means == means.strip() != "" for means in told)
        if Phase[phase] in (Phase.SELL_WINE, Phase.TAKE_INGOT, Phase.PLACE_FERRY, Phase.MOVE_FERRY):
            assert all(told), phase
        if Phase[phase] not in MEANINGS:
            assert not any(told)


def test_an_ingot_counts_for_the_features_on_its_tile():
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    for text in ("V@1,0/0", "meeple road S", "GM2@0,-1/180"):
        game.play(text)
    facts = facts_view(game, [{"name": "Ada", "bot": None}, {"name": "Ben", "bot": None}])
    means = {each["text"]: each["means"] for each in facts["answers"]}
    assert means["ingot 1,0"] == "counts for Ada's road"
    assert facts["why"]["box"] == "goldmines" and facts["boxes"]["goldmines"] == "The Goldmines"


def test_the_second_part_of_a_builders_double_turn_is_explained():
    seats, found = [{"name": "Ada", "bot": None}, {"name": "Ben", "bot": None}], {}
    game, chance = carc_env.Game({"boxes": ["base", "traders_and_builders"]}, seed=3), random.Random(3)
    while len(found) < 2:
        if game.phase == Phase.PLACE_TILE:
            part = int(game.state["systems"]["traders_and_builders"]["second_part"])
            found.setdefault(part, facts_view(game, seats))
        texts = [game.text(action) for action in game.legal_actions()]
        game.play(chance.choice([text for text in texts if text.startswith(("builder", "meeple road"))] or texts))
    assert found[1]["question"].endswith(" in the second part of the turn")
    assert found[1]["why"] == {
        "words": "You extended the road or city with your builder, so you place a second tile in this turn.",
        "box": "traders_and_builders",
    }
    assert "second part" not in found[0]["question"] and found[0]["why"]["box"] == "base"


def test_an_ingot_beside_a_german_castle_counts_for_its_lord():
    game = carc_env.Game(carc_env.GameConfig(boxes=("base", "goldmines", "german_castles")), seed=13)
    chance, seen, seats = random.Random(13), 0, [{"name": "Ada", "bot": None}, {"name": "Ben", "bot": None}]
    while not game.is_over:
        claimed = [tile for tile in game.board() if any(figure.feature == "castle" for figure in tile.figures)]
        near = {
            (x + dx, y + dy)
            for tile in claimed
            for x, y in cells_of(tile.tile, tile.x, tile.y, tile.rotation)
            for dx, dy in product((-1, 0, 1), repeat=2)
        }
        if game.phase == Phase.PLACE_INGOT and len(game.legal_actions()) > 1:
            for each in facts_view(game, seats)["answers"]:
                is_near = (each["x"], each["y"]) in near
                assert ("castle" in (each["means"] or "")) == is_near, (game.moves, each["text"])
                seen += is_near
        game.play(chance.choice(game.legal_actions().tolist()))
    assert seen > 2, "with this seed, ingots may be put beside a castle with a lord"
