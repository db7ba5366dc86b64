"""Crop Circles: what it is, says and shows."""
