"""Baba Yaga's hut: the system and its sign."""
