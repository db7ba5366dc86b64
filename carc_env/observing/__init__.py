"""Computes the observations of one player: planes, global features, candidates, prospects, and the array `table`."""
