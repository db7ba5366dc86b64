"""Training of agents: `python -m training.ppo`, and `python -m training.evaluate` for their strength."""

import os

# Threads that wait for work would otherwise spin and take the cores from the threads that play; read when torch starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
