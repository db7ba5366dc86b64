"""Checks that the examples of docs/libraries.md run."""

import re
from pathlib import Path

import pytest

from carc_env.compiling import jit

PAGE = Path(__file__).parents[2] / "docs" / "libraries.md"
SECTIONS = re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = [(name, "\n".join(BLOCK.findall(text))) for name, text in SECTIONS]
NEEDS = {
    "Stable-Baselines3": ["sb3_contrib"],
    "CleanRL": ["torch"],
    "PettingZoo": ["pettingzoo"],
    "TorchRL": ["pettingzoo", "torchrl"],
    "RLlib": ["pettingzoo", "ray"],
}
PRINTED = {
    "Stable-Baselines3": ["illegal actions: 0", "Discrete(96)"],
    "CleanRL": ["last rewards: ["],
    "PettingZoo": ["player_1"],
    "TorchRL": ["player_1", "rewards of a game against greedy: tensor("],
    "RLlib": ["player_1"],
}


def test_every_library_has_its_example():
    assert [name for name, code in EXAMPLES if code] == list(NEEDS) == list(PRINTED)


@pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, code", EXAMPLES, ids=NEEDS)
def test_example_runs(name, code, capsys):
    for module in NEEDS[name]:
        pytest.importorskip(module)
    exec(compile(code, PAGE.name, "exec"), {"__name__": "example"})
    told = capsys.readouterr().out
    assert all(text in told for text in PRINTED[name])
