"""Answers are numbers that functions make and take apart again."""

from carc_env.actions import TABLE, block_of
from carc_env.faces import FACES
from carc_env.rules import answers
from carc_env.rules.state import N_CELLS, N_FIGURES, N_SPOTS

START = {block.name: block.start for block in TABLE}


def plain(function):
    """The function as Python runs it, compiled or not."""
    return getattr(function, "py_func", function)


def taken_apart(answer: int) -> int:
    """An answer made anew from what it says."""
    def of(maker, *parts):
        return plain(maker)(*parts)

    if answer < START["choose_cell"]:
        return of(answers.tile_answer, *of(answers.tile_of, answer))
    if answer < START["place_figure"]:
        return of(answers.cell_answer, of(answers.cell_of_choice, answer), of(answers.figure_of_choice, answer))
    if answer < START["sell_wine"]:
        return of(answers.figure_answer, *of(answers.figure_of, answer))
    return of(answers.sale_answer, *of(answers.sale_of, answer))


def test_makers_and_their_inverses():
    for answer in range(answers.PLAIN):
        assert taken_apart(answer) == answer


def test_the_parts_are_those_of_the_table():
    size = int(N_CELLS**0.5)
    for answer in (0, 1, N_CELLS, START["choose_cell"] - 1, START["choose_cell"] + 7, START["place_figure"] + N_SPOTS + 3,
                   START["place_figure"] + N_FIGURES * N_SPOTS - 1, START["sell_wine"] + 7):
        parts = block_of(answer).index(answer)
        if answer < START["choose_cell"]:
            assert plain(answers.tile_of)(answer) == (parts[0], parts[1] * size + parts[2])
        elif answer < START["place_figure"]:
            assert plain(answers.cell_of_choice)(answer) == parts[1] * size + parts[2]
        elif answer < START["sell_wine"]:
            assert plain(answers.figure_of)(answer) == parts
        else:
            assert plain(answers.sale_of)(answer) == parts


def test_what_answers_mean_is_told_by_the_faces():
    assert {name for face in FACES for name in face.answers} == set(START)
