"""Contains the texts and drawings of the abbot."""
