"""A second implementation of Carcassonne, slow and simple, written from the rulebook alone to check the engine."""
