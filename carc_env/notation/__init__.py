"""Games as text: answers, positions, records, events, and what lies on the board."""
