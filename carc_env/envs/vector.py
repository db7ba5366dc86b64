"""Defines `CarcassonneVectorEnv`, a Gymnasium VectorEnv of many games. The environment uses the batch engine."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_actions, as_count, as_seed, brief, check_chances, whole_number
from carc_env.common.errors import ArgumentError, IllegalAction, SeedError
from carc_env.envs import common, stepping
from carc_env.envs.opponents import Given
from carc_env.envs.rewards import REWARDS
from carc_env.envs.saving import Saved, generator, generator_state, parts_of, write_bytes
from carc_env.envs.single import CarcassonneEnv
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing import encode
from carc_env.observing.candidates import MAX_CANDIDATES, candidates
from carc_env.observing.prospects import observed_prices
from carc_env.observing.spaces import Layout
from carc_env.rules.state import NONE
from carc_env.setup.config import ConfigSource

MODES = tuple(mode.value for mode in AutoresetMode)
NOT_BEGUN = "the games have not begun, or an opponent has raised an error"


class CarcassonneVectorEnv(common.HasSpec, VectorEnv):
    """A batch of n games of Carcassonne that are stepped together.

    Game i is the same game that a `CarcassonneEnv` would play with the seed of game i. Game i depends neither on n nor
    on `threads`.

    Args:
        num_envs: n, the number of games.
        config, opponent, seat, reward, observation, illegal_action, players: as in `CarcassonneEnv`.
        preset, actions, rows, table, spaces, price: as in `CarcassonneEnv`.
        render_mode: None, "ansi", "svg" or "rgb_array". `render()` returns one picture for each game.
        threads: the number of threads that share the games.
        autoreset_mode: a member of gymnasium.vector.AutoresetMode or its value ("NextStep", "SameStep" or "Disabled").
        copy: if True, observations and masks are copies, which the caller can keep. If `copy` is False, observations
            and masks are the environment's own arrays, which the next step overwrites. With `copy=False`, the
            environment is faster, because copying takes most of the time of a step.

    Attributes:
        answered: the number of actions played so far, including those of opponents.

    With "SameStep", `infos["final_obs"]` and `infos["final_info"]` hold the last observations and infos of the games
    that have just ended. With "Disabled", `reset(options={"reset_mask": bool[n]})` restarts the games for which the
    mask is True.

    >>> import gymnasium, carc_env
    >>> envs = gymnasium.make_vec(
    ...     "carc_env/Goldmines-v0", 8, vectorization_mode="vector_entry_point", opponent="random"
    ... )
    >>> observations, infos = envs.reset(seed=7)
    >>> observations, rewards, terminations, truncations, infos = envs.step(infos["action_mask"].argmax(1))
    """

    closed = True  # becomes False at the end of __init__
    metadata = CarcassonneEnv.metadata | {
        "render_modes": ["ansi", "svg", "rgb_array"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        config: ConfigSource | None = None,
        opponent: Given = "greedy",
        seat: int | str = "random",
        reward: str = "margin",
        observation: str = "planes",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        players: int | None = None,
        preset: str = "goldmines",
        actions: str = "ids",
        rows: int = MAX_CANDIDATES,
        table: bool = False,
        spaces: str = "game",
        price: bool = False,
    ):
        one = CarcassonneEnv(
            config,
            opponent,
            seat,
            reward,
            observation,
            illegal_action,
            None,
            players,
            preset,
            actions,
            rows,
            table,
            spaces,
            price,
        )
        common.one_of("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        if not isinstance(autoreset_mode, AutoresetMode):
            common.one_of("autoreset_mode", autoreset_mode, MODES)
        self.num_envs, self.config, self.render_mode = as_count(num_envs, "num_envs", 1), one.config, render_mode
        self.autoreset_mode, self.copy = AutoresetMode(autoreset_mode), copy
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_action_space, self.single_observation_space = one.action_space, one.observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._opponents, self._seat, self._illegal = one._opponents, one._seat, illegal_action
        self._reward, self._observation_spec, self._lost = reward, one._observation_spec, common.LOST[reward]
        self._threads, self._screen = common.Threads(threads), common.Screen(render_mode)
        self._rngs: list[np.random.Generator] = [None] * self.num_envs  # type: ignore[list-item]
        self._seeds: list[int | None] = [None] * self.num_envs
        self._every, self.answered = np.arange(self.num_envs), 0
        # `_begun` is False before the first reset, during a step, and after an error of an opponent
        self._done, self._begun = np.zeros(self.num_envs, bool), False
        self._bot_seeds = np.zeros(self.num_envs, np.uint64)
        self._bots = np.zeros((self.num_envs, self.config.players), np.int64)  # the index of the bot in each seat
        self._make_arrays()
        self.closed = False

    def _make_arrays(self) -> None:
        """Make the arrays for the games, for the results, for the observations and for `viewers` (see `stepping`). Some
        of these arrays share memory with each other.
        """
        n = self.num_envs
        self.games = Games(self.config, n, self._every)
        self._viewers, self._results = np.zeros(n, stepping.VIEWER), np.zeros(n, stepping.RESULT)
        self._viewers["reward"] = REWARDS.index(self._reward)
        self._observations = encode.empty(n, self._observation_spec)
        self._viewers["blind"] = "planes" not in self._observations
        pictures, numbers, masks = encode.as_records(self._observations, self._observation_spec)
        if self._observation_spec.by_row:  # the mask of all action ids is not part of the observations
            self._unseen = {"action_mask": np.zeros((n, self.layout.n_actions), np.int8)}
            _, _, masks = encode.as_records(
                self._observations | self._unseen, self._observation_spec._replace(by_row=False)
            )
        self._arrays = (self._viewers, self._results, pictures, numbers, masks, self.layout.where)
        self._copies = common.Copies()

    @property
    def layout(self) -> Layout:
        """The layout of the observations: the names, meanings, types and ranges of all observed numbers. The layout
        also converts the action ids of this environment to the common ids, which `Game` uses, and back.
        """
        return self._observation_spec.layout

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The observation space of all games. This space is made at its first use, because the arrays of its bounds
        take more memory than the games.
        """
        return batch_space(self.single_observation_space, self.num_envs)

    # --- Gymnasium ------------------------------------------------------------------------------------------------
    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Restart all games. Game i has the seed `seed + i`, or `seed[i]` if `seed` is a list.

        `options={"deck": [...]}` sets the order in which the tiles of every game are drawn.
        `options={"reset_mask": bool[n]}` selects the games that are restarted.

        Raises:
            SeedError, DeckError: for an invalid seed or deck.
            ArgumentError: for an unknown option, or a `reset_mask` that is not bool[n] or selects no game.
            ResetNeeded: if `reset_mask` leaves out a game, but all games must be reset: in the first reset, and in the
                next reset after an opponent has raised an error.
        """
        seeds = self._each_seed(seed)
        options = common.read_options(options, "deck", "reset_mask")
        mask, deck = options.get("reset_mask", np.ones(self.num_envs, bool)), options.get("deck")
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(f"reset_mask should be bool[{self.num_envs}], with at least one True")
        if not self._begun and not mask.all():
            raise gymnasium.error.ResetNeeded(f"{NOT_BEGUN}; first call reset() without a reset_mask")
        common.check_deck(deck, self.config, self.layout)
        made = {
            i: seeding.np_random(seeds[i])
            for i in np.flatnonzero(mask)
            if seeds[i] is not None or self._rngs[i] is None
        }
        for i, (rng, drawn) in made.items():
            self._rngs[i], self._seeds[i] = rng, drawn
        self._begun = False
        self._begin(np.flatnonzero(mask), deck)
        self._list_candidates(self._every)
        self._done = np.where(mask, self._results["is_over"] == 1, self._done)
        self._begun = True
        return self.observations(), self._infos(mask)

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in each game, and let the opponents act until the agent has to act again.

        Args:
            actions: an action id for each game, int[n]. If a game begins in this step, its action is ignored.

        Returns:
            The observations, the rewards (float64[n]), the terminations (bool[n]), the truncations (bool[n], never
            True) and the infos.

        Raises:
            IllegalAction: if `actions` is not one integer for each game. With `illegal_action="raise"`, IllegalAction
                is also raised for an integer that is not a legal action. The error leaves all games unchanged.
            ResetNeeded: before the first reset, and after an opponent has raised an error in a step or a reset. With
                `autoreset_mode="Disabled"`, ResetNeeded is also raised if a game is over.
        """
        self._check_begun()
        given = as_actions(actions, self.num_envs, self._observation_spec.n_actions)
        actions = self._ids(given)
        if self.autoreset_mode == AutoresetMode.DISABLED and np.count_nonzero(self._done):
            raise gymnasium.error.ResetNeeded(f"game {self._done.argmax()} is over; call reset() with a reset_mask")
        starting, playing = self._done, self._every
        if np.count_nonzero(starting):
            playing = np.flatnonzero(~starting)
            actions = actions[playing]
        playing, actions, lost, illegal = self._judge(playing, actions, given)
        self._begun = False
        self._play(playing, actions)
        if len(playing) + len(lost) < self.num_envs:
            self._begin(np.flatnonzero(starting))
        self._play_opponents(playing)
        rewards, terminations = self._results["reward"].copy(), self._results["is_over"].astype(bool)
        if len(lost):
            rewards[lost], terminations[lost] = self._lost, True
            self._results["rewards"][lost] = 0.0
            self._results["rewards"][lost, self._results["player"][lost]] = self._lost
        stepped, finals = ~starting, {}
        self._done = terminations
        if self.autoreset_mode == AutoresetMode.SAME_STEP and np.count_nonzero(terminations):
            ended = np.flatnonzero(terminations)
            self._list_candidates(ended)
            finals = self._finals(ended, illegal)
            self._begin(ended)
            self._done = self._results["is_over"] == 1
            stepped[ended] = False
        self._list_candidates(self._every)
        self._begun = True
        infos = finals | self._infos(np.ones(self.num_envs, bool), stepped, illegal & stepped)
        return self.observations(), rewards, terminations.copy(), np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Return the action masks, bool[n, m] for m actions. The mask of a finished game is True only for `pass`. With
        actions="candidates", the mask of a finished game is True only for the first candidate.
        """
        self._check_begun()
        return self._observations["action_mask"].astype(bool)

    def random_actions(self, chances: np.ndarray) -> np.ndarray:
        """Return a legal action for each game, chosen uniformly at random, int64[n]. For a finished game, the returned
        action is `pass`. With actions="candidates", the returned action for a finished game is 0.

        Args:
            chances: the states of the games' random generators, int64[n, 2]. A state consists of two 32-bit words, and
                at least one of the two words is not 0. The call updates the states of the generators.

        Raises ArrayError.
        """
        self._check_begun()
        check_chances(chances, self.num_envs)
        actions = np.empty(self.num_envs, np.int64)
        if self._observation_spec.by_row:
            stepping.random_legal(self._observations["action_mask"], chances, actions)
        else:
            stepping.random_answers(self._viewers, chances, self.layout.where, actions)
        return actions

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each game. The modes "ansi" and "svg" return texts, and "rgb_array" returns arrays
        uint8[height, width, 3].
        """
        if self.render_mode is None or not self._begun:
            return None
        return tuple(self._screen.draw(self.games.game(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._threads.close()

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random generators of the games. At every reset, these generators supply seeds and seats."""
        return tuple(self._rngs)

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """The seeds of the games' random generators."""
        return tuple(self._seeds)

    # --- states ------------------------------------------------------------------------------------------------------
    def save(self) -> Saved:
        """Return the state of all games for `restore`. The state contains the games, the random generators, the seats,
        and the values from which the next rewards are computed. The state contains neither the bots nor the threads.
        """
        return Saved(
            self._kind,
            {
                "records": [array.tobytes() for array in self._state_arrays()],
                "done": self._done.copy(),
                "begun": self._begun,
                "bot_seeds": self._bot_seeds.copy(),
                "bots": self._bots.copy(),
                "seeds": tuple(self._seeds),
                "rngs": [generator_state(rng) for rng in self._rngs],
            },
        )

    def restore(self, state: Saved) -> None:
        """Restore a state that `save` returned. The environment then behaves exactly as it did when `save` returned the
        state.

        Raises ArgumentError if the state comes from an environment with other settings. The relevant settings are the
        configuration, the reward, the observation, the autoreset mode, the number of games, and the number of
        opponents.
        """
        parts = parts_of(state, self._kind)
        for array, data in zip(self._state_arrays(), parts["records"]):
            write_bytes(data, array)
        self._done, self._begun, self._bots = parts["done"].copy(), parts["begun"], parts["bots"].copy()
        self._bot_seeds, self._seeds = parts["bot_seeds"].copy(), list(parts["seeds"])
        self._rngs = [generator(rng) for rng in parts["rngs"]]
        if self._begun:
            self._list_candidates(self._every)

    @property
    def _kind(self) -> dict[str, Any]:
        """The settings that `restore` compares. A state can be restored only if it was saved by an environment with the
        same settings.
        """
        return {
            "environment": "CarcassonneVectorEnv",
            "config": self.config,
            "reward": self._reward,
            "observation": self._observation_spec,
            "num_envs": self.num_envs,
            "autoreset_mode": self.autoreset_mode.value,
            "opponent": len(self._opponents.bots),
            "layout": [array.nbytes for array in self._state_arrays()],
        }

    def _state_arrays(self) -> list[np.ndarray]:
        """Return the arrays that make up a state. The candidates and the array `table` are not included, because they
        can be computed again.
        """
        shown = [self._observations[name] for name in ("planes", "globals") if name in self._observations]
        masks = self._unseen if self._observation_spec.by_row else self._observations
        return [self.games.records, self._viewers, self._results, masks["action_mask"], *shown]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle and copies. The arrays of `_make_arrays` are left out, because `__setstate__`
        makes new arrays.
        """
        anew = (
            "games",
            "_viewers",
            "_results",
            "_observations",
            "_unseen",
            "_arrays",
            "_copies",
            "_rngs",
            "observation_space",
        )
        return {name: value for name, value in self.__dict__.items() if name not in anew} | {"_saved": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "_saved"})
        self._make_arrays()
        self.restore(state["_saved"])

    # --- what a step is made of -------------------------------------------------------------------------------------
    def _check_begun(self) -> None:
        """Raise ResetNeeded if the games have not begun, or if an opponent has raised an error."""
        if not self._begun:
            raise gymnasium.error.ResetNeeded(f"{NOT_BEGUN}; call reset()")

    def _each_seed(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return the seed of each game. Raises SeedError."""
        n, first = self.num_envs, whole_number(seed)
        if seed is None:
            return [None] * n
        if first is not None:
            return [as_seed(first + i) for i in range(n)]
        if isinstance(seed, (int, str, bytes)) or not hasattr(seed, "__len__"):
            raise SeedError(f"seed = {brief(seed)}: should be an int, or a list with one seed for each game")
        if len(seed) != n:
            raise SeedError(f"{n} games need {n} seeds, not {len(seed)}")
        return [None if one is None else as_seed(one) for one in seed]

    def _begin(self, which: np.ndarray, deck: Sequence[str] | None = None) -> None:
        """Restart some of the games. The array `which` contains the indices of these games. The deck, the agent's seat
        and the opponents' bots are drawn at random, unless they are given. The opponents act until the agent has to
        act.
        """
        drawn = [common.draw(self._rngs[i], self.config.players) for i in which.tolist()]
        seeds, self._bot_seeds[which], seats = zip(*drawn) if drawn else ((), (), ())
        self._viewers["seat"][which] = (
            NONE if not self._opponents.bots else seats if self._seat == "random" else self._seat
        )
        if len(self._opponents.bots) > 1:
            for i in which:
                self._bots[i] = self._opponents.draw(self._rngs[i], int(self._viewers["seat"][i]))
        if deck is None:
            self.games.reset(which, seeds)
        else:
            for i, seed in zip(which, seeds):
                self.games[i : i + 1] = Games.view_of(Game(self.config, seed, deck))
        self._threads.share_out(
            lambda part: stepping.begin(self.games.records, part, tile_table(), *self._arrays), which
        )
        self._play_opponents(which)

    def _judge(
        self, playing: np.ndarray, actions: np.ndarray, given: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Check one action for each game in `playing`. `actions` holds the common ids that `Game` uses, and `given`
        holds the actions as the caller passed them.

        Returns four arrays:

        - the indices of the games that continue;
        - the actions in the games that continue;
        - the indices of the games that are lost by an illegal action;
        - a mask bool[n] that is True for the games with an illegal action.
        """
        legal, illegal = np.ones(len(playing), bool), np.zeros(self.num_envs, bool)
        if not stepping.find_illegal(playing, self._viewers, actions, legal):
            return playing, actions, playing[:0], illegal
        wrong = np.flatnonzero(~legal)
        illegal[playing[wrong]] = True
        if self._illegal == "raise":
            game = playing[wrong[0]]
            raise IllegalAction(f"game {game}: action {given[game]} is not legal")
        if self._illegal == "lose":
            return playing[legal], actions[legal], playing[wrong], illegal
        for k in wrong:
            actions[k] = self._rngs[playing[k]].choice(self._answers(playing[k]))
        return playing, actions, wrong[:0], illegal

    def _answers(self, i: int) -> np.ndarray:
        """Return the legal actions in game i, in ascending order."""
        answers: np.ndarray = self._viewers[i]["answers"][: self._viewers[i]["n_answers"]]
        return answers

    def _play(self, which: np.ndarray, actions: np.ndarray) -> None:
        """Play a legal action in some of the games. The array `which` contains the indices of these games."""
        self.answered += len(which)
        self._threads.share_out(
            lambda part, some: stepping.play(self.games.records, part, tile_table(), some, *self._arrays),
            which,
            actions,
        )

    def _play_opponents(self, which: np.ndarray) -> None:
        """Let the opponents act in each game, until the agent has to act or until the game is over."""
        while self._opponents.bots:
            which = which[self._results["waits"][which] == 1]
            if not len(which):
                return
            if len(self._opponents.bots) == 1:
                self._let_answer(0, which)
                continue
            numbers = self._bots[which, self.games.players[which]]
            for number in np.unique(numbers).tolist():
                self._let_answer(number, which[numbers == number])

    def _let_answer(self, number: int, which: np.ndarray) -> None:
        """Let a bot act in some of the games. The array `which` contains the indices of these games."""
        answers = self._opponents.answers(number, self.games, which, self._bot_seeds[which], self._threads)
        self._play(which, answers)

    def _ids(self, actions: np.ndarray) -> np.ndarray:
        """Convert actions to the common ids that `Game` uses. An invalid action becomes NONE, which is never legal. The
        index of an empty row of the candidates also becomes NONE.
        """
        if self._observation_spec.by_row:
            is_row = (actions >= 0) & (actions < self._observation_spec.rows)
            actions = np.where(
                is_row, self._observations["candidate_actions"][self._every, np.where(is_row, actions, 0)], NONE
            )
        ids: np.ndarray = self.layout.to_common(actions)
        return ids

    def _list_candidates(self, which: np.ndarray) -> None:
        """Write the candidates and the array `table` for some of the games. The array `which` contains the indices of
        these games. Arrays that are not part of the observations are left out.
        """
        self._threads.share_out(self._list_some, which)

    def _list_some(self, which: np.ndarray) -> None:
        seen = self._observations
        if "candidates" in seen:
            candidates(
                self.games.records,
                which,
                tile_table(),
                observed_prices(),
                seen["candidates"],
                seen["candidate_actions"],
            )
            if not self.layout.is_common:
                seen["candidate_actions"][which] = self.layout.from_common_legal(seen["candidate_actions"][which])
        if self._observation_spec.by_row:
            seen["action_mask"][which] = seen["candidate_actions"][which] != NONE
            seen["action_mask"][which, 0] = 1  # every mask has at least one 1, even if the game is over
        if self._observation_spec.table:
            encode.write_standing(
                self.games.records, which, self._results["player"], self._observation_spec, seen["table"]
            )

    # --- what a step gives --------------------------------------------------------------------------------------------
    def observations(self) -> dict[str, np.ndarray]:
        """Return the current observations, as the last step or reset returned them."""
        if self.copy:
            return {name: self._copies.of(name, array) for name, array in self._observations.items()}
        return dict(self._observations)

    def _infos(
        self, which: np.ndarray, stepped: np.ndarray | None = None, illegal: np.ndarray | None = None
    ) -> dict[str, Any]:
        """Return the infos of the games for which the mask `which` is True. The mask `stepped` marks the games that
        have just played a step.
        """
        masks = self._observations["action_mask"]
        infos = {
            "action_mask": self._copies.of("infos", masks) if self.copy else masks,
            "player": self._results["player"].copy(),
            "scores": self._results["scores"][:, : self.config.players].copy(),
        }
        if len(self._opponents.bots) > 1:
            seats = self._viewers["seat"][:, None]
            infos["opponents"] = np.where(np.arange(self.config.players) == seats, NONE, self._bots)
        infos |= {f"_{name}": which for name in tuple(infos)}
        if stepped is not None and not self._opponents.bots and np.count_nonzero(stepped):
            infos["rewards"] = self._results["rewards"][:, : self.config.players].copy()
            infos["rewards"][~stepped] = 0.0
            infos["_rewards"] = stepped
        if illegal is not None and np.count_nonzero(illegal):
            infos["illegal_action"] = infos["_illegal_action"] = illegal
        return infos

    def _finals(self, ended: np.ndarray, illegal: np.ndarray) -> dict[str, Any]:
        """Return the last observations and infos of the games with the indices in `ended`."""
        mask = np.zeros(self.num_envs, bool)
        mask[ended] = True
        finals = np.full(self.num_envs, None, object)
        for i in ended:
            finals[i] = {name: array[i].copy() for name, array in self._observations.items()}
        infos = self._infos(mask, mask, illegal & mask)
        for name, array in infos.items():
            if not name.startswith("_"):
                infos[name] = np.where(mask.reshape(-1, *[1] * (array.ndim - 1)), array, np.zeros((), array.dtype))
        return {"final_obs": finals, "_final_obs": mask, "final_info": infos, "_final_info": mask.copy()}
