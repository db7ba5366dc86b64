"""The command `carc` and its subcommands."""
