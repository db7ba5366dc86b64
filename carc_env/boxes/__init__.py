"""What the boxes hold, and how it is numbered: tiles, sheets, actions, observations, chances that something closes."""
