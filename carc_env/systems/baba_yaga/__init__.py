"""Contains the texts and drawings of Baba Yaga's hut."""
