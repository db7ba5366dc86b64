"""An algorithm of a user for the benchmark.

The algorithm learns a weight for each feature of the candidates by the cross-entropy method.

carc benchmark Base-debug-20k --algorithm docs/examples/my_algorithm.py:Columns --seeds 3 --results mine
"""

import numpy as np

TRIED, KEPT = 16, 4  # weights tried side by side, one for each game; of those the best are kept


class Columns:
    """Chooses the candidate with the largest weighted sum of features."""

    def __init__(self, task, seed):
        self.task, self.seed, self.rng = task, seed, np.random.default_rng(seed)
        columns = task.space["candidates"].shape[1]
        self.mean, self.spread = np.zeros(columns), np.ones(columns)

    def fit(self, budget):
        """Learn until the budget is spent."""
        envs = self.task.environment(TRIED)
        while budget.left > 0:
            weights = self.rng.normal(self.mean, self.spread, (TRIED, len(self.mean)))
            margins, decisions = self.play(envs, weights, self.seed + budget.made)
            best = weights[np.argsort(margins)[-KEPT:]]
            self.mean, self.spread = best.mean(0), best.std(0) + 0.1
            budget.spend(decisions)

    def play(self, envs, weights, seed):
        """Play a game with each row of `weights`. Returns the total rewards and the number of decisions."""
        observations, _ = envs.reset(seed=seed)
        live, margins, decisions = np.ones(len(weights), bool), np.zeros(len(weights)), 0
        while live.any():
            decisions += live.sum()
            observations, rewards, ended, _, _ = envs.step(best_candidates(observations, weights[:, None]))
            margins += rewards * live
            live &= ~ended
        return margins, int(decisions)

    def act(self, observations):
        """Return the index of the best candidate for each observation."""
        return best_candidates(observations, self.mean)

    def state(self):
        """Return everything that was learned. With `state` and `set_state`, interrupted training can be continued."""
        return {"mean": self.mean, "spread": self.spread}

    def set_state(self, arrays, made):
        """Continue from the arrays that `state` returned after `made` decisions."""
        self.mean, self.spread = arrays["mean"], arrays["spread"]


def best_candidates(observations, weights):
    """Return the candidate with the largest weighted sum of features for each of n observations, as int64[n]."""
    scores = (observations["candidates"] * weights).sum(2)
    return np.where(observations["action_mask"] == 1, scores, -np.inf).argmax(1)
