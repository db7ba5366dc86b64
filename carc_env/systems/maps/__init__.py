"""Contains the settings and observations of Carcassonne Maps."""
