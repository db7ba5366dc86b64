"""The part of carc_env that uses numba directly.

The module `jit` defines the decorator of compiled functions. Modules that define compiled functions import no other
module of this subpackage. The other four modules of this subpackage have the following tasks:

- `cache` stores compiled code on disk.
- `waiting` lets a process wait while another process compiles the same code.
- `linking` compiles inner functions as parts of their callers.
- `private` lists the private features of numba that carc_env uses.
"""
