"""Checks that only rules/features.py changes features, and that each change is recorded."""

import ast
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.rules import features
from carc_env.rules.answers import ROOM
from carc_env.rules.state import FEATURE, MAX_TOUCHED, Kind, whole_game
from tests.modes import sized

RULES = Path(carc_env.__file__).parent / "rules"
# fields of segments and features
FIELDS = ("feature", "next", "strength", "open", "pennants", "extras", "coats", "lies", "cathedral_ends", "goods")


def assigned(path: Path) -> set[str]:
    """Return the fields of segments and features that a module assigns."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for target in getattr(node, "targets", []) + [getattr(node, "target", None)]:
            while isinstance(target, ast.Subscript):
                target = target.value
            if isinstance(target, ast.Attribute) and target.attr in FIELDS and "players" not in ast.unparse(target):
                found.add(target.attr)
    return found


def test_features_are_changed_in_one_module():
    """Checks that only features.py assigns these fields, with two exceptions. maps.py writes the pennants of printed
    squares at setup. In scoring.py, the list of completed features also has a field `feature`.
    """
    changed = {str(path.relative_to(RULES)): assigned(path) for path in RULES.rglob("*.py")}
    assert changed.pop("features.py") == set(FIELDS)
    assert {name: fields for name, fields in changed.items() if fields} == {
        "expansions/maps.py": {"pennants"},
        "scoring.py": {"feature"},
    }


def groups(state: np.record) -> dict[int, frozenset[int]]:
    """Return the segments of each feature, by the index of the feature."""
    found: dict[int, set[int]] = {}
    for node in range(int(state["n_segments"])):
        found.setdefault(int(state["segments"][node]["feature"]), set()).add(node)
    return {name: frozenset(nodes) for name, nodes in found.items()}


def numbers(state: np.record, feature: int) -> tuple:
    """Return all fields of a feature except `mark`. Features with different indices can be compared in this way."""
    what = state["features"][feature]
    return tuple(what[field].tolist() for field in FEATURE.names if field != "mark")


@pytest.mark.parametrize("preset", ["base", "carcassonne", "expansions"])
def test_a_road_that_nothing_has_cut_is_the_same_after_it_was_split(preset):
    rng, rooms = np.random.default_rng(2), np.zeros(1, ROOM)
    for seed in range(sized(6, 4, 2)):
        game = carc_env.Game(preset, seed=seed)
        while not game.is_over and len(game.board()) < 60:
            game.play(int(rng.choice(game.legal_actions())))
        state = game.clone()._games.view(whole_game(game.config.table_size))
        before = groups(state[0])
        known = {nodes: numbers(state[0], name) for name, nodes in before.items()}
        for name in before:
            if state[0]["features"][name]["kind"] == Kind.ROAD:
                features.split(state[0], tile_table()[0], name, rooms[0])
        after = groups(state[0])
        assert {nodes: numbers(state[0], name) for name, nodes in after.items()} == known


def test_changes_are_noted_and_only_the_last_are_kept():
    game = carc_env.Game("base", deck=["U", "U"])
    before = int(game.state["n_touched"])
    game.play("U@1,0/0")
    noted = [int(game.state["touched"][k % MAX_TOUCHED]) for k in range(before, int(game.state["n_touched"]))]
    joined = {int(game.state["segments"]["feature"][node]) for node in noted}
    assert len(noted) == 6 and len(joined) == 3  # the road, and the fields on both sides of it
    game.play("meeple road E")
    assert (
        int(game.state["segments"]["feature"][game.state["touched"][(game.state["n_touched"] - 1) % MAX_TOUCHED]])
        in joined
    )
