"""The Goldmines: decisions, texts, signs and observations."""
