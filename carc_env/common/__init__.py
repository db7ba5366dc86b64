"""Code that every package may use: errors, checks of arguments, TOML and progress."""
