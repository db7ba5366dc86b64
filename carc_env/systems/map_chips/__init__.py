"""Map-Chips France: questions, texts, signs and observations."""
