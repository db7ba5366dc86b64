"""MaskablePPO of sb3-contrib as an algorithm of your own for the benchmark, on tasks with candidates.

carc benchmark Base-debug-20k --algorithm docs/examples/my_maskable_ppo.py:Own --seeds 3 --results mine
"""

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from carc_env.envs.sb3 import CarcassonneVecEnv
from carc_env.networks import CandidatesPolicy


class Own:
    """MaskablePPO with the package's network for candidates. The rewards are points, and are scaled."""

    def __init__(self, task, seed):
        envs = VecNormalize(CarcassonneVecEnv(task.environment(16)), norm_obs=False, gamma=1.0)
        self.model = MaskablePPO(
            CandidatesPolicy, envs, n_steps=128, batch_size=512, n_epochs=3, learning_rate=1e-3, gamma=1.0, seed=seed
        )

    def fit(self, budget):
        """Learn until the budget is spent."""
        self.model.learn(budget.left, Spending(budget))

    def act(self, observations):
        """Return the index of the best candidate for each observation."""
        masks = observations["action_mask"]
        return self.model.predict(observations, action_masks=masks, deterministic=True)[0]


class Spending(BaseCallback):
    """Reports each step of all games to the budget."""

    def __init__(self, budget):
        super().__init__()
        self.budget = budget

    def _on_step(self):
        self.budget.spend(self.training_env.num_envs)
        return True
