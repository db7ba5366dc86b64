"""Contains the decisions, texts and drawings of crop circles."""
