"""Ranks: processes that train one network together, each with its own games. `torchrun` starts these processes.

    torchrun --nproc-per-node 2 -m training.ppo --config configs/base.toml

At all times, the network has the same weights on all ranks. Each rank computes its gradient from its own decisions.
Before every gradient step, the gradients are averaged over all ranks (synchronous data-parallel learning; Li et al.,
PyTorch Distributed, 2020). So a run with two ranks is equivalent to a run in a single process, if the single process
has twice the number of games and twice the minibatch size. There is one difference: a single process normalises the
advantages of each minibatch separately, whereas several ranks normalise all advantages of an update together.

Rank 0 leads. Only rank 0 reads and writes files, plays the matches and reports progress. All other ranks call the same
functions as rank 0.
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
# Seconds to wait at the end, while gloo's threads free the last tensors. To free a tensor, a thread needs the
# interpreter's lock. A thread that waits for the lock when the interpreter ends would abort the process.
FREEING = 0.3
PATIENCE = timedelta(days=7)  # how long a rank waits for the others; rank 0 can take hours to learn a value function


@dataclass(frozen=True)
class Ranks:
    """The rank of this process among the processes of one distributed training run. A run with a single process has
    only rank 0.
    """

    number: int = 0
    count: int = 1
    here: int = 1  # the number of ranks on this machine
    device: str = CPU  # the device of this rank's network

    @property
    def leads(self) -> bool:
        """True for rank 0."""
        return self.number == 0

    def agree(self, thing: T) -> T:
        """Send the value of rank 0 to all ranks. Returns this value on every rank."""
        if self.count == 1:
            return thing
        things = [thing]
        distributed.broadcast_object_list(things, device=torch.device("cpu"))
        return things[0]

    def gather(self, thing: T) -> list[T]:
        """Collect one value from each rank. Returns the values in the order of the ranks."""
        things: list[T] = [thing] * self.count
        if self.count > 1:
            distributed.all_gather_object(things, thing)
        return things

    def share_network(self, network: nn.Module) -> None:
        """Copy the network of rank 0 to all ranks. After this call, every gradient is averaged over all ranks."""
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


ALONE = Ranks()  # a run with a single process


@contextmanager
def joined(device: str) -> Iterator[Ranks]:
    """Connect this process to the other ranks that torchrun started. Without torchrun, this process is the only rank.
    Raises ConfigError for a device that does not exist.
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
    """Return the number of threads for a rank. `cores` is the number of cores that all ranks of this machine share."""
    return max(1, cores // ranks.here)
