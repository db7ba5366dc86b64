"""German cathedrals: limits and signs."""
