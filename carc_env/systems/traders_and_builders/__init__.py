"""Contains the texts, drawings and observation features of Traders & Builders."""
