"""Contains the configuration of a game, and the initial state of the games of a configuration."""
