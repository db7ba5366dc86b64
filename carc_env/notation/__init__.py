"""Games as text: actions, positions, records, events, and the tiles on the board."""
