"""Code for all subpackages: errors, argument checks, TOML and progress bars."""
