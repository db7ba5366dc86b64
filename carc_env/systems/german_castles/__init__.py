"""German castles: decisions, texts, signs and observations."""
