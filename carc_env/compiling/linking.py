"""Linking: compiled functions that only compiled functions call become part of their callers, and never machine code of
their own.

By default numba optimizes each function and makes machine code of it, and each caller then copies what it calls and
does all of this again. The rules have some 260 short functions that call each other ten levels deep, so most of the
compile time was spent there. Here a function compiled for a caller is only translated. Only the functions that Python
calls are put together, optimized and turned into machine code, once.

Functions of the rules alone stay short: their loops are neither unrolled nor vectorized. The loops go over four sides,
nine squares or a few segments, and longer code for a turn would not fit in the instruction cache of a core. The
functions that fill the arrays of observations are optimized in numba's own way.

This needs names that numba does not promise to keep (`private`). So it is first tried with two tiny functions. If that
fails, each function is compiled as a whole: this is slower, but everything works.
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

OPTIONS: dict[str, Any] = {"nogil": True}  # for `njit`, for functions that Python calls
PART: dict[str, Any] = {"nogil": True}  # for `overload`, for functions that compiled code calls
_works: bool | None = None  # True if parts can be made; None before the trial

if private.no_parts is None:

    class _Library(private.JITCodeLibrary):
        """The code of one function, and links to the code of everything that it calls."""

        is_part = False
        stays_short = False
        environment = None  # for a part: numba's link from its code to Python, which a whole passes on
        parts = ()  # for a whole: everything that it calls
        _joined = None

        def finalize(self) -> None:
            """Leave a part as it is. A whole takes in everything that it calls and is optimized."""
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
            """Optimize as numba does, but without making loops longer if the code should stay short."""
            if self.stays_short:
                try:
                    self._optimize_but_stay_short()
                    return
                except (AttributeError, TypeError):  # another version of numba: use its own way
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
            """The code for a caller that does not know about parts, with everything that it calls."""
            if self.is_part and self._joined is None:
                self._joined = _module(self).clone()
                for library in below(self):
                    self._joined.link_in(_module(library), preserve=True)
            return self._joined if self.is_part else super()._get_module_for_linking()

    def _module(library: Any) -> Any:
        """The code of a library for a caller. For a part this is only its own function."""
        if is_part(library):
            return private.JITCodeLibrary._get_module_for_linking(library)
        return library._get_module_for_linking()

    def below(library: _Library) -> list[Any]:
        """Everything that a function calls directly or indirectly. Callers come before the functions that they call,
        because a name that nobody has used yet is left out.
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
        """The last compiler step for a part, instead of making it executable. For a whole, it lets the parts find
        Python.
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
                # This is how numba's callers identify a part. It must be a C function, but it is never called.
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
        """The types of a function's arguments. numba writes them as text at each step, which for a game takes longer
        than many a step itself.
        """

        def __repr__(self) -> str:
            return "(...)"

    class _Whole(private.Compiler):
        """numba's own compiler steps with our library, for functions that Python calls."""

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
        """The same steps for functions that compiled code calls."""

        is_part = True

    # The other options are equal, because numba reuses compiled functions only for callers with the same options.
    OPTIONS |= {"pipeline_class": _Whole}
    PART |= {"pipeline_class": _Part, "no_cpython_wrapper": False}


def try_out() -> None:
    """Find out, once for each process and before compiling anything, if parts can be made."""
    global _works
    if _works is None:
        _works = private.no_parts is None
        try:
            _works = _works and _can_link()
        except Exception:  # noqa: BLE001 - whatever another numba may do
            _works = False


def _can_link() -> bool:
    """True if a function can be made with a part."""

    def one(x):
        return x + 1

    def two(x):
        return 2 * one(x)

    overload(one, jit_options=PART)(lambda x: one)
    whole = numba.njit(**OPTIONS)(two)
    return whole(20) == 42 and any(map(is_part, next(iter(whole.overloads.values())).library.parts))


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Delay Ctrl-C until LLVM has finished: Python ignores exceptions in functions that LLVM calls, so it would be
    lost.
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
    """True if a library is a part, which cannot run alone."""
    return getattr(library, "is_part", False)
