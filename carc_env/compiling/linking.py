"""Link compiled functions into their callers.

If a function is called only by compiled functions, it becomes part of each caller and has no machine code of its own.

By default, numba optimizes each function and generates machine code for it. Numba then copies the code of the function
into each caller, optimizes the caller and generates machine code again. The code of the rules has about 380 short
functions, which call each other up to ten levels deep. Optimizing the rules repeatedly would take most of the compile
time.

If a function is called only by compiled functions, this module generates LLVM code for it, but no machine code. A
function that Python calls is linked with all functions that it calls directly or indirectly. The linked code is
optimized and turned into machine code only once.

Some functions of the rules are called by Python. The loops in their linked code are neither unrolled nor vectorized.
The loops in the rules have few iterations: they run over four sides, nine squares or a few segments. With unrolled or
vectorized loops, the code for one turn would not fit in the instruction cache of a core. Functions outside the rules,
such as those that fill the arrays of observations, keep numba's default optimization. A function of the rules also gets
the default optimization where it is linked into a function outside the rules.

Linking uses private features of numba (see `private`), so a test with two tiny functions first checks that linking
works. If this test fails, numba compiles each function in the default way, and compiling takes longer.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.extending import overload

from carc_env.compiling import private

RULES = "carc_env.rules."

OPTIONS: dict[str, Any] = {"nogil": True}  # options of `njit`, for functions that Python calls
PART: dict[str, Any] = {"nogil": True}  # options of `overload`, for functions that compiled code calls
_works: bool | None = None  # True if linking works; None before `try_out` is called

if private.no_parts is None:

    class _Library(private.JITCodeLibrary):
        """The code of one function, with references to the code of the functions that it calls.

        `is_part` is True for a function that compiled code calls, and False for a function that Python calls.
        """

        is_part = False
        stays_short = False
        environment = None  # if `is_part`: the numba environment through which the code accesses Python objects
        parts = ()  # if not `is_part`: the libraries of all functions that are called, directly or indirectly
        _joined = None

        def finalize(self) -> None:
            """Link and optimize a function that Python calls.

            The function is linked with all functions that it calls directly or indirectly. If the function is called
            only from compiled code, nothing is linked or optimized.
            """
            if self.is_part:
                self._finalized = True
                return
            self.parts, self._linking_libraries = below(self), []
            for library in self.parts:
                self._final_module.link_in(_module(library), preserve=True)
                self._reload_init.update(library._reload_init)
            with interrupted_afterwards():
                super().finalize()

        def _optimize_final_module(self) -> None:
            """Optimize the code with numba's optimization passes. If `stays_short` is True, loops are neither unrolled
            nor vectorized.
            """
            if self.stays_short:
                try:
                    self._optimize_but_stay_short()
                    return
                except (AttributeError, TypeError):  # another version of numba: use its default optimization
                    pass
            super()._optimize_final_module()

        def _optimize_but_stay_short(self) -> None:
            codegen, ll = self._codegen, private.codegen.ll
            passes, builder = codegen._module_pass_manager(
                loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
            )
            passes.run(self._final_module, builder)
            options = ll.create_pipeline_tuning_options()
            options.speed_level = private.config.OPT
            options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
            builder = ll.create_pass_builder(codegen._tm, options)
            builder.getModulePassManager().run(self._final_module, builder)

        def _get_module_for_linking(self) -> Any:
            """Return the code of a function together with the code of all functions that it calls.

            Numba links this code into callers that are compiled without the module `linking`.
            """
            if self.is_part and self._joined is None:
                self._joined = _module(self).clone()
                for library in below(self):
                    self._joined.link_in(_module(library), preserve=True)
            return self._joined if self.is_part else super()._get_module_for_linking()

    def _module(library: Any) -> Any:
        """Return the LLVM module of a library, for linking into a caller.

        If the attribute `library.is_part` is True, the LLVM module contains only the function itself, without the
        functions that it calls.
        """
        if is_part(library):
            return private.JITCodeLibrary._get_module_for_linking(library)
        return library._get_module_for_linking()

    def below(library: _Library) -> list[Any]:
        """Return the libraries of all functions that a function calls directly or indirectly.

        In the returned list, the library of a caller comes before the libraries of the called functions. LLVM would
        remove a function if it were linked before its first caller.
        """
        done: dict[Any, None] = {}

        def visit(caller: Any) -> None:
            for called in caller._linking_libraries:
                if called not in done:
                    if is_part(called):
                        visit(called)
                    done[called] = None

        visit(library)
        return list(done)[::-1]

    @private.register_pass(mutates_CFG=False, analysis_only=True)
    class _Finish(private.LoweringPass):
        """A compiler pass that runs after numba has translated a function to LLVM code.

        For a function that compiled code calls, the pass registers the LLVM code, so that the callers can be linked
        with it. For a function that Python calls, the pass registers the `Environment` objects of all functions that
        have been linked into it.
        """

        _name = "carc_env_finish"

        def __init__(self) -> None:
            private.LoweringPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            library, lowered = state.library, state["cr"]
            if library.is_part:
                if getattr(state.func_id.func, "inline", False):
                    library._final_module.get_function(lowered.fndesc.llvm_func_name).add_function_attribute(
                        "alwaysinline"
                    )
                # In the callers, the object `name` stands for the function. The object must be a C function, but it is
                # never called.
                library.environment, name = lowered.env, object().__reduce__
                state.targetctx.insert_user_function(name, lowered.fndesc, [library])
                state.reload_init.extend(library._reload_init)
                state["cr"] = lowered._replace(cfunc=name)
            else:
                names = {variable.name for variable in library._final_module.global_variables}
                for environment in filter(None, (getattr(part, "environment", None) for part in library.parts)):
                    if environment.env_name in names:
                        library.codegen.set_env(environment.env_name, environment)
            return True

    class _Arguments(tuple):
        """A tuple of argument types whose `repr` is a short string.

        Numba converts the tuple of argument types to text at each step of the compiler. Converting the full type of a
        game state to text would often take longer than the compiler's step itself.
        """

        def __repr__(self) -> str:
            return "(...)"

    class _Whole(private.Compiler):
        """Compiles functions that Python calls.

        The class runs all passes of numba's own compiler, and the additional pass `_Finish`. The class writes the code
        to a `_Library`.
        """

        is_part = False

        def define_pipelines(self) -> list[Any]:
            pipelines, state = super().define_pipelines(), self.state
            if _works:
                library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
                library.enable_object_caching()
                library.stays_short = state.func_id.modname.startswith(RULES)
                library.is_part = state.flags.no_compile = state.flags.no_cpython_wrapper = self.is_part
                state.library, state.args, state.flags.no_cfunc_wrapper = library, _Arguments(state.args), True
                for pipeline in pipelines:
                    pipeline.add_pass_after(_Finish, private.NativeLowering)
                    pipeline.finalize()
            return pipelines

    class _Part(_Whole):
        """Compiles functions that are called from compiled code. The class runs the same steps as `_Whole`."""

        is_part = True

    # OPTIONS and PART must not differ, except in `pipeline_class`, because numba reuses a compiled function only for
    # callers with the same options.
    OPTIONS |= {"pipeline_class": _Whole}
    PART |= {"pipeline_class": _Part, "no_cpython_wrapper": False}


def try_out() -> None:
    """Find out whether linking works with the installed version of numba.

    The test runs once in each process, before anything is compiled.
    """
    global _works
    if _works is None:
        _works = private.no_parts is None
        try:
            _works = _works and _can_link()
        except Exception:  # noqa: BLE001 - another version of numba may raise anything
            _works = False


def _can_link() -> bool:
    """Test linking with two small functions, one of which calls the other.

    Return True if linking is possible and the linked function returns the right result.
    """

    def one(x):
        return x + 1

    def two(x):
        return 2 * one(x)

    overload(one, jit_options=PART)(lambda x: one)
    whole = numba.njit(**OPTIONS)(two)
    return whole(20) == 42 and any(map(is_part, next(iter(whole.overloads.values())).library.parts))


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Delay Ctrl-C in the `with` block until LLVM has finished. If Ctrl-C raised KeyboardInterrupt in a Python function
    that LLVM calls, Python would ignore the exception.
    """
    caught: list[tuple[int, Any]] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *details: caught.append(details))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        before(*caught[0])


def is_part(library: Any) -> bool:
    """Return True if a numba code library belongs to a function that compiled code calls.

    The library of a function that compiled code calls must be linked with other libraries before its code can run.
    """
    return getattr(library, "is_part", False)
