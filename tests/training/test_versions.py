"""Tests of the versions in results: which changes lead to a new version, and which do not."""

import dataclasses
import shutil

import pytest

from carc_env.bots import make
from training import algorithms, tasks, versions

TASK = tasks.task("Base-debug-20k")
CODE = '''"""A page."""

from carc_env.networks.layers import Scale


class Mine:
    """Plays."""

    settings = {"rate": 0.1}

    def act(self, seen):
        """Answer."""
        return seen["action_mask"].argmax(1)
'''


def version_of(code, tmp_path):
    """Return the versions of an algorithm with this source code."""
    path = tmp_path / "mine.py"
    path.write_text(code)
    return versions.of_algorithm("Mine", path)


@pytest.mark.parametrize(
    "before, after, is_other",
    [
        ("    def act", "    # a comment\n    def act", False),
        ('"""Plays."""', '"""Plays well."""', False),
        ('{"rate": 0.1}', '{\n        "rate": 0.1\n    }', False),
        ("0.1", "0.2", True),
        ("argmax", "argmin", True),
        ("return seen", "return +seen", True),
    ],
)
def test_a_version_is_what_python_understands(before, after, is_other, tmp_path):
    assert before in CODE
    first, then = version_of(CODE, tmp_path), version_of(CODE.replace(before, after), tmp_path)
    assert (first["algorithm"] != then["algorithm"]) == is_other and first["network"] == then["network"]


def test_the_network_is_what_is_imported_of_ours(tmp_path):
    first = version_of(CODE, tmp_path)
    other = version_of(CODE.replace("from carc_env.networks.layers import Scale", "import numpy"), tmp_path)
    assert first["network"].startswith("networks@") and other["network"] == "none"


def test_an_algorithm_has_the_version_of_all_that_it_learns_by(tmp_path, monkeypatch):
    """A change to a module that `reinforce` imports changes its version. A change to a module that only measures does
    not.
    """
    training = tmp_path / "training"
    shutil.copytree(versions.TRAINING, training, ignore=shutil.ignore_patterns("__pycache__"))

    def version():
        return versions.of_algorithm("reinforce", training / "reinforce.py")["algorithm"]

    monkeypatch.setattr(versions, "PASSED_OVER", {training / path.name for path in versions.PASSED_OVER})
    monkeypatch.setattr(versions, "TRAINING", training)
    first = version()
    for name, is_other in (("tasks", False), ("results", False), ("weights", True), ("answering", True)):
        with (training / f"{name}.py").open("a") as file:
            file.write("\nMORE = 1\n")
        assert (version() != first) == is_other, name
        first = version()


def test_all_algorithms_have_versions():
    found = [versions.of_algorithm(name, algorithms.home(name)) for name in algorithms.NAMES]
    assert len({told["algorithm"] for told in found}) == len(found)
    assert all(
        told["algorithm"].startswith(f"{name}@") and len(told["algorithm"]) == len(name) + 11
        for name, told in zip(algorithms.NAMES, found)
    )


def test_the_library_that_learns_is_part_of_the_version(monkeypatch):
    home = algorithms.home("ppo")
    first, file = versions.of_algorithm("ppo", home), versions.of_algorithm("reinforce", algorithms.home("reinforce"))
    monkeypatch.setattr(versions, "version", lambda name: "99")
    assert versions.of_algorithm("ppo", home)["algorithm"] != first["algorithm"]
    assert versions.of_algorithm("reinforce", algorithms.home("reinforce")) == file


def test_a_strangers_file_has_the_version_of_the_library_that_it_imports(tmp_path, monkeypatch):
    first = version_of("from sb3_contrib import MaskablePPO\n" + CODE, tmp_path)
    monkeypatch.setattr(versions, "version", lambda name: "99")
    assert version_of("from sb3_contrib import MaskablePPO\n" + CODE, tmp_path) != first
    assert versions.imports(b"import a.b, c\nfrom d.e import f\nfrom . import g\n") == {"a", "c", "d"}


def test_the_protocol_has_the_version_of_the_matches_and_the_seeds(monkeypatch):
    versions.of_protocol.cache_clear()
    first = versions.of_protocol()
    for name, other in (("seed_for", lambda seed, made=0: seed), ("EVALUATION", versions.EVALUATION[:1])):
        with monkeypatch.context() as patch:
            patch.setattr(versions, name, other)
            versions.of_protocol.cache_clear()
            assert versions.of_protocol() != first
    versions.of_protocol.cache_clear()


def test_a_task_has_the_version_of_its_fields_but_for_what_is_published():
    assert versions.of_task(TASK) == versions.of_task(dataclasses.replace(TASK, seeds=9, pool="rows"))
    for change in ({"rows": 9}, {"eval_pairs": 9}, {"opponent": "random"}):
        assert versions.of_task(TASK) != versions.of_task(dataclasses.replace(TASK, **change))


def test_a_game_has_the_version_of_what_happens_in_it():
    """The name and the budget of a task do not change the version of its game. The rows, the reward, the players, the
    observation and the opponent do.
    """
    first = versions.of_game(TASK)
    assert first.startswith("base-2@") and first == versions.of_game(dataclasses.replace(TASK, name="x", decisions=9))
    for change in ({"rows": 9}, {"reward": "margin"}, {"players": 3}, {"observation": "planes"}, {"opponent": "self"}):
        assert versions.of_game(dataclasses.replace(TASK, **change)) != first


def test_the_judges_have_versions_of_their_own():
    found = versions.bots_of(TASK)
    assert list(found) == ["greedy", *(judge for judge in tasks.JUDGES if judge != "greedy")]
    assert len(set(found.values())) == len(found)
    assert versions.of_bot("rollout:playouts=9", TASK.config) != found["rollout:playouts=64"]


def test_a_judge_with_a_network_has_the_version_of_its_numbers(monkeypatch):
    config = TASK.config
    assert [path.stem for path in versions._networks(make("ppo"), config)] == ["base-quick"]
    assert [path.stem for path in versions._networks(make("rollout:playouts=64"), config)] == ["base-values"]
    assert versions._networks(make("rollout:playouts=64"), dataclasses.replace(config, players=3)) == []
    assert versions._networks(make("keen"), config) == []
    first = {name: versions.of_bot(name, config) for name in ("ppo", "keen")}
    hash_of = versions.hash_of
    monkeypatch.setattr(versions, "hash_of", lambda path: "0" if path.suffix == ".safetensors" else hash_of(path))
    versions.of_bot.cache_clear()
    assert versions.of_bot("ppo", config) != first["ppo"] and versions.of_bot("keen", config) == first["keen"]
    assert versions.code_of(versions.of_bot("ppo", config)) == versions.code_of(first["ppo"])
    monkeypatch.setattr(versions, "hash_of", hash_of)
    monkeypatch.setattr(versions, "card_of", lambda path: ["other prices"])
    versions.of_bot.cache_clear()
    assert versions.of_bot("ppo", config) != first["ppo"]
    versions.of_bot.cache_clear()


def test_differences_name_what_is_different():
    told = versions.of_measuring(TASK)
    other = told | {"bots": told["bots"] | {"keen": "keen@0"}, "game": "base-2@0"}
    assert versions.differences(told, told) == []
    assert versions.differences(told, other) == [
        f"game: {told['game']}, not base-2@0", f"bot keen: {told['bots']['keen']}, not keen@0",
    ]  # fmt: skip
    assert versions.differences(told, other, ("task",)) == []
