"""Ranks: processes that train one network together, each with its own games. `torchrun` starts them.

    torchrun --nproc-per-node 2 -m training.ppo --config configs/base.toml

All ranks always have the same network. Each computes its gradient from its own decisions, and the gradients are
averaged before every step (synchronous data-parallel learning; Li et al. 2020, PyTorch Distributed). So two ranks learn
like one process with twice the games and twice the minibatch.

Rank 0 leads: it alone reads and writes files, plays the matches and reports progress. The others do what it tells them.
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
    """The place of this process among those that learn together. A single process is rank 0 of 1."""

    number: int = 0
    count: int = 1
    here: int = 1  # how many of them run on this machine
    device: str = CPU  # where the network of this rank lies

    @property
    def leads(self) -> bool:
        """True for rank 0."""
        return self.number == 0

    def agree(self, thing: T) -> T:
        """The value that rank 0 has, on all ranks."""
        if self.count == 1:
            return thing
        things = [thing]
        distributed.broadcast_object_list(things, device=torch.device("cpu"))
        return things[0]

    def gather(self, thing: T) -> list[T]:
        """The values of all ranks, by their numbers."""
        things: list[T] = [thing] * self.count
        if self.count > 1:
            distributed.all_gather_object(things, thing)
        return things

    def share_network(self, network: nn.Module) -> None:
        """Give the network of rank 0 to all ranks. From then on, each step uses the mean of all gradients."""
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
        """Scale advantages to mean 0 and standard deviation 1 over all ranks."""
        every = np.concatenate([part.ravel() for part in self.gather(advantages)])
        advantages -= every.mean()
        advantages /= every.std(ddof=1) + 1e-8


ALONE = Ranks()  # a process that learns by itself


@contextmanager
def joined(device: str) -> Iterator[Ranks]:
    """This process among the ranks that torchrun started, or a single one without torchrun. Raises ConfigError for a
    device that does not exist.
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
    """The number of threads for a rank, if all ranks of this machine share so many cores."""
    return max(1, cores // ranks.here)
