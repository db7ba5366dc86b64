"""Code that every subpackage may use: errors, argument checks, TOML and progress bars."""
