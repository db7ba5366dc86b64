"""Computes the observations of one player: planes, global features, candidates, heuristic estimates, and the array
`table`.
"""
