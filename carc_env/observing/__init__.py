"""What one player sees: planes, candidates, prospects, the standing of a game."""
