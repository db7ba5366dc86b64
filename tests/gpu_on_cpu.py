"""Runs code that numba-cuda compiled for a GPU on the CPU.

numba-cuda passes LLVM IR to NVIDIA's compiler. Only a few names in the IR are specific to GPUs. Once these names are
replaced, LLVM can compile the IR for the CPU. In this way, everything that numba-cuda does to the rules can be tested
without a GPU.
"""

import ctypes
import re
from collections.abc import Callable, Sequence

import llvmlite.binding as llvm
import numpy as np

# a pointer with the type that it points to; newer versions of LLVM know only `ptr`
POINTER = re.compile(r"(?:[\w.]+|\[[^][]*\]|\{[^{}]*\})( addrspace\(\d+\))?\*")
REGISTERS = """
@thread = global i32 0
define i32 @"register.tid.x"() {
  %number = load i32, ptr @thread
  ret i32 %number
}
define i32 @"register.ctaid.x"() {
  ret i32 0
}
define i32 @"register.ntid.x"() {
  ret i32 1
}
"""  # the grid has one block; `thread` is the number of the thread that runs


def translated(text: str, layout: str) -> str:
    """Return LLVM IR for a GPU as LLVM IR for this CPU."""
    text = re.sub(r"^target triple.*", f'target triple = "{llvm.get_default_triple()}"', text, flags=re.MULTILINE)
    text = re.sub(r"^target datalayout.*", f'target datalayout = "{layout}"', text, flags=re.MULTILINE)
    text = re.sub(r"^(!|@\"?llvm\.used).*|, !\w+ !\d+", "", text, flags=re.MULTILINE)  # metadata for NVIDIA's compiler
    text = text.replace("llvm.nvvm.read.ptx.sreg", "register")
    while "*" in (text := POINTER.sub(r"ptr\1", text)):
        pass
    return text


def compiled(modules: Sequence[str], kernel: str) -> Callable[..., None]:
    """Return the kernel with this name as a Python function. Its arguments are the number of a thread and the arguments
    of the kernel, which must all be arrays.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    program = llvm.parse_assembly(REGISTERS)
    for text in dict.fromkeys(modules):
        program.link_in(llvm.parse_assembly(translated(text, str(machine.target_data))))
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(program, passes)
    engine = llvm.create_mcjit_compiler(program, machine)
    engine.finalize_object()
    thread = ctypes.c_int32.from_address(engine.get_global_value_address("thread"))
    address = engine.get_function_address(kernel)

    def run(number: int, *arrays: np.ndarray) -> None:
        thread.value = number
        words = [
            word
            for array in arrays
            for word in (0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides)
        ]
        ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(words))(address)(*words)
        assert engine  # keeps the engine alive, because the engine owns the code

    return run
