"""What the tests of ranks run in each of them: `torchrun ... -m tests.training.ranks_program FOLDER TASKS`. TASKS is JSON:
for the name of a file in the folder a configuration, and whether to resume. Rank 0 writes the final state to the file.
"""

import json
import sys
from pathlib import Path

import safetensors.numpy

from training.config import TrainConfig
from training.learner import Learner
from training.ranks import Ranks, joined


def main(folder: str, tasks: str) -> None:
    """Make the updates of each task, all with one learner, or halfway with the state of a first learner handed to a
    second.
    """
    with joined("cpu") as ranks:
        for name, (config, resumed) in json.loads(tasks).items():
            make_updates(TrainConfig.from_dict(config), ranks, Path(folder, name), resumed)


def make_updates(config: TrainConfig, ranks: Ranks, file: Path, resumed: bool) -> None:
    """Make all updates, and write the state in the end."""
    learners = [Learner(config, ranks) for _ in range(1 + resumed)]
    for learner in learners:
        always_the_likeliest(learner)
    if not ranks.leads:
        for learner in learners:
            learner.follow()
        return
    first, last = learners[0], learners[-1]
    if resumed:
        learn(first, config.updates // 2)
        state = first.state()
        first.finish()
        last.learn()  # whatever it did before is forgotten
        last.set_state(*state)
    learn(last, config.updates)
    arrays, rest = last.state()
    last.finish()
    file.write_bytes(safetensors.numpy.save(dict(arrays), {"json": json.dumps(rest)}))


def learn(learner: Learner, updates: int) -> None:
    """Learn until so many updates are made."""
    while learner.update < updates:
        learner.learn()


def always_the_likeliest(learner: Learner) -> None:
    """Draw nothing: so games do not depend on the rank that plays them."""
    if learner.config.entropy:
        return
    forward = learner.policy.forward
    learner.policy.forward = lambda obs, deterministic=False, action_masks=None: forward(obs, True, action_masks)


if __name__ == "__main__":
    main(*sys.argv[1:])
