"""Convert a network and its optimiser to arrays, and restore both from arrays."""

import numpy as np
import torch
from torch import nn


def numbers(network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Return the state of the network and of the optimiser, as arrays.

    The names of the network's parameters and buffers are `policy.<name>`. The names of the optimiser's arrays are
    `optimizer.<number>.<name>`.
    """
    arrays = {f"policy.{key}": tensor.cpu().numpy() for key, tensor in network.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{key}": torch.as_tensor(value).cpu().numpy() for key, value in state.items()}
    return arrays


def take(network: nn.Module, optimizer: torch.optim.Optimizer, arrays: dict[str, np.ndarray]) -> None:
    """Restore a network and its optimiser from the arrays that `numbers` returned."""
    network.load_state_dict(tensors(part(arrays, "policy.")))
    optimizer.load_state_dict({"state": moments(arrays), "param_groups": optimizer.state_dict()["param_groups"]})


def part(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin with `prefix`. In the returned dict, the prefix is removed from the names."""
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


def tensors(arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Copy arrays to tensors."""
    return {key: torch.tensor(array) for key, array in arrays.items()}


def moments(arrays: dict[str, np.ndarray]) -> dict[int, dict[str, torch.Tensor]]:
    """Return the optimiser's state for each parameter. Each key of the returned dict is the index of a parameter."""
    found: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors(part(arrays, "optimizer.")).items():
        number, name = key.split(".")
        found.setdefault(int(number), {})[name] = tensor
    return found
