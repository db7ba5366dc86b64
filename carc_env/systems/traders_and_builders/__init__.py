"""Traders & Builders: what it is, says and shows."""
