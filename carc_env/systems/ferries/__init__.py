"""The Ferries: decisions, texts, signs and observations."""
