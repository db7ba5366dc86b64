"""Contains the decisions, texts, drawings and observations of Map-Chips France."""
