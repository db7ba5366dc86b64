"""The command `carc`, and what only it needs."""
