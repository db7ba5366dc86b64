"""What the tests of ranks run in each of them: `torchrun ... -m tests.training.ranks_program WHAT CONFIG FILE`. Rank 0
writes the state in the end.
"""

import json
import sys
from pathlib import Path

import safetensors.numpy

from training.config import TrainConfig
from training.learner import Learner
from training.ranks import joined


def main(what: str, config: str, file: str) -> None:
    """Make updates, in one go (`straight`) or with the state of a first learner handed to a second (`resumed`)."""
    with joined("cpu") as ranks:
        learners = [Learner(TrainConfig.from_dict(json.loads(config)), ranks) for _ in range(1 + (what == "resumed"))]
        for learner in learners:
            always_the_likeliest(learner)
        updates = learners[0].config.updates
        for learner in learners:
            if not ranks.leads:
                learner.follow()
                continue
            if learner is not learners[0]:
                learner.learn()  # whatever it did before is forgotten
                learner.set_state(*state)
            while learner.update < (updates if learner is learners[-1] else updates // 2):
                learner.learn()
            state = learner.state()
            learner.finish()
        if ranks.leads:
            arrays, rest = state
            Path(file).write_bytes(safetensors.numpy.save(dict(arrays), {"json": json.dumps(rest)}))


def always_the_likeliest(learner: Learner) -> None:
    """Draw nothing: so games do not depend on the rank that plays them."""
    if learner.config.entropy:
        return
    forward = learner.policy.forward
    learner.policy.forward = lambda obs, deterministic=False, action_masks=None: forward(obs, True, action_masks)


if __name__ == "__main__":
    main(*sys.argv[1:])
