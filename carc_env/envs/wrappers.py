"""RecordGames: a Gymnasium wrapper that writes the games played to a file of game records."""

import os
from typing import Any, SupportsFloat

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from carc_env.envs.single import CarcassonneEnv
from carc_env.errors import ArgumentError
from carc_env.gate import brief
from carc_env.recorder import Recorder


class RecordGames(gymnasium.Wrapper, RecordConstructorArgs):
    """Appends the record of each game to a file of JSON lines, when its episode ends or is abandoned.

    Abandoned is an episode in which something was played when `reset` or `close` is called. `carc_env.read_records(path)`
    reads the file, `carc_env.replay(record)` plays a game again, `carc replay` shows it.

    Args:
        env: an environment of `gymnasium.make("carc_env/...")`, wrapped or not.
        path: of the file; what stands in it already is kept.

    Raises:
        ArgumentError: for an environment of other games.
        RecordError: for a file that cannot be written.

    >>> import gymnasium, carc_env, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.jsonl")
    >>> env = RecordGames(gymnasium.make("carc_env/Base-v0", opponent="random"), path)
    >>> observation, info = env.reset(seed=7)
    >>> observation, *_ = env.step(int(info["action_mask"].argmax()))
    >>> env.close()
    >>> [carc_env.replay(record).players for record in carc_env.read_records(path)]
    [2]
    """

    def __init__(self, env: gymnasium.Env, path: str | os.PathLike):
        if not isinstance(env.unwrapped, CarcassonneEnv):
            raise ArgumentError(f"only games of carc_env can be recorded, not {brief(env.unwrapped)}")
        with Recorder(path) as recorder:  # can it be written?
            self._path = os.fspath(recorder.path)
        RecordConstructorArgs.__init__(self, path=self._path)
        gymnasium.Wrapper.__init__(self, env)
        self._is_open = False  # whether something was played that is not written yet

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Begin a new game; that before, if it was abandoned, is written."""
        self._write()
        return self.env.reset(**arguments)

    def step(self, action: int) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step; a game whose episode has ended is written."""
        given = self.env.step(action)
        self._is_open = True
        if given[2] or given[3]:
            self._write()
        return given

    def close(self) -> None:
        """Close the environment; the game played, if it was abandoned, is written."""
        self._write()
        self.env.close()

    def _write(self) -> None:
        if self._is_open:
            inner: Any = self.unwrapped
            with Recorder(self._path) as add:
                add(inner.game.record())
        self._is_open = False
