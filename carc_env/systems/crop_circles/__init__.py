"""Crop Circles: decisions, texts and signs."""
