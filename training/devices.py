"""The device on which a network learns.

The device is the CPU, or a GPU that torch finds. In training, games always run on the CPU.
"""

from argparse import ArgumentParser

from carc_env.common.errors import ConfigError

CPU, CUDA = "cpu", "cuda"


def add_device(parser: ArgumentParser) -> None:
    """Add the option --device to an argument parser."""
    parser.add_argument(
        "--device", choices=(CPU, CUDA), default=CPU, help=f"the device on which the network learns ({CPU})"
    )


def check_device(device: str, number: int = 0) -> None:
    """Raise ConfigError if torch does not find the device. `number` selects one of several GPUs."""
    import torch  # importing torch takes seconds

    if device == CUDA and torch.cuda.device_count() <= number:
        there = torch.cuda.device_count()
        raise ConfigError(f"--device {CUDA}: torch finds {there or 'no'} GPU{'s' * (there > 1)} here")
