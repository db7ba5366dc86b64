"""Shrines: texts, signs and observations."""
