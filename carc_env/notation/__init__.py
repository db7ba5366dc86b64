"""Contains the text forms of actions, positions, records and events, and descriptions of the tiles on the board."""
