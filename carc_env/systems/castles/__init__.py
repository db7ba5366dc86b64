"""Castles: decisions, texts, signs and observations."""
