"""Carcassonne Maps: settings and observations."""
