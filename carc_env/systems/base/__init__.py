"""Contains the decisions, texts, events and drawings of the base game."""
