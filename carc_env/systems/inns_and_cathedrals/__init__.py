"""Contains the settings and drawings of Inns & Cathedrals."""
