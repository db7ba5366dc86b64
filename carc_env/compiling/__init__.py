"""What we ask of numba, all in one place.

`jit` is all that compiled code imports. Behind it: `cache` keeps what was compiled, `waiting` lets one process compile at
a time, `linking` makes functions part of their callers, and `private` lists what of this numba does not promise to keep.
"""
