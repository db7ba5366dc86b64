"""Ranks: processes that learn one network together, each from its own games. `torchrun` starts them.

    torchrun --nproc-per-node 2 -m training.ppo --config configs/base.toml

All ranks have the same network at all times: each takes its gradient from its own decisions, and the gradients are
averaged before every step (synchronous data-parallel learning; Li et al. 2020, PyTorch Distributed). So two ranks learn
as one process does with twice the games and twice the minibatch.

Rank 0 leads: it alone reads and writes files, plays the matches and tells how it goes. The others do what it asks for.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import numpy as np
import torch
from torch import distributed, nn

from .devices import CPU, CUDA, check_device

T = TypeVar("T")
# Seconds at the end. gloo's threads free the last tensors, for which they take the lock of the interpreter; one that still
# waits for it when the interpreter ends would abort the process.
FREEING = 0.3
PATIENCE = timedelta(days=7)  # that a rank waits for the others: the first one may learn a value for hours


@dataclass(frozen=True)
class Ranks:
    """Who this process is among those that learn together; a process alone is one rank of one."""

    number: int = 0
    count: int = 1
    here: int = 1  # how many of them run on this machine
    device: str = CPU  # where the network of this rank lies

    @property
    def leads(self) -> bool:
        """Whether it is rank 0."""
        return self.number == 0

    def agree(self, thing: T) -> T:
        """What rank 0 has, on all ranks."""
        if self.count == 1:
            return thing
        things = [thing]
        distributed.broadcast_object_list(things, device=torch.device("cpu"))
        return things[0]

    def gather(self, thing: T) -> list[T]:
        """What every rank has, by their numbers."""
        things: list[T] = [thing] * self.count
        if self.count > 1:
            distributed.all_gather_object(things, thing)
        return things

    def share_network(self, network: nn.Module) -> None:
        """All ranks get the network of rank 0, and from now on the mean of all gradients before each step."""
        if self.count == 1:
            return
        for tensor in (*network.parameters(), *network.buffers()):
            distributed.broadcast(tensor.data, 0)
        for parameter in network.parameters():
            parameter.register_post_accumulate_grad_hook(self._average)

    def _average(self, parameter: torch.Tensor) -> None:
        assert parameter.grad is not None
        distributed.all_reduce(parameter.grad)
        parameter.grad /= self.count

    def normalise(self, advantages: np.ndarray) -> None:
        """Bring advantages to the mean 0 and the standard deviation 1, over those of all ranks."""
        every = np.concatenate([part.ravel() for part in self.gather(advantages)])
        advantages -= every.mean()
        advantages /= every.std(ddof=1) + 1e-8


ALONE = Ranks()  # a process that learns by itself


@contextmanager
def joined(device: str) -> Iterator[Ranks]:
    """This process among the ranks that torchrun started; alone if it was started without. Raises ConfigError for a
    device that is not there.
    """
    count, local = (int(os.environ.get(name, default)) for name, default in (("WORLD_SIZE", 1), ("LOCAL_RANK", 0)))
    check_device(device, local)
    if device == CUDA and count > 1:
        device = f"cuda:{local}"
        torch.cuda.set_device(device)
    if count == 1:
        yield Ranks(device=device)
        return
    distributed.init_process_group("gloo" if device == CPU else "cpu:gloo,cuda:nccl", timeout=PATIENCE)
    try:
        yield Ranks(distributed.get_rank(), count, int(os.environ.get("LOCAL_WORLD_SIZE", count)), device)
        distributed.barrier()
        time.sleep(FREEING)
    finally:
        distributed.destroy_process_group()


def threads_of(cores: int, ranks: Ranks) -> int:
    """How many threads a rank may have, where all on this machine have so many cores together."""
    return max(1, cores // ranks.here)
