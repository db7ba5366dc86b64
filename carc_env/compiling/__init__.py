"""The use of numba, in one place.

Compiled code imports only `jit`. Behind it, `cache` stores compiled code, `waiting` lets one process compile at a time,
`linking` makes functions part of their callers, and `private` lists the features of numba that it does not promise to
keep.
"""
