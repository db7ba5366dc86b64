"""Abbeys: decisions, texts, signs and observations."""
