"""Search with rollouts and trees on copies of a game, in compiled code. The bots that search are in `carc_env.bots`."""
