"""What compiled functions call is made part of them, and machine code only where Python calls it."""

import builtins
import ctypes
import importlib.util
import signal
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from carc_env.compiling import jit, linking

pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")

# Each calls the one before; `four` calls `two` by itself as well, and `odd` what numba makes of Python's own names.
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
FOUR = 3 * 2 * 11 + 2 * 11 + 7 + 0  # of 10


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """Imports the functions as a new process would; what is kept of them stays in a folder of the test."""
    (tmp_path / "chain.py").write_text(CHAIN)
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(jit, "_dispatchers", [])
    monkeypatch.setitem(sys.modules, "chain", None)

    def fresh():
        spec = importlib.util.spec_from_file_location("chain", tmp_path / "chain.py")
        module = sys.modules["chain"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return fresh


def kept(folder: Path) -> list[str]:
    """The functions of which something is kept."""
    return sorted(path.name.split("-")[0] for path in folder.rglob("*.nbc"))


def test_only_what_python_calls_is_kept(chain, tmp_path):
    module = chain()
    assert module.four(10) == FOUR
    assert kept(tmp_path) == ["four"] and jit.compiled() == (1, 1) and jit.at_hand() == 4
    again = chain()
    assert again.four(10) == FOUR
    assert again.four.stats.cache_hits and not again.one.overloads, "all of it was in that one file"


def test_python_calls_a_part_later(chain, tmp_path):
    """It is made whole, or found where another process kept it, and those that took it in go on."""
    module = chain()
    assert [module.four(10), module.two(10), module.four(10), module.three(10)] == [FOUR, 22, FOUR, 66]
    assert kept(tmp_path) == ["four", "three", "two"]
    assert linking.wholes(module.one) == 0 < linking.wholes(module.two)
    again = chain()
    assert [again.safe(10), again.two(10)] == [FOUR, 22]
    assert again.two.stats.cache_hits


def test_each_signature_by_itself(chain, tmp_path):
    module = chain()
    assert module.two(10) == 22 and module.one(10.5) == 11.5 and module.two(0.5) == 3.0
    assert kept(tmp_path) == ["one", "two", "two"] and linking.wholes(module.one) == 1


def test_somebody_elses_function_calls_a_part(chain):
    """One that numba compiles in its own way, before and after."""
    module = chain()
    three, four = module.three, module.four
    before = numba.njit(lambda x: three(x) + 1)
    assert before(10) == 67
    assert four(10) == FOUR
    after = numba.njit(lambda x: four(x) + three(x))
    assert after(10) == FOUR + 66


def test_an_error_in_a_part_is_raised(chain):
    for module in (chain(), chain()):  # compiled, and loaded
        assert module.safe(10) == FOUR
        with pytest.raises(ValueError, match="less than nothing"):
            module.safe(-1)
        assert module.safe(10) == FOUR


@pytest.mark.parametrize("name", ["codegen", "compiler_machinery", "sigutils", "typed_passes"])
def test_names_that_numba_does_not_promise_are_missing(chain, tmp_path, monkeypatch, name):
    """Then every function is a whole, as numba has it."""
    import_all = builtins.__import__

    def import_most(module, names=None, *rest, **more):
        if module == f"numba.core.{name}" and names and names["__name__"] == "carc_env.compiling.linking":
            raise ImportError("cannot import it")
        return import_all(module, names, *rest, **more)

    spec = importlib.util.spec_from_file_location("carc_env.compiling.linking", linking.__file__)
    other = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "__import__", import_most)
        spec.loader.exec_module(other)
    assert other.OPTIONS == {}
    monkeypatch.setattr(jit, "linking", other)
    module = chain()
    assert module.four(10) == FOUR
    assert kept(tmp_path) == ["four", "one", "three", "two"] and jit.compiled() == (4, 4)


@pytest.mark.parametrize("owner", linking.NAMES)
def test_names_of_what_is_there_only_while_compiling_are_missing(chain, tmp_path, monkeypatch, owner):
    monkeypatch.setitem(linking.NAMES, owner, ("no_such_name",))
    module = chain()
    assert module.four(10) == FOUR
    assert kept(tmp_path) == ["four", "one", "three", "two"] and jit.compiled() == (4, 4)


def code_of(function) -> str:
    """What LLVM made of a function that Python has called."""
    return next(iter(function.overloads.values())).library.get_llvm_str()


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


@pytest.mark.parametrize("owner", linking.SHORT_NEEDS)
def test_names_that_short_loops_need_are_missing(chain, monkeypatch, owner):
    """Then loops are as numba makes them."""
    monkeypatch.setattr(linking, "RULES", "chain")
    monkeypatch.setitem(linking.SHORT_NEEDS, owner, ("no_such_name",))
    assert chain().four(10) == FOUR


def test_integers_of_any_width_share_their_code(tmp_path, monkeypatch):
    """Narrow ones are computed wide: 100 in eight bits doubles to 200."""
    monkeypatch.setattr(jit, "_dispatchers", [])
    (tmp_path / "widths.py").write_text(
        "from carc_env.compiling.jit import jit\n\n@jit\ndef twice(x):\n    return x + x\n\n"
        "@jit\ndef all_twice(a, b, x):\n    return twice(a[0]) + twice(b[0]) + twice(7) + twice(x)\n"
    )
    spec = importlib.util.spec_from_file_location("widths", tmp_path / "widths.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "widths", module)
    spec.loader.exec_module(module)
    assert module.all_twice(np.array([100], np.int8), np.array([1000], np.uint16), 0.5) == 200 + 2000 + 14 + 1
    assert list(module.twice.overloads) == [(numba.types.int64,), (numba.types.float64,)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_is_not_lost_in_what_llvm_calls(chain, monkeypatch):
    """Python ignores an error there; it comes when LLVM is done, and the next call compiles again."""
    press = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    finish = linking._Library._finalize_final_module
    with monkeypatch.context() as patch:
        patch.setattr(linking._Library, "_finalize_final_module", lambda library: (press(), finish(library)))
        module = chain()
        with pytest.raises(KeyboardInterrupt):
            module.four(10)
    assert module.four(10) == FOUR and signal.getsignal(signal.SIGINT) is signal.default_int_handler
