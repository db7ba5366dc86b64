"""Contains the settings, drawings and observations of Darmstadt churches."""
