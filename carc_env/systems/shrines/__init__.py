"""Contains the texts, drawings and observation features of shrines."""
