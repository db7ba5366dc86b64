"""The threads in which bots think: a bounded number, which the tables share by turns.

Whoever waits is a table, however much it asks for: each has one thread at most, and after an answer it stands at the
end of the queue. Searches run in compiled code, which lets other threads run beside it, so threads do.
"""

import math
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from carc_env.common.errors import BotFault
from carc_env.web.thinking import Watch

LONGEST_ROUND = 3.0  # seconds in which each table should have its turn: bots get less time where that takes longer,
LEAST = 0.05  # but so many seconds at least
SLOW = 2.0  # seconds after which a thread whose bot still thinks is replaced, so that it holds up nobody else
Done = TypeVar("Done")


def usual_number() -> int:
    """As many workers as there are cores for this process, less one, on which the server answers people."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


@dataclass(frozen=True)
class Task:
    """What a bot is asked for at a table."""

    work: Callable[[float], Any]  # takes the seconds that a bot should take at most
    late: str  # what is told when it takes too long
    future: Future[Any]


class Workers:
    """So many threads for the bots of all tables.

    Args:
        number: how many bots think at a time. A bot that is slow is replaced here, so for a while there may be more.
        watch: tells who takes too long.
        ready: they begin when it is set; None: at once.
    """

    def __init__(self, number: int, watch: Watch, ready: threading.Event | None = None):
        self._number, self._watch, self._ready = number, watch, ready
        self._tasks: dict[str, deque[Task]] = {}  # that are waiting or being done, by table
        self._turns: deque[str] = deque()  # the tables that wait, in order
        self._served: set[str] = set()  # those whose bots think
        self._changed, self._over = threading.Condition(), False
        for _ in range(number):
            self._begin()

    def ask(self, table: str, work: Callable[[float], Done], late: str) -> "Future[Done]":
        """Let a bot of a table think when it is its turn. The work is told how many seconds it should take at most, which
        is infinity unless tables are waiting. What it returns or raises is the future's; BotFault says that it is late.
        """
        future: Future[Done] = Future()
        with self._changed:
            self._tasks.setdefault(table, deque()).append(Task(work, late, future))
            if table not in self._served and table not in self._turns:
                self._turns.append(table)
                self._changed.notify()
        return future

    def before(self, table: str) -> int | None:
        """How many tables have their turn before one: none while its bot thinks. None: it asks for nothing."""
        with self._changed:
            if table in self._served:
                return 0
            return self._turns.index(table) + len(self._served) if table in self._turns else None

    def waiting(self, table: str) -> int:
        """How much a table asks for that nobody does yet."""
        with self._changed:
            return len(self._tasks.get(table, ()))

    def close(self) -> None:
        """Nothing more is begun."""
        with self._changed:
            self._over = True
            tasks = [task for waiting in self._tasks.values() for task in waiting]
            self._changed.notify_all()
        for task in tasks:
            task.future.cancel()

    # --- in the threads -----------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        threading.Thread(target=self._run, name="bot worker", daemon=True).start()

    def _run(self) -> None:
        """Do what is asked for, until another thread has taken this one's place."""
        if self._ready is not None:
            self._ready.wait()
        while (turn := self._next()) is not None and self._do(*turn):
            pass

    def _next(self) -> tuple[str, Task, float] | None:
        """The table whose turn it is, what it asks for, and the seconds that there are for it. None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._turns or self._over)
            if self._over:
                return None
            seconds = self._share(len(self._turns) + len(self._served))
            table = self._turns.popleft()
            self._served.add(table)
            return table, self._tasks[table].popleft(), seconds

    def _share(self, tables: int) -> float:
        """The seconds for one of so many tables."""
        return math.inf if tables <= self._number else max(LEAST, LONGEST_ROUND * self._number / tables)

    def _do(self, table: str, task: Task, seconds: float) -> bool:
        """Let a bot think. Returns whether this thread is to go on."""
        if not task.future.set_running_or_notify_cancel():
            self._leave(table)
            return True

        def give_up() -> None:
            self._leave(table)
            task.future.set_exception(BotFault(task.late))

        late, slow = self._watch.begin(give_up), self._watch.begin(self._begin, min(SLOW, self._watch.patience))
        found, error = done(task.work, seconds)
        if self._watch.end(late):
            self._leave(table)
            if error is None:
                task.future.set_result(found)
            else:
                task.future.set_exception(error)
        return self._watch.end(slow)

    def _leave(self, table: str) -> None:
        """A table has had its turn."""
        with self._changed:
            self._served.discard(table)
            if self._tasks.get(table):
                self._turns.append(table)
                self._changed.notify()
            else:
                self._tasks.pop(table, None)


def done(work: Callable[[float], Done], seconds: float) -> tuple[Done | None, BaseException | None]:
    """What a piece of work returns, or what it raises."""
    try:
        return work(seconds), None
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        return None, error
