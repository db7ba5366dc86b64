"""The base game: decisions, texts, events and signs."""
