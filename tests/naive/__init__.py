"""A second Carcassonne, written from the rulebook alone, slow and obvious, to check the engine against."""
