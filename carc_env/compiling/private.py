"""All uses of numba that it does not promise to keep, in one table: `WAYS`.

No game depends on them. `jit` alone uses only public features of numba (`njit`, `overload`, a custom pipeline). If
something of the table is missing, numba compiles in its usual way: more slowly, or again in every process, but with the
same results. `tests/test_private.py` disables each entry and plays; `python -m tests.private` measures the gain of
each.
"""

from typing import NamedTuple

import numba


class Way(NamedTuple):
    """One use of numba beyond what it has published."""

    what: str  # the names that it needs
    why: str
    gain: str  # measured with `python -m tests.private`
    without: str  # what happens if the names are missing or have another meaning


WAYS = {
    "cache": Way(
        "Dispatcher._cache and its methods load_overload and save_overload; CompileResult._reduce and _rebuild; "
        "serialize.dumps; CodeLibrary.has_dynamic_globals; codegen().magic_tuple; target.refresh",
        "numba's own cache does not notice an edit in another file, nor is it made for several writers (`cache`)",
        "a later process gives its first answer after 0.9 s instead of 14.1; the first one after 15.6",
        "nothing is kept: every process compiles, and `carc doctor` says why",
    ),
    "names": Way(
        "Record.mangling_args",
        "numba names a record by a number that each process counts for itself, so that code which two processes have "
        "compiled for tables of two sizes would go by one name (`cache`)",
        "none in time: without it a kept function could call the wrong one",
        "nothing is kept, as with `cache`: what is to be kept is checked for such names",
    ),
    "waiting": Way(
        "Dispatcher.compile, replaced in each dispatcher that Python calls",
        "one process compiles at a time for games of one kind, and the others load what it made; who waits is told "
        "(`waiting`)",
        "none in the time of one process; of several, one compiles and the others load",
        "processes that begin at the same time compile at the same time, and nobody is told",
    ),
    "parts": Way(
        "JITCodeLibrary and its _final_module, _linking_libraries, _reload_init, _get_module_for_linking and "
        "_finalized; NativeLowering, LoweringPass; the flags no_compile, no_cpython_wrapper and no_cfunc_wrapper; "
        "targetctx.insert_user_function; codegen().set_env; Compiler.define_pipelines with add_pass_after",
        "a function that compiled functions call is optimized once, as part of what Python calls (`linking`)",
        "13.6 s to the first answer instead of 36.5",
        "every function is optimized and made machine code by itself; tried with two tiny functions before a process "
        "compiles its first",
    ),
    "short": Way(
        "JITCodeLibrary._optimize_final_module; codegen.ll.create_pass_builder and create_pipeline_tuning_options; "
        "CPUCodegen._tm, _loopvect, _opt_level and _module_pass_manager",
        "the loops of the rules go over four sides or nine squares: neither unrolled nor vectorized, the code of a turn "
        "is short enough for a core to have at hand (`linking`)",
        "33,400 random games a second instead of 31,700; compiling takes as long",
        "loops are as numba makes them",
    ),
    "arguments": Way(
        "CompilerBase.state.args, a tuple that is never asked for its text",
        "numba writes the types of a function's arguments out at each of its steps; that of a game takes longer than "
        "many a step (`linking`)",
        "14.1 s to the first answer instead of 15.8",
        "the types are written out",
    ),
}

no_cache: str | None = None  # the reason why nothing can be stored: a missing name
no_parts: str | None = None  # the reason why no parts can be made

try:
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps
except ImportError as error:
    no_cache = f"numba {numba.__version__} is not what the cache was made for: {error}"

try:
    from numba.core import codegen, config
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_machinery import LoweringPass, register_pass
    from numba.core.typed_passes import NativeLowering
except ImportError as error:
    no_parts = f"numba {numba.__version__} is not what parts were made for: {error}"

__all__ = [
    "WAYS",
    "CompileResult",
    "Compiler",
    "JITCodeLibrary",
    "LoweringPass",
    "NativeLowering",
    "Way",
    "codegen",
    "config",
    "dumps",
    "no_cache",
    "no_parts",
    "register_pass",
]
