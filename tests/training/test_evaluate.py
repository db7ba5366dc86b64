"""Checks that training.evaluate prints the same results as `carc match`."""

import json

from carc_env.commands import cli
from training import evaluate


def test_the_same_figures_as_carc_match(capsys):
    assert (
        evaluate.main(["random", "--against", "random", "--pairs", "3", "--preset", "base", "--seed", "5", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert cli.main(["match", "random", "random", "--pairs", "3", "--preset", "base", "--seed", "5", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert found["pairs"] == 3 and found["illegal"] == 0 and found.keys() == expected.keys()
    for key in found.keys() - {"seconds_per_move_a", "seconds_per_move_b"}:
        assert found[key] == expected[key], key
    assert (found["win_rate_a"] * 6).is_integer() or (found["win_rate_a"] * 12).is_integer()


def test_a_wrong_bot_is_one_line(capsys):
    assert evaluate.main(["nobody", "--against", "random", "--pairs", "1"]) == 2
    assert "unknown bot 'nobody'" in capsys.readouterr().err
