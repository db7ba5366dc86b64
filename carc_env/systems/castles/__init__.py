"""Contains the decisions, texts, drawings and observations of castles."""
