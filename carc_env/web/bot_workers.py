"""The threads in which bots think. The number of threads is limited, and the games take turns in using the threads.

A game whose bot has to choose an action waits in a queue. A game uses at most one thread, even if it has several tasks,
for example hints. After each task, the game goes to the end of the queue. Searches run in compiled code that does not
block other threads, so the server needs no separate processes for bots.
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

LONGEST_ROUND = 3.0  # seconds within which each game should have its turn; bots get less time if many games wait
LEAST = 0.05  # the shortest thinking time of a bot, in seconds, even if many games wait
SLOW = 2.0  # seconds after which another thread replaces the thread of a slow bot, so that no other game has to wait
Done = TypeVar("Done")


def usual_number() -> int:
    """Return the default number of threads for bots. The number is one less than the number of cores that the process
    may use, but at least 1. One core is left for the requests of clients.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


@dataclass(frozen=True)
class Task:
    """A task for a bot in a game."""

    work: Callable[[float], Any]  # called with the bot's thinking time in seconds
    late: str  # the error message if the task takes too long
    future: Future[Any]


class Workers:
    """A pool of threads for the bots of all games.

    Args:
        number: the number of threads, and so the number of bots that can think at the same time. Slow bots do not
            count: if a bot is slow, an extra thread is started for the other bots.
        watch: the timer that limits the time of each task.
        ready: an event that the threads wait for before they begin, or None to begin at once.
    """

    def __init__(self, number: int, watch: Watch, ready: threading.Event | None = None):
        self._number, self._watch, self._ready = number, watch, ready
        self._tasks: dict[str, deque[Task]] = {}  # the waiting tasks of each game
        self._turns: deque[str] = deque()  # the ids of the games in the queue, in the order of their turns
        self._served: set[str] = set()  # the ids of the games whose tasks are in progress
        self._changed, self._over = threading.Condition(), False
        for _ in range(number):
            self._begin()

    def ask(self, table: str, work: Callable[[float], Done], late: str) -> "Future[Done]":
        """Queue a task for a bot in a game, and return a future for the result. When the game's turn in the queue
        comes, `work` is called with the bot's thinking time in seconds. The thinking time is infinity if there are
        enough threads for all games with tasks. In addition, `watch` limits the time of every task. If a task exceeds
        the time limit of `watch`, the future raises BotFault, and `late` is the error message.
        """
        future: Future[Done] = Future()
        with self._changed:
            self._tasks.setdefault(table, deque()).append(Task(work, late, future))
            if table not in self._served and table not in self._turns:
                self._turns.append(table)
                self._changed.notify()
        return future

    def before(self, table: str) -> int | None:
        """Return how many games are ahead of a game in the queue. The result is 0 if a task of this game is in
        progress, and None if the game has no task.
        """
        with self._changed:
            if table in self._served:
                return 0
            return self._turns.index(table) + len(self._served) if table in self._turns else None

    def waiting(self, table: str) -> int:
        """Return how many tasks of a game have not begun."""
        with self._changed:
            return len(self._tasks.get(table, ()))

    def close(self) -> None:
        """Cancel all waiting tasks and begin no new ones."""
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
        """Perform tasks until the pool is closed or another thread has replaced this thread."""
        if self._ready is not None:
            self._ready.wait()
        while (turn := self._next()) is not None and self._do(*turn):
            pass

    def _next(self) -> tuple[str, Task, float] | None:
        """Wait for the next task. Returns the id of the game, the task, and the seconds that the task may take. Returns
        None when the pool is closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._turns or self._over)
            if self._over:
                return None
            seconds = self._share(len(self._turns) + len(self._served))
            table = self._turns.popleft()
            self._served.add(table)
            return table, self._tasks[table].popleft(), seconds

    def _share(self, tables: int) -> float:
        """Return how many seconds a task may take. `tables` is the number of games whose tasks are in progress or in
        the queue.
        """
        return math.inf if tables <= self._number else max(LEAST, LONGEST_ROUND * self._number / tables)

    def _do(self, table: str, task: Task, seconds: float) -> bool:
        """Perform a task. Returns True if this thread should continue with the next task."""
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
        """Record that a task of a game has ended or has exceeded its time limit. If the game has more tasks, put the
        game at the end of the queue.
        """
        with self._changed:
            self._served.discard(table)
            if self._tasks.get(table):
                self._turns.append(table)
                self._changed.notify()
            else:
                self._tasks.pop(table, None)


def done(work: Callable[[float], Done], seconds: float) -> tuple[Done | None, BaseException | None]:
    """Call `work`. Returns (result, None), or (None, exception) if `work` raises an exception."""
    try:
        return work(seconds), None
    except BaseException as error:  # noqa: BLE001 - raised again by `Future.result`
        return None, error
