"""Tests of the turn as a list of steps: turn.py handles every step, and a game has only the steps of its boxes."""

import ast
import importlib
from pathlib import Path

import pytest

import carc_env
from carc_env.rules.state import QUESTION, TURN, Phase, Step
from carc_env.setup.template import template
from carc_env.systems import BOX_OF_QUESTION

SOURCE = ast.parse((Path(carc_env.__file__).parent / "rules" / "turn.py").read_text(encoding="utf-8"))
NAMES = ("begin", "legal_answers", "carry_out")


def steps_in(name: str) -> set[str]:
    """Return the names of the steps that a function of turn.py names, directly or through `STEPS` of a box."""
    (function,) = (node for node in SOURCE.body if isinstance(node, ast.FunctionDef) and node.name == name)
    named = {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("Phase", "Step")
    }
    systems = {node.value.id for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == "STEPS"}
    return named | {
        Phase(step).name
        for system in systems
        for step in importlib.import_module(f"carc_env.rules.expansions.{system}").STEPS
    }


def test_every_step_is_begun_and_every_question_asked_and_answered():
    questions = {phase.name for phase in BOX_OF_QUESTION}
    assert steps_in("begin") == questions | {step.name for step in Step}
    assert steps_in("legal_answers") == steps_in("carry_out") == questions


def test_no_step_is_left_to_an_else_or_found_by_its_number():
    """Otherwise, a step that is added later could be taken for another one."""
    for name in NAMES:
        (function,) = (node for node in SOURCE.body if isinstance(node, ast.FunctionDef) and node.name == name)
        for node in ast.walk(function):
            assert not (isinstance(node, ast.If) and node.orelse), f"{name} has an else"
            assert not isinstance(node, ast.Compare) or all(isinstance(op, (ast.Eq, ast.In)) for op in node.ops)
    for path in (Path(carc_env.__file__).parent).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare) and any(
                isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops
            ):
                assert "Phase." not in ast.unparse(node), f"{path.name}, line {node.lineno}: {ast.unparse(node)}"


def test_the_steps_are_numbered_in_their_order():
    assert [int(step) for step in TURN] == list(range(len(TURN))) and int(Phase.GAME_OVER) == len(TURN)
    assert [int(QUESTION[phase]) for phase in Phase] == list(range(len(Phase)))
    assert all(QUESTION[step] == -1 for step in Step)


@pytest.mark.parametrize("preset", carc_env.presets())
def test_a_game_has_the_steps_of_its_boxes(preset):
    config = carc_env.preset(preset)
    following = template(config)[0]["following"]
    turn, step = [], TURN[-1]
    for _ in TURN:
        step = following[step]
        turn.append(int(step))
    length = len(set(turn))
    assert turn[:length] == sorted(set(turn)) and turn[length:] == turn[: len(TURN) - length], (
        "they come again and again"
    )
    assert set(turn) == {
        int(step) for step in TURN if step in tuple(Step) or BOX_OF_QUESTION.get(step) in ("base", *config.boxes)
    }
    assert {Phase.PLACE_TILE, Phase.PLACE_FIGURE, Step.SCORE, Step.NEXT_PART} <= set(turn)
