"""What is done with games: matches, analysis, checks of files, data sets, movies, the bot protocol."""
