"""Baba Yaga's hut: what it is, says and shows."""
