"""Carcassonne: what it is, says and shows."""
