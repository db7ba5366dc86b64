"""The program that the tests of ranks run in each rank: `torchrun ... -m tests.training.ranks_program FOLDER TASKS`.
TASKS is a JSON object. It maps the name of a file in the folder to a configuration and to whether to resume. Rank 0
writes the final state to the file.
"""

import json
import sys
from pathlib import Path

import safetensors.numpy

from training.config import TrainConfig
from training.learner import Learner
from training.ranks import Ranks, joined


def main(folder: str, tasks: str) -> None:
    """Make the updates of each task with one learner. To resume, hand the state of a first learner to a second one
    halfway.
    """
    with joined("cpu") as ranks:
        for name, (config, resumed) in json.loads(tasks).items():
            make_updates(TrainConfig.from_dict(config), ranks, Path(folder, name), resumed)


def make_updates(config: TrainConfig, ranks: Ranks, file: Path, resumed: bool) -> None:
    """Make all updates of one task. Rank 0 writes the final state to the file."""
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
        last.learn()  # this is forgotten when the state is set
        last.set_state(*state)
    learn(last, config.updates)
    arrays, rest = last.state()
    last.finish()
    file.write_bytes(safetensors.numpy.save(dict(arrays), {"json": json.dumps(rest)}))


def learn(learner: Learner, updates: int) -> None:
    """Learn until the learner has made this number of updates."""
    while learner.update < updates:
        learner.learn()


def always_the_likeliest(learner: Learner) -> None:
    """If there is no entropy bonus, always play the most likely action. Games then do not depend on the rank that plays
    them.
    """
    if learner.config.entropy:
        return
    forward = learner.policy.forward
    learner.policy.forward = lambda obs, deterministic=False, action_masks=None: forward(obs, True, action_masks)


if __name__ == "__main__":
    main(*sys.argv[1:])
