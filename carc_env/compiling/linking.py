"""Compiled functions that only compiled functions call: made part of their callers, and never machine code by
themselves.

By itself numba optimizes every function and makes machine code of it, and each caller takes over what it calls and does
all of it again. The rules are some 260 short functions that call each other ten deep, so that most of the time went
there. Here what is compiled for a caller stays as it was translated; only what Python calls is put together, optimized
and made machine code, once.

Wholes of the rules alone stay short: their loops are neither unrolled nor vectorized. They go over four sides, nine
squares or a few segments, and the code of a turn is longer than what a core has at hand; what fills arrays of
observations keeps numba's own way.

This needs names of numba that it does not promise to keep (`private`). So two tiny functions are tried first; where
that fails, each function is a whole: slower, and nothing else.
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

OPTIONS: dict[str, Any] = {"nogil": True}  # for `njit`, of what Python calls
PART: dict[str, Any] = {"nogil": True}  # for `overload`, of what compiled code calls
_works: bool | None = None  # whether parts can be made; None: not tried yet

if private.no_parts is None:

    class _Library(private.JITCodeLibrary):
        """The code of one function, and how to find that of all that it calls."""

        is_part = False
        stays_short = False
        environment = None  # of a part: numba's link from its code to Python, which a whole hands on
        parts = ()  # of a whole: all that it calls
        _joined = None

        def finalize(self) -> None:
            """A part stays as it is. A whole takes in all that it calls, and is optimized."""
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
            """What numba does, without making loops longer where the code stays short."""
            if self.stays_short:
                try:
                    self._optimize_but_stay_short()
                    return
                except (AttributeError, TypeError):  # another numba: then in its own way
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
            """What a caller takes in that knows nothing of parts: with all that is called."""
            if self.is_part and self._joined is None:
                self._joined = _module(self).clone()
                for library in below(self):
                    self._joined.link_in(_module(library), preserve=True)
            return self._joined if self.is_part else super()._get_module_for_linking()

    def _module(library: Any) -> Any:
        """The code of a library as others take it in; of a part its own function alone."""
        if is_part(library):
            return private.JITCodeLibrary._get_module_for_linking(library)
        return library._get_module_for_linking()

    def below(library: _Library) -> list[Any]:
        """All that a function calls and that those call, callers before what they call: a name that nobody asked for
        yet is left out.
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
        """What is left to do for a part, in place of making it run; and to let a whole's parts find Python."""

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
                # By what numba's callers know a part. It takes nothing but a function in C; nobody calls this one.
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
        """The types of a function's arguments. numba writes them out at each step; that of a game takes longer than
        many a step.
        """

        def __repr__(self) -> str:
            return "(...)"

    class _Whole(private.Compiler):
        """numba's own steps, with our library: for what Python calls."""

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
        """Likewise, for what compiled code calls."""

        is_part = True

    # Otherwise of the same options: numba keeps what it compiled for a caller of some options for such callers only.
    OPTIONS |= {"pipeline_class": _Whole}
    PART |= {"pipeline_class": _Part, "no_cpython_wrapper": False}


def try_out() -> None:
    """Find out, once a process and before anything of ours is compiled, whether parts can be made."""
    global _works
    if _works is None:
        _works = private.no_parts is None
        try:
            _works = _works and _can_link()
        except Exception:  # noqa: BLE001 - whatever another numba may do
            _works = False


def _can_link() -> bool:
    """Whether a function can be made of a part."""

    def one(x):
        return x + 1

    def two(x):
        return 2 * one(x)

    overload(one, jit_options=PART)(lambda x: one)
    whole = numba.njit(**OPTIONS)(two)
    return whole(20) == 42 and any(map(is_part, next(iter(whole.overloads.values())).library.parts))


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Let Ctrl-C wait until LLVM is done: Python ignores what is raised in functions that LLVM calls, and it would be
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
    """Whether a library is a part, which nothing can run by itself."""
    return getattr(library, "is_part", False)
