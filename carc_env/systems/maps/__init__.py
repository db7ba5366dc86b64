"""Carcassonne Maps: what it is, says and shows."""
