"""Law about rare boxes: without its box, a function returns the constant that replaces it in compiled code."""

import ast
import random
import sys
from pathlib import Path

import pytest

import carc_env
from carc_env.boxes.prospect_parts import N_COMMON
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.spaces import layout_of
from carc_env.rules.state import NONE
from tests import modes

from .games import random_answer

IS_NOT_USED = "count_empty"  # called for every building, but its result is multiplied by 0 for all except huts
PACKAGE = Path(carc_env.__file__).parent
SIGHT = ObservationSpec(layout_of(25, "common"), "both", table=True, price=True)
DECK = "V U L D E GM1 U V B E H W V G R U"
STRANGE = carc_env.GameConfig(
    boxes=("base", "goldmines", "abbot", "inns_and_cathedrals", "traders_and_builders", "crop_circles"),
    tiles_only=("ferries", "shrines", "special_monasteries", "darmstadt", "baba_yaga", "german_cathedrals"),
    table_size=25,
)


def told() -> dict:
    """Return the constants that replace functions in games without their box, by file and name of the function. They
    are the arguments `absent` of `jit`.
    """
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for decorator in getattr(node, "decorator_list", ()):
                for keyword in getattr(decorator, "keywords", ()):
                    if keyword.arg == "absent" and node.name != IS_NOT_USED:
                        value = eval(ast.unparse(keyword.value), {"NONE": NONE, "N_COMMON": N_COMMON})
                        found[str(path), node.name] = value
    return found


@pytest.mark.skipif(modes.NAME != "uncompiled", reason="compiled, they return nothing else")
def test_without_its_box_a_function_returns_what_is_told():
    expected, met, wrong, rng = told(), set(), set(), random.Random(1)

    def look(frame, event, value):
        function = frame.f_code.co_filename, frame.f_code.co_name
        if event == "return" and function in expected:
            met.add(function)
            if value != expected[function]:
                wrong.add((*function, value))

    game = carc_env.Game(STRANGE, deck=DECK.split(), seed=1)
    sys.setprofile(look)
    try:
        while not game.is_over:
            if len(game.moves) % 4 == 0:
                game.observe(None, SIGHT)
            game.play(random_answer(rng, game))
    finally:
        sys.setprofile(None)
    assert not wrong and len(met) > 20  # the other functions are not called in this game
