"""The Ferries: what it is, says and shows."""
