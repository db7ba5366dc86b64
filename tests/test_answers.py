"""Tests of the functions that compute action ids, and of the functions that split ids into their parts."""

import itertools

import pytest

from carc_env.boxes.actions import TABLE, block_of, describe, table
from carc_env.rules import answers
from carc_env.rules.state import MAX_SIZE, N_FIGURES, N_SPOTS
from carc_env.systems import SYSTEMS

SIZES = (5, 25, 31, MAX_SIZE)


def plain(function):
    """Return the uncompiled function."""
    return getattr(function, "py_func", function)


def starts(size):
    """Return the first id of each block."""
    return {block.name: block.start for block in table(size)}


def taken_apart(size: int, answer: int) -> int:
    """Split an action id into its parts, and compute the id from these parts again."""

    def of(maker, *parts):
        return plain(maker)(size, *parts)

    start = starts(size)
    if answer < start["choose_cell"]:
        return of(answers.tile_answer, *of(answers.tile_of, answer))
    if answer < start["place_figure"]:
        return of(answers.cell_answer, of(answers.cell_of_choice, answer), of(answers.figure_of_choice, answer))
    if answer < start["sell_wine"]:
        return of(answers.figure_answer, *of(answers.figure_of, answer))
    if answer < start["ferry"]:
        return of(answers.sale_answer, *of(answers.sale_of, answer))
    if answer < start["castle_score"]:
        return of(answers.ferry_answer, *of(answers.ferry_of, answer))
    return of(answers.castle_score_answer, *of(answers.castle_score_of, answer))


@pytest.mark.parametrize("size", SIZES)
def test_makers_and_their_inverses(size):
    last = starts(size)["recall"]
    for answer in {*range(0, last, 1 + last // 5000), *range(starts(size)["place_figure"], last)}:
        assert taken_apart(size, answer) == answer


@pytest.mark.parametrize("size", SIZES)
def test_the_parts_are_those_of_the_table(size):
    start, cells = starts(size), size * size
    for answer in (
        0,
        1,
        cells,
        start["choose_cell"] - 1,
        start["choose_cell"] + 7,
        start["place_figure"] + N_SPOTS + 3,
        start["place_figure"] + N_FIGURES * N_SPOTS - 1,
        start["sell_wine"] + 7,
    ):
        parts = block_of(answer, size).index(answer)
        if answer < start["choose_cell"]:
            assert plain(answers.tile_of)(size, answer) == (parts[0], parts[1] * size + parts[2])
        elif answer < start["place_figure"]:
            assert plain(answers.cell_of_choice)(size, answer) == parts[1] * size + parts[2]
        elif answer < start["sell_wine"]:
            assert plain(answers.figure_of)(size, answer) == parts
        else:
            assert plain(answers.sale_of)(size, answer) == parts


@pytest.mark.parametrize("size", SIZES)
def test_blocks_follow_each_other(size):
    blocks, ids = table(size), answers.ids_of(size)
    assert all(a.start + a.size == b.start for a, b in itertools.pairwise(blocks)) and blocks[-1].start + 1 == ids.n
    assert [block.start for block in blocks] == list(ids[:-1])
    assert describe(ids.passing, size) == "pass" and describe(size + 2, size) == "place_tile rotation 0 row 1 column 2"


def test_the_ids_of_a_table_of_25_stay_as_they_are():
    assert answers.ids_of(25) == (0, 2500, 5000, 5165, 5177, 5225, 5423, 5424, 5425, 5426, 5427)


def test_what_answers_mean_is_told_by_the_faces():
    assert {name for system in SYSTEMS for name in system.answers} == {block.name for block in TABLE}
