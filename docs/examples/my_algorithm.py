"""An algorithm of one's own for the benchmark: it learns how much each column of a candidate is worth, by the
cross-entropy method.

carc benchmark Base-debug-20k --algorithm my_algorithm.py:Columns --seeds 3
"""

import numpy as np

TRIED, KEPT = 16, 4  # weights tried side by side, one for each game; of those the best are kept


class Columns:
    """Answers with the candidate whose columns, times weights, give most."""

    def __init__(self, task, seed):
        self.task, self.seed, self.rng = task, seed, np.random.default_rng(seed)
        columns = task.space["candidates"].shape[1]
        self.mean, self.spread = np.zeros(columns), np.ones(columns)

    def fit(self, budget):
        """Learn while there is something left of the budget."""
        envs = self.task.environment(TRIED)
        while budget.left > 0:
            weights = self.rng.normal(self.mean, self.spread, (TRIED, len(self.mean)))
            margins, decisions = self.play(envs, weights, self.seed + budget.made)
            best = weights[np.argsort(margins)[-KEPT:]]
            self.mean, self.spread = best.mean(0), best.std(0) + 0.1
            budget.spend(decisions)

    def play(self, envs, weights, seed):
        """A game for each row of weights: the sums of its rewards, and how many decisions all of them took."""
        observations, _ = envs.reset(seed=seed)
        live, margins, decisions = np.ones(len(weights), bool), np.zeros(len(weights)), 0
        while live.any():
            decisions += live.sum()
            observations, rewards, ended, _, _ = envs.step(answers(observations, weights[:, None]))
            margins += rewards * live
            live &= ~ended
        return margins, int(decisions)

    def act(self, observations):
        """The best answer to each question: a row of the candidates."""
        return answers(observations, self.mean)

    def state(self):
        """What was learned, as arrays; with `set_state` a training that was interrupted goes on."""
        return {"mean": self.mean, "spread": self.spread}

    def set_state(self, arrays, made):
        """Go on from what `state` gave after so many decisions."""
        self.mean, self.spread = arrays["mean"], arrays["spread"]


def answers(observations, weights):
    """The candidate of each question with the highest sum of columns times weights, int64[n]."""
    scores = (observations["candidates"] * weights).sum(2)
    return np.where(observations["action_mask"] == 1, scores, -np.inf).argmax(1)
