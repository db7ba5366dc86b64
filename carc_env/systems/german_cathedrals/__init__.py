"""Contains the upper limits and the drawings for the box with German cathedrals."""
