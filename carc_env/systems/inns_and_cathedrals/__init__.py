"""Inns & Cathedrals: settings and signs."""
