"""Map-Chips France: what it is, says and shows."""
