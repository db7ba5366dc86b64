"""The Goldmines: questions, texts, signs and observations."""
