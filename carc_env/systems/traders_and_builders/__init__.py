"""Traders & Builders: texts, signs and observations."""
