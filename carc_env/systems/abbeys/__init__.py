"""Abbeys: what it is, says and shows."""
