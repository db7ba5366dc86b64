"""Runs jobs in parallel. Without a backend, the jobs run in processes on this machine. With a backend, joblib sends the
jobs to the backend's workers. The workers of `loky` are processes on this machine, and the workers of `dask` and `ray`
run on a cluster.

The extra `cluster` installs joblib and Dask, but not Ray. Each library is imported only when it is used.
"""

import importlib
import importlib.util
import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.connection import Connection, wait
from typing import Any

from carc_env.common.errors import ConfigError

# seconds between two interrupts of a job; an interrupt is repeated, because it can be lost, for example inside LLVM
AGAIN = 5.0
# seconds from the end of the parent process to the end of the worker process; meanwhile, the interrupted job stops the
# external programs of its bots
GRACE = 2.0

# the state of a worker process of a pool
_is_at_work = False  # True while a job is running; only then is an interrupt allowed
_interrupted = -math.inf  # the time of the last interrupt of the running job
_is_over = False  # True if the pool needs no more results


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Return a context manager with a pool of processes on this machine. Submit each job as a call of `interruptible`.
    At the end of the `with` block, the pool interrupts the running jobs and drops the waiting jobs. All processes of
    the pool end when the current process ends or is killed.
    """
    context = multiprocessing.get_context("spawn")
    # a pipe, not an event, because the lock of an event could stay locked after an interrupt
    end, open_until_then = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, begin, (end,))
    try:
        yield pool
    finally:
        open_until_then.close()
        pool.shutdown(cancel_futures=True)
        end.close()


def begin(end: Connection) -> None:
    """Prepare a process of a pool. `end` is one end of a connection. When the pool closes the other end of this
    connection, the running job is interrupted. The process ends soon after its parent process, even if the parent
    process was killed.
    """
    signal.signal(signal.SIGINT, interrupt)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        time.sleep(GRACE)  # when the parent ends, the connection closes, too, so the job is interrupted
        os._exit(1)

    def end_with_pool() -> None:
        global _is_over
        wait([end])
        _is_over = True
        while True:
            if hasattr(signal, "pthread_kill"):  # this also interrupts a blocking call in the main thread
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            else:  # on Windows
                signal.raise_signal(signal.SIGINT)
            time.sleep(AGAIN)

    for watch in (end_with_parent, end_with_pool):
        threading.Thread(target=watch, daemon=True).start()


def interrupt(*_: object) -> None:
    """Handle Ctrl-C in a process of a pool: raise KeyboardInterrupt, but only while a job runs, and at most once in
    AGAIN seconds. If a process were interrupted while it sends its result, all other processes would wait forever. A
    second interrupt within AGAIN seconds could prevent the job from stopping the external programs of its bots.
    """
    global _interrupted
    if _is_at_work and time.monotonic() - _interrupted >= AGAIN:
        _interrupted = time.monotonic()
        raise KeyboardInterrupt


def in_processes(do: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], workers: int) -> Generator[Any, None, None]:
    """Call the function `do` for every job, and yield the results in the order of the jobs. With one worker, the
    current process runs all jobs. With more workers, a pool of processes runs the jobs. At any time, the pool holds at
    most two jobs per worker.
    """
    if workers == 1:
        yield from (do(*job) for job in jobs)
        return
    waiting: deque[Future[Any]] = deque()
    with processes(workers) as pool:
        for job in jobs:
            waiting.append(submit(pool, do, *job))
            if len(waiting) == 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def submit(pool: ProcessPoolExecutor, do: Callable[..., Any], *job: Any) -> Future[Any]:
    """Send a job to a pool of processes."""
    with ctrl_c_held():  # a worker process that starts here begins with Ctrl-C blocked
        return pool.submit(interruptible, do, *job)


def interruptible(do: Callable[..., Any], *job: Any) -> Any:
    """Run a job in a process of a pool. Ctrl-C and the end of the pool can interrupt this process only while the job
    runs.
    """
    global _interrupted, _is_at_work
    _interrupted = -math.inf
    try:
        try:
            _is_at_work = True
            mask_ctrl_c("SIG_UNBLOCK")
            if _is_over:
                raise KeyboardInterrupt
            return do(*job)
        finally:
            _is_at_work = False
    finally:  # an interrupt may have prevented the assignment above
        _is_at_work = False


@contextmanager
def ctrl_c_held() -> Iterator[None]:
    """Return a context manager that delays Ctrl-C until the end of the `with` block. If a new process is
    started inside the `with` block, Ctrl-C stays blocked in the new process until the new process unblocks it.
    """
    held: list[tuple[Any, ...]] = []
    handler: Any = signal.getsignal(signal.SIGINT)
    is_main = callable(handler) and threading.current_thread() is threading.main_thread()
    if is_main:  # blocking Ctrl-C in this thread is not enough, because another thread, such as NumPy's, can get it
        signal.signal(signal.SIGINT, lambda *about: held.append(about))
    before = mask_ctrl_c("SIG_BLOCK")
    try:
        yield
    finally:
        if signal.SIGINT not in before:
            mask_ctrl_c("SIG_UNBLOCK")
        if is_main:
            signal.signal(signal.SIGINT, handler)
            if held:
                handler(*held[0])


def mask_ctrl_c(how: str) -> set[int]:
    """Block or unblock Ctrl-C in this thread. Returns the signals that were blocked before the call."""
    # on Windows, Ctrl-C is not blocked, so a process that is just starting prints a traceback on Ctrl-C
    if not hasattr(signal, "pthread_sigmask"):
        return {signal.SIGINT}
    return set(signal.pthread_sigmask(getattr(signal, how), {signal.SIGINT}))


def check(backend: str, address: str | None) -> None:
    """Check the backend and the address. Raises ConfigError if the backend is unknown or does not fit the address.
    Raises ImportError if joblib is not installed.
    """
    if backend not in CREWS:
        raise ConfigError(f"backend = {backend!r}: the known backends are {', '.join(CREWS)}")
    if (address is None) != (backend == "loky"):
        raise ConfigError(
            "--backend dask and --backend ray need --address, which is the address of Dask's scheduler (such as "
            "tcp://host:8786) or of Ray's head node; other backends take no address"
        )
    if importlib.util.find_spec("joblib") is None:
        raise ImportError(f'the backend {backend} needs joblib; run pip install ".[cluster]"')


@contextmanager
def crew(backend: str, workers: int, address: str | None) -> Iterator[None]:
    """Return a context manager. Inside the `with` block, joblib uses the given backend. Raises ImportError if the
    backend's library is not installed.
    """
    from joblib import parallel_config

    with CREWS[backend](address) as more, parallel_config(backend, n_jobs=workers, **more):
        yield


def in_order(
    do: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], backend: str, workers: int, address: str | None
) -> Generator[Any, None, None]:
    """Call the function `do` for every job, and yield the results in the order of the jobs.

    The jobs are sent to the workers in groups. The number of jobs in a group is twice the number of workers. A group is
    sent when all jobs of the previous group are done. If the caller stops early, at most one group of jobs has run
    unnecessarily.
    """
    with crew(backend, workers, address):
        for first in range(0, len(jobs), 2 * workers):
            yield from results(do, jobs[first : first + 2 * workers])


def as_done(
    do: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], workers: int, backend: str | None, address: str | None
) -> Generator[tuple[int, Any], None, None]:
    """Call the function `do` for every job. Yield the index and the result of each job as soon as the job is done.

    Without a backend, the jobs run as in `in_processes`. With a backend, the workers run the jobs as in `in_order`, but
    all jobs are sent at once.
    """
    numbered = [(do, index, *job) for index, job in enumerate(jobs)]
    if backend is not None:
        with crew(backend, workers, address):
            yield from results(with_index, numbered, "generator_unordered")
    elif workers == 1:
        yield from (with_index(*job) for job in numbered)
    else:
        with processes(workers) as pool:
            running: set[Future[Any]] = set()
            for job in numbered:
                running.add(submit(pool, with_index, *job))
                if len(running) == 2 * workers:
                    done, running = wait_for(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            yield from (future.result() for future in as_completed(running))


def with_index(do: Callable[..., Any], index: int, *job: Any) -> tuple[int, Any]:
    """Run a job, and return its index and its result."""
    return index, do(*job)


def results(do: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], return_as: str = "generator") -> Iterator[Any]:
    """Call the function `do` for every job, and yield the results in the order of the jobs. All jobs are sent to the
    workers at once. The result of a job is yielded as soon as this job and all earlier jobs are done. With
    `return_as="generator_unordered"`, the result is yielded as soon as the job is done.
    """
    from joblib import Parallel, delayed

    yield from Parallel(batch_size=1, return_as=return_as)(delayed(do)(*job) for job in jobs)


@contextmanager
def dask(address: str | None) -> Iterator[dict[str, Any]]:
    """Return a context manager that connects to a Dask scheduler, and yields a dict of arguments for joblib's
    `parallel_config`.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ImportError('--backend dask needs the Python package distributed; run pip install ".[cluster]"') from None
    with Client(address) as client:
        yield {"client": client}


@contextmanager
def ray(address: str | None) -> Iterator[dict[str, Any]]:
    """Return a context manager that connects to a Ray cluster, and yields a dict of arguments for joblib's
    `parallel_config`.
    """
    try:  # imported by name, because Ray is not in any extra of the package
        ray, ray_joblib = importlib.import_module("ray"), importlib.import_module("ray.util.joblib")
    except ImportError:
        raise ImportError("--backend ray needs the package ray; run pip install ray") from None
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
