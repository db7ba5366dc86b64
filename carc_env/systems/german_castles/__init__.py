"""German castles: questions, texts, signs and observations."""
