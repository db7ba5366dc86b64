"""The configuration of a game, and the initial game record of each configuration."""
