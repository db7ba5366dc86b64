"""Contains the decisions, texts, drawings and observations of German castles."""
