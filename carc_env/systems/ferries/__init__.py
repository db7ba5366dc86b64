"""The Ferries: questions, texts, signs and observations."""
