"""Darmstadt churches: what it is, says and shows."""
