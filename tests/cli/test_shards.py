"""Tests of shards (files of self-play data): their contents, the processes that play them, and what remains if a
process is killed.
"""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import carc_env
from carc_env import Games
from carc_env.arena import noted_answers, noted_comparisons, noted_tables, shards
from carc_env.arena.noted_answers import Answers, play_answers
from carc_env.arena.noted_comparisons import Comparisons, play_comparisons
from carc_env.arena.noted_tables import Tables, play_tables
from carc_env.arena.shards import prices_of, read, write_shards
from carc_env.bots import make
from carc_env.common.errors import BotError, ConfigError, FileError, SeedError
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.keen import keen_prices
from carc_env.observing.spaces import layout_of
from carc_env.observing.value_network import LEAD_UNIT, LEFT_UNIT, Input
from carc_env.rules.state import Phase
from tests import modes

pytest.importorskip("pyarrow")
BASE, N = carc_env.preset("base"), modes.sized(6, 2, 2)


def without_errors(n=N, every=1):
    return play_tables(*Tables(BASE, keen_prices(), errors=0, every=every).job(3, n))


def test_what_is_noted_is_so():
    """Without errors, the games are those of `keen`. The test compares each row with these games."""
    columns, games, keen, row = without_errors(), Games(BASE, N, range(3, 3 + N)), make("keen"), {}
    assert columns["inputs"].shape[1] == Input.LEFT + 1 and set(columns) == set(noted_tables.COLUMNS)
    order = [np.flatnonzero(columns["game"] == seed).tolist() for seed in range(3, 3 + N)]
    drawn = np.full(N, -1)
    while not games.is_over.all():
        is_asked = games.records["phase"] == Phase.PLACE_TILE  # a forced placement is not recorded
        for i in np.flatnonzero(is_asked & ~games.is_over & (games.records["n_drawn"] != drawn)).tolist():
            drawn[i] = games.records["n_drawn"][i]
            k, me, record = order[i].pop(0), int(games.players[i]), games.records[i]
            row[k] = (i, me)
            points = keen.expect_points(games[[i]])[0]
            assert columns["promised"][k] == pytest.approx(points[me] - points[1 - me], abs=1e-3)
            assert columns["player"][k] == me and columns["left"][k] == record["n_deck"] - record["n_drawn"]
            inputs = columns["inputs"][k]
            assert inputs[Input.LEAD] * LEAD_UNIT == pytest.approx(
                games.scores[i][me] - games.scores[i][1 - me], abs=1e-3
            )
            assert inputs[Input.MOVES] == 1 and inputs[Input.LEFT] * LEFT_UNIT == pytest.approx(columns["left"][k])
        games.step_if_legal(keen.choose_batch(games)[~games.is_over], np.flatnonzero(~games.is_over))
    assert order == [[]] * N
    for k, (i, me) in row.items():
        assert columns["margin"][k] == games.scores[i][me] - games.scores[i][1 - me]


def test_what_answers_lead_to_is_noted():
    """Each row describes the position after a compared action and after the rest of the turn, which `keen` plays. The
    perspective is that of the player who chose the action.
    """
    plan = Comparisons(carc_env.GameConfig(boxes=("goldmines",)), keen_prices(), stacks=2, most=3, every=1, errors=0)
    columns, game = play_comparisons(*plan.job(5, 1)), carc_env.Game(plan.config, seed=5)
    assert list(columns) == list(noted_comparisons.COLUMNS) and (columns["game"] == 5).all()
    rows, keen = iter(range(len(columns["move"]))), make("keen")
    while not game.is_over:
        here = np.flatnonzero(columns["move"] == len(game.moves))
        best = [answer for answer, value in keen.analyse(game)][: len(here)]
        for answer in best:
            after, me = game.clone(), game.player
            after.play(answer)
            while after.phase != Phase.PLACE_TILE or after.tiles_left == game.tiles_left:
                after.play(keen.choose(after))
            k = next(rows)
            points = keen.expect_points(Games.view_of(after))[0]
            assert columns["promised"][k] == pytest.approx(points[me] - points[1 - me], abs=1e-3)
            inputs = columns["inputs"][k]
            assert inputs[Input.LEAD] * LEAD_UNIT == pytest.approx(after.scores[me] - after.scores[1 - me], abs=1e-3)
            assert inputs[Input.MOVES] == (1 if after.player == me else -1)
            assert inputs[Input.LEFT] * LEFT_UNIT == pytest.approx(after.tiles_left)
        game.play(keen.choose(game))
    assert next(rows, None) is None and len(columns["move"]) > 4
    with pytest.raises(ConfigError, match="stacks = 0: should be at least 1"):
        Comparisons(plan.config, keen_prices(), stacks=0)
    assert np.isfinite(columns["value"]).all() and len(set(columns["value"].tolist())) > 2


