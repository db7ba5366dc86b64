"""Observations of one player: planes, globals, candidates, prospects, and the array `table`."""
