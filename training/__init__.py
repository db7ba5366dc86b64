"""Training of agents: `python -m training.ppo`, and `python -m training.evaluate` for their strength; `carc train` and `carc evaluate` are the same.

It is installed as `carc_env.training`. Its modules import each other by relative names, which hold under both.
"""

import os

# Threads that wait for work would otherwise spin and take the cores from the threads that play; read when torch starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
