"""From a configuration to the record that every game of it starts from."""
