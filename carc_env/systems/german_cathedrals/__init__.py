"""German cathedrals: what it is, says and shows."""
