"""Contains the limits and drawings of German cathedrals."""
