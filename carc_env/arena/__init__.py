"""Matches, ladders, analysis, puzzles, data sets, movies, checks of files, and the bot protocol."""
