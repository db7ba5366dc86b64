"""Contains the settings and drawings of special monasteries."""
