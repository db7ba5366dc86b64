"""Special monasteries: settings and signs."""
