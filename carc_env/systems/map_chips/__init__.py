"""Map-Chips France: decisions, texts, signs and observations."""
