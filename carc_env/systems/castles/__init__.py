"""Castles: questions, texts, signs and observations."""
