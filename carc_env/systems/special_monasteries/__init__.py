"""Special monasteries: what it is, says and shows."""
