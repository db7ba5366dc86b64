"""The Goldmines: what it is, says and shows."""
