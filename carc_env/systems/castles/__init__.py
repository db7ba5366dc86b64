"""Castles: what it is, says and shows."""
