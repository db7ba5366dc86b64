"""Darmstadt churches: settings, signs and observations."""
