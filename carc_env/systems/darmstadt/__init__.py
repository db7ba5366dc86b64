"""Contains the settings, drawings and observation features of Darmstadt churches."""
