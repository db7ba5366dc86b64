"""Checks that functions called by compiled functions become part of them, and that only functions called by Python have
machine code of their own.
"""

import ctypes
import importlib.util
import signal
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from carc_env.compiling import cache, jit, linking

pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")

# Each function calls the one before. `four` also calls `two` and two built-in functions, and `odd` can raise an
# exception.
CHAIN = """
from carc_env.compiling.jit import jit

@jit
def one(x):
    return x + 1

@jit
def two(x):
    return 2 * one(x)

@jit
def three(x):
    return 3 * two(x)

@jit
def four(x):
    return three(x) + two(x) + min(x, 7) + divmod(x, 5)[1]

@jit
def odd(x):
    if x < 0:
        raise ValueError("less than nothing")
    return four(x)

@jit
def safe(x):
    return odd(x)
"""
FOUR = 3 * 2 * 11 + 2 * 11 + 7 + 0  # four(10)


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """Return a function that imports CHAIN as a new process would. Compiled code is stored in a folder of the test."""
    (tmp_path / "chain.py").write_text(CHAIN)
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(jit, "_compiled", [])
    monkeypatch.setitem(sys.modules, "chain", None)

    def fresh():
        spec = importlib.util.spec_from_file_location("chain", tmp_path / "chain.py")
        module = sys.modules["chain"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return fresh


def kept(folder: Path) -> list[str]:
    """Return the names of the functions in the cache, one for each cache file."""
    return sorted(path.name.split("-")[0] for path in folder.rglob("*.nbc"))


def test_only_what_python_calls_is_kept(chain, tmp_path):
    module = chain()
    assert module.four(10) == FOUR
    assert kept(tmp_path) == ["four"] and jit.compiled() == (1, 1)
    again = chain()
    assert again.four(10) == FOUR
    assert again.four.dispatcher.stats.cache_hits and not again.one.dispatcher.overloads, (
        "all of it was in that one file"
    )


def test_python_calls_a_part_later(chain, tmp_path):
    """Checks that a part that Python calls later gets machine code of its own, or is loaded from the cache. Functions
    that already contain the part still work.
    """
    module = chain()
    assert [module.four(10), module.two(10), module.four(10), module.three(10)] == [FOUR, 22, FOUR, 66]
    assert kept(tmp_path) == ["four", "three", "two"]
    assert len(module.one.dispatcher.overloads) == 0 < len(module.two.dispatcher.overloads)
    again = chain()
    assert [again.safe(10), again.two(10)] == [FOUR, 22]
    assert again.two.dispatcher.stats.cache_hits


def test_each_signature_by_itself(chain, tmp_path):
    module = chain()
    assert module.two(10) == 22 and module.one(10.5) == 11.5 and module.two(0.5) == 3.0
    assert kept(tmp_path) == ["one", "two", "two"] and len(module.one.dispatcher.overloads) == 1


def test_somebody_elses_function_calls_a_part(chain):
    """Checks that functions that numba compiles in its default way can call the functions of the chain, both before and
    after Python has called `four`.
    """
    module = chain()
    three, four = module.three, module.four
    before = numba.njit(lambda x: three(x) + 1)
    assert before(10) == 67
    assert four(10) == FOUR
    after = numba.njit(lambda x: four(x) + three(x))
    assert after(10) == FOUR + 66


def test_an_error_in_a_part_is_raised(chain):
    for module in (chain(), chain()):  # first compiled, then loaded
        assert module.safe(10) == FOUR
        with pytest.raises(ValueError, match="less than nothing"):
            module.safe(-1)
        assert module.safe(10) == FOUR


def code_of(function) -> str:
    """Return the LLVM code of a function that Python has called."""
    return next(iter(function.dispatcher.overloads.values())).library.get_llvm_str()


@pytest.mark.parametrize("inline", [False, True])
def test_a_long_function_is_put_into_its_callers_if_it_asks_for_it(tmp_path, chain, inline):
    steps = "\n".join(f"    x = ((x * {n} + y) ^ (x >> {n % 7 + 1})) % 1_000_003" for n in range(3, 120))
    (tmp_path / "chain.py").write_text(
        f"from carc_env.compiling.jit import jit\n\n@jit{'(inline=True)' * inline}\ndef long(x, y):\n{steps}\n    return x\n\n"
        "@jit\ndef twice(x):\n    return long(x, 1) - long(x, 2)\n"
    )
    module = chain()
    assert module.twice(5) == module.long.py_func(5, 1) - module.long.py_func(5, 2)
    assert any("define" in line and "long" in line for line in code_of(module.twice).splitlines()) != inline


@pytest.mark.parametrize("rules", ["chain", "something.else"])
def test_loops_of_the_rules_alone_stay_short(tmp_path, chain, monkeypatch, rules):
    monkeypatch.setattr(linking, "RULES", rules)
    (tmp_path / "chain.py").write_text(
        "from carc_env.compiling.jit import jit\n\n@jit\ndef total(numbers):\n    found = 0\n    for k in range(len(numbers)):\n"
        "        found += numbers[k]\n    return found\n"
    )
    module = chain()
    assert module.total(np.arange(100)) == 4950
    assert ("vector.body" in code_of(module.total)) == (rules != "chain")


def test_integers_of_any_width_share_their_code(tmp_path, monkeypatch):
    """Checks that narrow integers are computed with a wide type: the 8-bit number 100 doubles to 200."""
    monkeypatch.setattr(jit, "_compiled", [])
    (tmp_path / "widths.py").write_text(
        "from carc_env.compiling.jit import jit\n\n@jit\ndef twice(x):\n    return x + x\n\n"
        "@jit\ndef all_twice(a, b, x):\n    return twice(a[0]) + twice(b[0]) + twice(7) + twice(x)\n"
    )
    spec = importlib.util.spec_from_file_location("widths", tmp_path / "widths.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "widths", module)
    spec.loader.exec_module(module)
    assert module.all_twice(np.array([100], np.int8), np.array([1000], np.uint16), 0.5) == 200 + 2000 + 14 + 1
    parts = [part.name for part in next(iter(module.all_twice.dispatcher.overloads.values())).library.parts]
    assert parts.count("twice") == 2, "one for integers and one for floats"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_is_not_lost_in_what_llvm_calls(chain, monkeypatch):
    """Python ignores an exception in code that LLVM calls. Checks that the KeyboardInterrupt is raised when LLVM is
    done, and that the next call compiles again.
    """
    press = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    finish = linking._Library._finalize_final_module
    with monkeypatch.context() as patch:
        patch.setattr(linking._Library, "_finalize_final_module", lambda library: (press(), finish(library)))
        module = chain()
        with pytest.raises(KeyboardInterrupt):
            module.four(10)
    assert module.four(10) == FOUR and signal.getsignal(signal.SIGINT) is signal.default_int_handler
