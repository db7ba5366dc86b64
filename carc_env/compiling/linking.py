"""Compiled functions that only compiled functions call: made part of their callers, and never machine code by
themselves.

By itself numba optimizes every function and makes machine code of it, and each caller takes over what it calls and does
all of it again. The rules are some 260 short functions that call each other ten deep, so that most of the time went
there. Here what is compiled for a caller stays as it was translated; only what Python calls is put together, optimized
and made machine code, once. A part that Python calls later is compiled once more, as a whole.

Wholes of the rules alone stay short: their loops are neither unrolled nor vectorized. They go over four sides, nine
squares or a few segments, and the code of a turn is longer than what a core has at hand; what fills arrays of
observations keeps numba's own way.

This needs names of numba that it does not promise to keep. Where one is missing each function is a whole: slower, and
nothing else.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = {  # that numba does not promise to keep, of what has them only while a function is compiled
    "library": ("_final_module", "_linking_libraries", "_reload_init", "_get_module_for_linking", "_ensure_finalized"),
    "flags": ("no_compile", "no_cpython_wrapper"),
    "targetctx": ("insert_user_function", "codegen"),
}
SHORT_NEEDS = {  # likewise, for wholes that stay short: of the module codegen, and of a codegen
    "module": ("ll", "create_pass_builder"),
    "codegen": ("_tm", "_loopvect", "_opt_level", "_module_pass_manager"),
}
RULES = "carc_env.rules."
UNUSED = {  # passes of numba's for what our code has none of, each of which takes its time for every function
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "AnnotateTypes",
    "DumpParforDiagnostics",
}

_makes_part = False  # whether what is compiled now is for a caller; changes under numba's own lock only

try:
    from numba.core import codegen as numba_codegen
    from numba.core import config
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_machinery import LoweringPass, register_pass
    from numba.core.sigutils import normalize_signature
    from numba.core.typed_passes import NativeLowering
except ImportError:
    OPTIONS: dict[str, Any] = {}
else:

    class _Library(JITCodeLibrary):
        """The code of one function, and how to find that of all that it calls."""

        is_part = False
        stays_short = False
        environment = None  # of a part: numba's link from its code to Python, which a whole hands on
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
            if not self.stays_short:
                super()._optimize_final_module()
                return
            codegen = self._codegen
            passes, builder = codegen._module_pass_manager(
                loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
            )
            passes.run(self._final_module, builder)
            options = numba_codegen.ll.create_pipeline_tuning_options()
            options.speed_level = config.OPT
            options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
            builder = numba_codegen.ll.create_pass_builder(codegen._tm, options)
            builder.getModulePassManager().run(self._final_module, builder)

        def _get_module_for_linking(self) -> Any:
            """What a caller takes in that knows nothing of parts: with all that is called."""
            if self.is_part and self._joined is None:
                self._joined = _module(self).clone()
                for library in below(self):
                    self._joined.link_in(_module(library), preserve=True)
            return self._joined if self.is_part else super()._get_module_for_linking()

    def _module(library: JITCodeLibrary) -> Any:
        """The code of a library as others take it in; of a part its own function alone."""
        return (
            JITCodeLibrary._get_module_for_linking(library) if is_part(library) else library._get_module_for_linking()
        )

    def below(library: _Library) -> list[JITCodeLibrary]:
        """All that a function calls and that those call, callers before what they call: a name that nobody asked for
        yet is left out.
        """
        done: dict[JITCodeLibrary, None] = {}

        def visit(caller: JITCodeLibrary) -> None:
            for called in caller._linking_libraries:
                if called not in done:
                    if is_part(called):
                        visit(called)
                    done[called] = None

        visit(library)
        return list(done)[::-1]

    def _can_stay_short(codegen: Any) -> bool:
        """Whether there is all that it takes; in an older numba passes were put together in another way."""
        return all(
            hasattr(owner, name)
            for owner, names in zip((numba_codegen, codegen), SHORT_NEEDS.values())
            for name in names
        )

    class _Arguments(tuple):
        """The types of a function's arguments. numba writes them out at each step; that of a game takes longer than
        many a step.
        """

        def __repr__(self) -> str:
            return "(...)"

    class _Name:
        """By what numba's callers know a part."""

    @register_pass(mutates_CFG=False, analysis_only=True)
    class _Finish(LoweringPass):
        """What is left to do for a part, in place of making it run; and to let a whole's parts find Python."""

        _name = "carc_env_finish"

        def __init__(self) -> None:
            LoweringPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            library, lowered = state.library, state["cr"]
            if library.is_part:
                if getattr(state.func_id.func, "inline", False):
                    library._final_module.get_function(lowered.fndesc.llvm_func_name).add_function_attribute(
                        "alwaysinline"
                    )
                library.environment, name = lowered.env, _Name()
                state.targetctx.insert_user_function(name, lowered.fndesc, [library])
                state.reload_init.extend(library._reload_init)
                state["cr"] = lowered._replace(cfunc=name)
            else:
                names = {variable.name for variable in library._final_module.global_variables}
                for environment in filter(None, (getattr(part, "environment", None) for part in library.parts)):
                    if environment.env_name in names:
                        library.codegen.set_env(environment.env_name, environment)
            return True

    class _Pipeline(Compiler):
        """numba's own steps, with our library."""

        def define_pipelines(self) -> list[Any]:
            state = self.state
            library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
            if not all(
                hasattr(owner, name)
                for owner, names in zip((library, state.flags, state.targetctx), NAMES.values())
                for name in names
            ):
                return super().define_pipelines()
            library.stays_short = state.func_id.modname.startswith(RULES) and _can_stay_short(library._codegen)
            state.library, state.args = library, _Arguments(state.args)
            state.library.enable_object_caching()
            if _makes_part:
                state.library.is_part = state.flags.no_compile = state.flags.no_cpython_wrapper = True
            if not _pipelines:
                _pipelines.extend(map(_shortened, super().define_pipelines()))
            return _pipelines

    _pipelines: list[Any] = []  # the same for all functions, so made once

    def _shortened(pipeline: Any) -> Any:
        """numba's steps for a function, less those that ours have no use for, and with our last one."""
        pipeline.add_pass_after(_Finish, NativeLowering)
        pipeline.passes = [(one, what) for one, what in pipeline.passes if one.__name__ not in UNUSED]
        pipeline.finalize()
        return pipeline

    OPTIONS = {"pipeline_class": _Pipeline}


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


@contextmanager
def making(dispatcher: Any, signature: Any, part: bool) -> Iterator[None]:
    """Compile a function as a part or as a whole; in the latter case a part of that signature is forgotten."""
    global _makes_part
    before, _makes_part = _makes_part, part
    try:
        if OPTIONS and not part:
            arguments = tuple(normalize_signature(signature)[0])
            if is_part(getattr(dispatcher.overloads.get(arguments), "library", None)):
                del dispatcher.overloads[arguments]
        yield
    finally:
        _makes_part = before


def add_overload(dispatcher: Any, result: Any) -> None:
    """What numba does with a compiled function; a part is for callers only."""
    if is_part(result.library):
        dispatcher.overloads[tuple(result.signature.args)] = result
    else:
        type(dispatcher).add_overload(dispatcher, result)


def wholes(dispatcher: Any) -> int:
    """For how many signatures there is code of a function that Python can call."""
    return sum(not is_part(result.library) for result in dispatcher.overloads.values())
