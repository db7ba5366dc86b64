"""What every room may use: errors, checks of what callers pass, TOML, progress."""
