"""Commands for training, for evaluation and for the benchmark.

The commands are `python -m training.ppo` (short form: `carc train`), `python -m training.evaluate` (`carc evaluate`)
and `python -m training.benchmark` (`carc benchmark`).

The package is installed as `carc_env.training`. The modules of the package import each other by relative names, so the
package works under both names, `training` and `carc_env.training`.
"""

import os

# Without this setting, idle OpenMP threads would keep the processor cores busy, and slow down the threads that play
# games. torch reads the setting when it is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
