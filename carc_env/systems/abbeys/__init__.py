"""Abbeys: questions, texts, signs and observations."""
