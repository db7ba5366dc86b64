"""Tests of the rules on a GPU. Most tests need no GPU. If there is a GPU, its games must equal those of the CPU."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numba
import numpy as np
import pytest

from carc_env import Games, presets
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.compiling import cache, jit
from carc_env.envs import gpu
from carc_env.rules import batch
from carc_env.rules.answers import ROOM
from carc_env.rules.state import whole_game
from carc_env.setup.config import as_config
from carc_env.setup.template import template

ROOT = Path(__file__).parents[1]
RULES = sorted((ROOT / "carc_env" / "rules").rglob("*.py"))
CONSTANT_MEMORY = 1 << 16  # bytes of constant memory on every GPU
GAMES = 20  # games of each preset
SIZES = sorted({as_config(preset).table_size for preset in presets()})  # table sizes; each size has its own kernel

needs_numba_cuda = pytest.mark.skipif(gpu.cuda is None, reason="numba-cuda is not installed")
compiles_once = pytest.mark.skipif(
    not jit.is_compiled() or cache.checking_mode() != "plain",
    reason="code for a GPU is the same in all modes, and made where rules are compiled as usual",
)


class Translated(Exception):
    """Raised in place of calling NVIDIA's compiler, with the modules that numba-cuda passes to it."""


def translated(size: int) -> list[str]:
    """Return the modules that numba-cuda passes to NVIDIA's compiler for the kernel of this table size."""
    from numba.cuda.cudadrv import nvvm

    def stop(modules: list[str], *_, **options: object) -> None:
        raise Translated(modules)

    with mock.patch.object(nvvm, "compile_ir", stop), pytest.raises(Translated) as stopped:
        gpu.compile_ptx((9, 0), size)
    return stopped.value.args[0]


def linked(ptx: str) -> int:
    """Link PTX to machine code for compute capability 9.0, and return the size of the machine code in bytes."""
    from cuda.bindings import nvjitlink

    linker = nvjitlink.create(1, ["-arch=sm_90"])
    try:
        nvjitlink.add_data(linker, nvjitlink.InputType.PTX, ptx.encode(), len(ptx), "kernel")
        nvjitlink.complete(linker)
        return nvjitlink.get_linked_cubin_size(linker)
    finally:
        nvjitlink.destroy(linker)


def assert_equals_cpu(play, preset: str, n: int) -> None:
    rng = np.random.default_rng(5)
    seeds, chances = rng.integers(2**63, size=n), rng.integers(1, 2**32, (n, 2))
    games = Games(preset, n, seeds)
    records, decisions = play(preset, seeds, chances.copy())
    assert batch.play_random(games.records, tile_table(), chances) == decisions.sum()
    assert records.tobytes() == games.records.tobytes()


@needs_numba_cuda
def test_what_is_compiled_for_a_gpu():
    """Checks that the kernel is compiled with the types of its arguments and for the requested compute capability."""
    with mock.patch.object(gpu.cuda, "compile_ptx", return_value=("code", None)) as compile_ptx:
        assert gpu.compile_ptx((8, 6)) == "code"
    (function, signature), options = compile_ptx.call_args
    assert function is gpu.play and options == {"cc": (8, 6)}
    assert len(signature.args) == len(gpu.arguments(25))
    assert [(argument.ndim, argument.dtype) for argument in signature.args] == [
        (axes, numba.from_dtype(np.dtype(dtype))) for dtype, axes in gpu.arguments(25)
    ]


@needs_numba_cuda
@compiles_once
@pytest.mark.stress
@pytest.mark.parametrize("size", SIZES)
def test_kernel_becomes_machine_code(size):
    """Checks that NVIDIA's compiler makes PTX from the kernel, and that NVIDIA's linker makes machine code from the
    PTX.
    """
    ptx = gpu.compile_ptx((9, 0), size)
    assert len(re.findall(r"\.visible \.entry (\w+)", ptx)) == 1
    assert ".target sm_90" in ptx and ".extern" not in ptx
    assert sum(map(int, re.findall(r"^\.const .*?\[(\d+)\]", ptx, re.MULTILINE))) < CONSTANT_MEMORY
    assert linked(ptx) > 0


@needs_numba_cuda
@compiles_once
@pytest.mark.stress
@pytest.mark.parametrize("size", SIZES)
def test_kernel(size):
    """Runs on the CPU the code that NVIDIA's compiler would get, and checks that it plays the same games as the rules,
    to the byte.
    """
    from tests import gpu_on_cpu

    modules = translated(size)
    (name,) = re.findall(r"^define .*?@\"?(\w+)\"?\(", modules[0], re.MULTILINE)[-1:]
    kernel = gpu_on_cpu.compiled(modules, name)

    def play(preset, seeds, chances):
        game = whole_game(size)
        records, rooms, decisions = (
            np.full(len(seeds) * game.itemsize, 99, np.int8).view(game),
            np.zeros(len(seeds), ROOM),
            np.zeros(len(seeds), np.int64),
        )
        words, drawing = batch.generators(seed_words(seeds)), batch.generators(chances)
        for i in range(len(seeds)):
            kernel(i, records, tile_table(), template(as_config(preset)), words, drawing, rooms, decisions)
        return records, decisions

    for preset in presets():
        if as_config(preset).table_size == size:
            assert_equals_cpu(play, preset, GAMES)


@needs_numba_cuda
@compiles_once
@pytest.mark.skipif(gpu.cuda is not None and not gpu.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("preset", presets())
def test_equality_on_a_gpu(preset):
    assert_equals_cpu(gpu.play_random, preset, 50 * GAMES)


@needs_numba_cuda
def test_simulator():
    """Checks that games in numba's simulator of a GPU, where all code is plain Python, equal those of the CPU."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "carc_env.envs.gpu", "--games", "2", "--preset", "goldmines"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("goldmines: 2 games, all equal"), done.stderr


@needs_numba_cuda
@pytest.mark.skipif(gpu.cuda is not None and gpu.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu():
    with pytest.raises(gpu.GpuError, match="no GPU was found"):
        gpu.play_random("base", [0], [[1, 1]])


def test_without_numba_cuda():
    with mock.patch.object(gpu, "cuda", None):
        for call in (gpu.compile_ptx, lambda: gpu.play_random("base", [0], [[1, 1]])):
            with pytest.raises(gpu.GpuError, match=r"pip install \"\.\[cuda\]\""):
                call()


# --- what rules may do on a GPU ---------------------------------------------------------------------------------------
MAKES = (
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.Raise,
    ast.Try,
    ast.Lambda,
    ast.With,
    ast.Yield,
)
CALLED = {"int", "bool", "int64", "min", "max", "range", "divmod", "abs", "each_of"}


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_rules_make_nothing(path):
    """Checks that a compiled function for a single game creates no array, list or exception, and calls only other rules
    and plain arithmetic.
    """
    tree = ast.parse(path.read_text())
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("carc_env.rules")
        for alias in node.names
    }
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    known = CALLED | modules | {function.name for function in functions}
    for function in functions:
        # Python calls these functions, a GPU does not
        over_many = [argument.arg for argument in function.args.args][:1] in (["games"], ["chances"])
        if any(ast.unparse(decorator) == "jit" for decorator in function.decorator_list) and not over_many:
            for node in ast.walk(function):
                where = f"{path.name}, line {getattr(node, 'lineno', '')}"
                assert not isinstance(node, MAKES), f"{where}: {function.name} makes {ast.unparse(node)}"
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    assert name in known or name.split(".")[0] in modules or name in ("np.int64", "np.uint32"), (
                        f"{where}: {name} is called"
                    )
