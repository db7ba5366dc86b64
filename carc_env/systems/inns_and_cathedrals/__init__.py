"""Inns & Cathedrals: what it is, says and shows."""
