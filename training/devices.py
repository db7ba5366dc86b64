"""Where a network learns: on the processor, or on a GPU that torch finds. Games stay on the processor."""

from argparse import ArgumentParser

from carc_env.common.errors import ConfigError

CPU, CUDA = "cpu", "cuda"


def add_device(parser: ArgumentParser) -> None:
    """The option --device of a command that learns."""
    parser.add_argument("--device", choices=(CPU, CUDA), default=CPU, help=f"where the network learns ({CPU})")


def check_device(device: str, number: int = 0) -> None:
    """Raise ConfigError for a device that torch does not find; `number` is which of several GPUs."""
    import torch  # it takes seconds to load

    if device == CUDA and torch.cuda.device_count() <= number:
        there = torch.cuda.device_count()
        raise ConfigError(f"--device {CUDA}: torch finds {there or 'no'} GPU{'s' * (there > 1)} here")
