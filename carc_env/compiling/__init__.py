"""The part of carc_env that uses numba directly.

A module with compiled functions imports only `jit` from this subpackage. The module `jit` uses the other four modules:

- `cache` stores compiled code on disk.
- `waiting` ensures that at most one process is compiling at any time.
- `linking` compiles inner functions as parts of their callers.
- `private` lists the private features of numba that carc_env uses.
"""
