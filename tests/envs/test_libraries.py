"""The examples of docs/libraries.md run."""

import re
from pathlib import Path

import pytest

from carc_env.compiling import jit

PAGE = Path(__file__).parents[2] / "docs" / "libraries.md"
BLOCKS = re.findall(r"^## ([\w-]+)\n.*?```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
NEEDS = {
    "Stable-Baselines3": ["sb3_contrib"],
    "PettingZoo": ["pettingzoo"],
    "TorchRL": ["pettingzoo", "torchrl"],
    "RLlib": ["pettingzoo", "ray"],
}


def test_every_library_has_its_example():
    assert [name for name, _ in BLOCKS] == list(NEEDS)


@pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, code", BLOCKS, ids=NEEDS)
def test_example_runs(name, code, capsys):
    for module in NEEDS[name]:
        pytest.importorskip(module)
    exec(compile(code, PAGE.name, "exec"), {"__name__": "example"})
    told = capsys.readouterr().out
    assert ("illegal actions: 0" if name == "Stable-Baselines3" else "player_1") in told
