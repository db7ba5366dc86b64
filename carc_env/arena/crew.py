"""Who works side by side, by joblib: processes of this machine, or the workers of a cluster of Dask or Ray.

joblib comes with the extra `cluster`, and so does Dask; Ray does not come along. Each is imported when it is used.
"""

import importlib
import importlib.util
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from carc_env.common.errors import ConfigError


def check(backend: str, address: str | None) -> None:
    """Raises ConfigError for words that do not go together, ImportError where joblib is needed and not there."""
    if backend not in CREWS:
        raise ConfigError(f"backend = {backend!r}: known are {', '.join(CREWS)}")
    if (address is None) != (backend == "loky"):
        raise ConfigError(
            "--address and --backend dask or ray go together: the address is that of Dask's scheduler, "
            "such as tcp://host:8786, or of Ray's head"
        )
    if importlib.util.find_spec("joblib") is None:
        raise ImportError('--workers and --backend need joblib: pip install ".[cluster]"')


@contextmanager
def crew(backend: str, workers: int, address: str | None) -> Iterator[None]:
    """Who works for joblib while this lasts. Raises ImportError for what is not installed."""
    from joblib import parallel_config

    with CREWS[backend](address) as more, parallel_config(backend, n_jobs=workers, **more):
        yield


def in_order(
    do: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], backend: str, workers: int, address: str | None
) -> Generator[Any, None, None]:
    """What `do` returns for each job, in their order. Two jobs a worker are handed out at a time, and the next ones when
    all of these are done, so that whoever has seen enough leaves little undone.
    """
    from joblib import Parallel, delayed

    with crew(backend, workers, address):
        for first in range(0, len(jobs), 2 * workers):
            yield from Parallel(batch_size=1)(delayed(do)(*job) for job in jobs[first : first + 2 * workers])


@contextmanager
def dask(address: str | None) -> Iterator[dict[str, Any]]:
    """The workers of Dask's scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError('--backend dask needs distributed: pip install ".[cluster]"') from None
    with Client(address) as client:
        yield {"client": client}


@contextmanager
def ray(address: str | None) -> Iterator[dict[str, Any]]:
    """The workers of Ray."""
    try:  # by name, as no extra asks for it
        ray, ray_joblib = importlib.import_module("ray"), importlib.import_module("ray.util.joblib")
    except ImportError:
        raise ImportError("--backend ray needs ray: pip install ray") from None
    ray.init(address=address)
    ray_joblib.register_ray()
    try:
        yield {}
    finally:
        ray.shutdown()


CREWS: dict[str, Callable[[str | None], AbstractContextManager[dict[str, Any]]]] = {
    "loky": lambda _: nullcontext({}),
    "dask": dask,
    "ray": ray,
}
