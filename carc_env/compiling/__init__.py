"""The part of carc_env that uses numba directly.

A module with compiled functions imports only `jit` from this subpackage. The module `jit` uses the other four modules:

- `cache` stores compiled code on disk.
- `waiting` lets only one process compile at a time.
- `linking` links functions into their callers.
- `private` lists the private features of numba that carc_env uses.
"""