def test_answers_are_noted_with_what_they_are_worth():
    """The rows are those of the observation, the prices are those of `keen`, and the values come from rollouts. The
    action with the best value is played.
    """
    plan = Answers(carc_env.GameConfig(boxes=("goldmines",)), keen_prices(), stacks=3, most=3)
    columns, game = play_answers(*plan.job(5, 1)), carc_env.Game(plan.config, seed=5)
    assert tuple(columns) == noted_answers.COLUMNS and (columns["game"] == 5).all()
    rolled, spec = 0, ObservationSpec(layout_of(plan.config, "common"), "candidates", price=True)
    while not game.is_over:
        here, legal = columns["move"] == len(game.moves), game.legal_actions()
        answers, values, prices = (columns[name][here] for name in ("answer", "value", "price"))
        if len(legal) == 1:
            assert not here.any()
            game.play(int(legal[0]))
            continue
        assert answers.tolist() == legal.tolist()
        assert np.array_equal(columns["row"][here], game.observe(observation=spec)["candidates"][: len(legal)])
        worth = dict(make("keen").analyse(game))
        assert prices - prices.max() == pytest.approx(
            np.array([worth[one] for one in answers.tolist()]) - max(worth.values()), abs=0.01
        )
        judged = ~np.isnan(values)
        assert judged.sum() in (0, 2, 3) and set(np.argsort(-prices, kind="stable")[: judged.sum()]) == set(
            np.flatnonzero(judged)
        )
        rolled += judged.any()
        game.play(int(answers[np.nanargmax(values) if judged.any() else prices.argmax()]))
    assert rolled > 3


def test_without_rollouts_prices_decide():
    plan = Answers(BASE, keen_prices(), stacks=0)
    columns, game = play_answers(*plan.job(5, 1)), carc_env.Game(BASE, seed=5)
    assert np.isnan(columns["value"]).all() and plan.size > Answers(BASE, keen_prices()).size
    keen = make("keen")
    while not game.is_over:
        here = columns["move"] == len(game.moves)
        answer = keen.choose(game)
        if here.any():
            assert columns["price"][here][columns["answer"][here] == answer] == columns["price"][here].max()
        game.play(int(columns["answer"][here][columns["price"][here].argmax()]) if here.any() else answer)


def test_of_so_many_tables_one_is_noted():
    whole, some = without_errors(), without_errors(every=3)
    for seed in range(3, 3 + N):
        left, all_left = some["left"][some["game"] == seed], whole["left"][whole["game"] == seed]
        first = all_left.tolist().index(left[0])
        assert first < 3 and left.tolist() == all_left[first::3].tolist()


def test_errors_are_made():
    erring = play_tables(*Tables(BASE, keen_prices(), errors=500).job(3, N))
    assert erring["margin"].tolist() != play_tables(*Tables(BASE, keen_prices(), errors=0).job(3, N))["margin"].tolist()


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(noted_tables, "SHARD", 2)


