"""The Abbot: what it is, says and shows."""
