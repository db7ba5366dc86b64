"""Contains the texts, drawings and observations of Traders & Builders."""
