"""The dict `WAYS` lists all uses of private features of numba.

A later version of numba can change the private features. The results of games do not depend on private features of
numba. The module `jit` itself uses only public features (`njit`, `overload` and a custom pipeline). If the installed
numba lacks a feature listed in `WAYS`, functions are compiled without this feature. Compilation may then be slower, or
every process may have to compile again. `tests/test_private.py` disables the entries of `WAYS`, one at a time and all
at once, and plays games each time. `python -m tests.private` measures how much time each entry of `WAYS` saves.
"""

from typing import NamedTuple

import numba


class Way(NamedTuple):
    """An entry of `WAYS`: some private features of numba, the reason for using them, and the gain."""

    what: str  # the private names that are used
    why: str
    gain: str  # the gain, measured with `python -m tests.private`
    without: str  # the effect if the names are missing or have another meaning


WAYS = {
    "cache": Way(
        "Dispatcher._cache and its methods load_overload and save_overload; CompileResult._reduce and _rebuild; "
        "serialize.dumps; CodeLibrary.has_dynamic_globals; codegen().magic_tuple; target.refresh",
        "numba's own cache does not detect an edit in another file, and is not safe for concurrent writers (`cache`)",
        "a later process plays its first action after 0.9 s instead of 14.1; the first process after 15.6 s",
        "nothing is stored: every process compiles, and `carc doctor` reports the reason",
    ),
    "names": Way(
        "Record.mangling_args",
        "numba numbers the record types separately in each process; code for two table sizes, compiled in two "
        "processes, could therefore have the same name (`cache`)",
        "no time; without it, a stored function could call a wrong function",
        "nothing is stored, as for `cache`: the names are checked before code is stored",
    ),
    "waiting": Way(
        "Dispatcher.compile, replaced in each dispatcher that Python calls",
        "only one process at a time compiles for a record type, and the others load the result; waiting is reported "
        "(`waiting`)",
        "no time for one process; of several processes, one compiles and the others load",
        "processes that begin at the same time all compile, and nothing is reported",
    ),
    "parts": Way(
        "JITCodeLibrary and its _final_module, _linking_libraries, _reload_init, _get_module_for_linking and "
        "_finalized; NativeLowering, LoweringPass; the flags no_compile, no_cpython_wrapper and no_cfunc_wrapper; "
        "targetctx.insert_user_function; codegen().set_env; Compiler.define_pipelines with add_pass_after",
        "a function that compiled functions call is optimized once, as part of what Python calls (`linking`)",
        "13.6 s to the first action instead of 36.5",
        "every function is optimized and turned into machine code on its own; each process first tries linking with "
        "two tiny functions",
    ),
    "short": Way(
        "JITCodeLibrary._optimize_final_module; codegen.ll.create_pass_builder and create_pipeline_tuning_options; "
        "CPUCodegen._tm, _loopvect, _opt_level and _module_pass_manager",
        "the loops of the rules run over four sides or nine squares; if they are neither unrolled nor vectorized, the "
        "code of a turn fits in the instruction cache of a core (`linking`)",
        "33,400 random games a second instead of 31,700; compiling takes as long",
        "loops are optimized as numba does by default",
    ),
    "arguments": Way(
        "CompilerBase.state.args, replaced by a tuple with a short text",
        "numba formats the types of a function's arguments at each step of the compiler; for a game, this takes longer "
        "than many of the steps (`linking`)",
        "14.1 s to the first action instead of 15.8",
        "the full texts are formatted",
    ),
}

no_cache: str | None = None  # if a private name is missing: the reason why nothing can be stored
no_parts: str | None = None  # if a private name is missing: the reason why linking is impossible

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
