"""Contains the code for matches, ladders, analyses, puzzles, data sets, movies, file checks and the bot protocol."""
