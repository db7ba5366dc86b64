"""The configuration of a game, and the record with which every game of a configuration starts."""
