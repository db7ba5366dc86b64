"""Shrines: what it is, says and shows."""
