"""Training of agents: `python -m training.ppo`, `python -m training.evaluate` for their strength, `python -m
training.benchmark` to compare algorithms.

`carc train`, `carc evaluate` and `carc benchmark` are the same.

It is installed as `carc_env.training`. Its modules import each other by relative names, which hold under both.
"""

import os

# Threads that wait for work would otherwise spin and take the cores from the threads that play; read when torch starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
