"""The page: a game as JSON for browsers, and what the browser is given to show it."""
