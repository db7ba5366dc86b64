"""Contains the settings and observation features of Carcassonne Maps."""