@pytest.mark.parametrize("words", [{"workers": 2}, {"workers": 2, "backend": "loky"}])
def test_anybody_plays_the_same_shards(words, small, tmp_path):
    pytest.importorskip("joblib")
    tables, told = Tables(BASE, keen_prices()), []
    alone = write_shards(tmp_path / "alone", tables, 5, progress=lambda *numbers: told.append(numbers))
    assert told == [(2, 5), (4, 5), (5, 5)] and len(alone) == 3
    others = write_shards(tmp_path / "others", tables, 5, **words)
    for name, array in read(alone).items():
        np.testing.assert_array_equal(array, read(others)[name])


def test_what_is_there_is_not_played_again(small, tmp_path):
    tables = Tables(BASE, keen_prices())
    paths = write_shards(tmp_path, tables, 4)
    before = paths[0].stat().st_mtime_ns
    paths[1].unlink()
    told = []
    assert write_shards(tmp_path, tables, 6, progress=lambda *numbers: told.append(numbers))[:2] == paths
    assert paths[0].stat().st_mtime_ns == before and told == [(4, 6), (6, 6)]
    assert shards.games_in(write_shards(tmp_path, tables, 7)[-1]) == 1
    assert shards.games_in(write_shards(tmp_path, tables, 8)[-1]) == 2  # a shard with fewer games is played again
    with pytest.raises(FileError, match="holds games with other settings; choose another folder"):
        write_shards(tmp_path, Tables(BASE, keen_prices(), errors=1), 4)


def test_games_without_rows_count_as_played(tmp_path):
    """If only every 100th position is recorded, some games have no rows."""
    plan = Tables(BASE, keen_prices(), every=100)
    (path,) = write_shards(tmp_path, plan, modes.sized(12, 4, 4), 0)
    assert len(np.unique(read([path])["game"])) < modes.sized(12, 4, 4)
    before = path.stat().st_mtime_ns
    write_shards(tmp_path, plan, modes.sized(12, 4, 4), 0)
    assert path.stat().st_mtime_ns == before


def test_no_game_is_in_two_shards(tmp_path):
    plan = Tables(BASE, keen_prices())
    write_shards(tmp_path, plan, 2, 0)
    with pytest.raises(FileError, match="holds the games with the seeds 0 to 1, and some of them would be played"):
        write_shards(tmp_path, plan, 2, 1)
    assert len(write_shards(tmp_path, plan, 2, 2)) >= 1
    with pytest.raises(SeedError, match="should be below"):
        write_shards(tmp_path, plan, 2, 2**63 - 1)


def test_a_folder_is_one_table_for_others(small, tmp_path):
    """pandas and Polars read the folder as one table. The test does the same with pyarrow."""
    dataset = pytest.importorskip("pyarrow.dataset")
    write_shards(tmp_path, Tables(BASE, keen_prices()), 3)
    found = dataset.dataset(tmp_path).to_table()
    assert tuple(found.column_names) == noted_tables.COLUMNS and set(found["game"].to_pylist()) == {0, 1, 2}
    told = json.loads((tmp_path / "_selfplay.json").read_text())
    assert told["config"] == BASE.to_dict() and told["every"] == 4


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 100])
def test_a_file_that_is_no_shard(content, tmp_path):
    path = tmp_path / "games-0.parquet"
    path.write_bytes(content)
    with pytest.raises(FileError, match="games-0.parquet is not a shard of self-play: "):
        read([path])
    with pytest.raises(FileError, match="games-0.parquet is not a shard of self-play: "):
        shards.games_in(path)


def test_what_cannot_be_played(tmp_path):
    with pytest.raises(ConfigError, match="players = 3: should be 2, because value networks are for games"):
        write_shards(tmp_path, Tables(carc_env.GameConfig(players=3), keen_prices()), 1)
    for spec in ("random", "rollout:playouts=5"):
        with pytest.raises(BotError, match="the bots with heuristic weights are greedy, keen, learned"):
            prices_of(spec, BASE)


