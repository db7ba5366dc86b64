"""Contains the decisions, texts, drawings and observation features of German castles."""
