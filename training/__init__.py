"""Training, evaluation and the benchmark: `python -m training.ppo`, `python -m training.evaluate` and `python -m
training.benchmark`.

`carc train`, `carc evaluate` and `carc benchmark` are the same commands.

The package is installed as `carc_env.training`. Its modules import each other by relative names, so both names work.
"""

import os

# Threads that wait for work would otherwise spin and take the cores from the threads that play; read when torch starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