def test_the_command(carc, tmp_path):
    words = ("selfplay", "learned", "--preset", "base", "--games", 2, "--out", tmp_path / "mine")
    assert carc(*words).out == f"{tmp_path / 'mine'}: 2 games in 1 shards\n"
    assert carc(*words, "--json").json == {"folder": str(tmp_path / "mine"), "games": 2, "shards": 1}
    assert "choose another folder" in carc("selfplay", "keen", *words[2:]).complaint
    words = (
        "selfplay",
        "--preset",
        "base",
        "--games",
        1,
        "--stacks",
        1,
        "--note",
        "answers",
        "--out",
        tmp_path / "its",
    )
    assert carc(*words).out == f"{tmp_path / 'its'}: 1 games in 1 shards\n"
    assert tuple(read(shards.shards_in(tmp_path / "its"))) == noted_answers.COLUMNS


@pytest.mark.skipif(modes.NAME != "compiled", reason="compiled games are quick enough")
def test_a_killed_process_leaves_whole_shards(tmp_path):
    process = subprocess.Popen(selfplay(tmp_path, 200_000), start_new_session=True, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while time.monotonic() < until and len(list(tmp_path.glob("*.parquet"))) < 2:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    found = read(shards.shards_in(tmp_path))
    assert len(set(found["game"].tolist())) == 1000 * len(shards.shards_in(tmp_path)) >= 2000


@pytest.mark.long
@pytest.mark.skipif(modes.NAME != "compiled", reason="compiled games are quick enough")
def test_killed_workers_of_a_cluster_lose_no_shard(tmp_path):
    """SIGKILL first ends one of two Dask workers, whose shard the other worker plays. SIGKILL then ends the command
    itself. The same command continues with the shards that are there.
    """
    distributed = pytest.importorskip("distributed")
    folder, place = tmp_path / "shards", str(tmp_path / "dask")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, local_directory=place) as cluster:
        where = ["--backend", "dask", "--address", cluster.scheduler_address]
        process = subprocess.Popen([*selfplay(folder, 200_000), *where], stderr=subprocess.DEVNULL)
        wait_for_shards(folder, 1)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        wait_for_shards(folder, 1 + len(shards.shards_in(folder)))
        process.kill()
        process.wait()
        there = {path: path.read_bytes() for path in shards.shards_in(folder)}
        games = 2000 + max(int(path.stem.removeprefix("games-")) for path in there)  # one more shard, and missing ones
        subprocess.run([*selfplay(folder, games), *where], check=True, stderr=subprocess.DEVNULL)
    found = read(shards.shards_in(folder))
    assert set(found["game"].tolist()) == set(range(games))
    assert all(path.read_bytes() == before for path, before in there.items())


def selfplay(folder, games):
    """Return the command that plays `games` short games in two processes. A shard of short games is soon written."""
    config = folder.parent / "short.toml"
    config.write_text('boxes = ["goldmines"]\n')
    words = ["-m", "carc_env", "selfplay", "--preset", config, "--workers", "2", "--out", folder, "--games", games]
    return [sys.executable, *map(str, words)]


def wait_for_shards(folder, number):
    until = time.monotonic() + 300
    while len(shards.shards_in(folder)) < number:
        assert time.monotonic() < until, f"{number} shards were not written in five minutes"
        time.sleep(0.05)


@pytest.mark.skipif(modes.NAME != "compiled", reason="compiled games are quick enough")
def test_ctrl_c_on_the_command_line(tmp_path):
    """All processes receive SIGINT at once, as from a shell."""
    process = subprocess.Popen(
        selfplay(tmp_path, 200_000), start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 300
    while time.monotonic() < until and len(list(tmp_path.glob("*.parquet"))) < 1:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130 and out == "" and "Traceback" not in err and "leaked" not in err
    assert "games; the same command continues" in err.splitlines()[-1]
