"""German castles: what it is, says and shows."""
