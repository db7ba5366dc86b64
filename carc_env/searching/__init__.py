"""Search: rollouts and trees over copies of a game, in compiled code. The bots that search are in `carc_env.bots`."""
