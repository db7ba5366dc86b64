"""Contains the texts, drawings and observations of shrines."""
