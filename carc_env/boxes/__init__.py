"""Tiles and sheets of the boxes, tables of actions and observations, and chances that features are completed."""
