"""Compiled search algorithms: rollouts and tree search on copies of a game. The bots that search are in
`carc_env.bots`.
"""
