"""Defines `CarcassonneEnv`, a Gymnasium environment of one game from the perspective of one player."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from carc_env.common.arguments import as_action, as_seed
from carc_env.common.errors import IllegalAction
from carc_env.envs import common
from carc_env.envs.opponents import Given, Opponents
from carc_env.envs.saving import Saved, generator, generator_state, parts_of
from carc_env.games.game import Game
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import Layout
from carc_env.rules.state import NONE
from carc_env.setup.config import ConfigSource, as_config


class CarcassonneEnv(common.HasSpec, gymnasium.Env):
    """One game of Carcassonne. In each step, the agent plays one action.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset. If `config` is
            None, the preset `preset` is played.
        opponent: the bots that play the other seats. A bot is a spec such as "greedy", a Bot, or a function
            `game -> action`. A list of bots is also allowed (see `Opponents`). With "self", the caller plays all seats:
            in each step, the caller acts for the player `info["player"]`.
        seat: the agent's seat, from 0 to players - 1, or "random" for a new random seat at every reset. With
            opponent="self", the seat is ignored.
        reward: "margin", "outcome" or "potential". With "margin", the reward is the change in the agent's margin. The
            margin is the agent's score minus the highest score of any other player. The last reward includes the final
            scoring. With "outcome", the last reward of the episode is +1 for a win, 0 for a tie and -1 for a loss, and
            all earlier rewards are 0. With "potential", the reward is the change in the agent's potential. The
            potential is the margin that the agent would have if the game ended now.
        observation: "planes", "candidates" or "both"; see `carc_env.observing.encode`.
        actions: "ids" or "candidates". With "ids", actions are the action ids of the layout. With "candidates", an
            action is the index of a candidate, and the length of the mask is `rows`.
        rows: the maximum number of candidates. If more than `rows` actions are legal, only those with the highest
            heuristic values are candidates.
        table: if True, an observation also has the array `table`, a summary of the position.
        price: if True, candidates also have the columns `price` and `rank`. The bot "greedy" computes a heuristic value
            for each legal action. `price` is the heuristic value of the action minus the highest heuristic value of all
            legal actions. `rank` is the fraction of the other legal actions that have a higher heuristic value.
        spaces: "game" or "common". With "game", the environment has only the planes, global features and actions that
            this configuration can use. On a map sheet, the planes have only the sheet's rows and columns. With
            "common", the environment has all planes, global features and actions that occur in at least one game with
            this table size. One network can therefore play several presets.
        illegal_action: "lose", "raise" or "random". With "lose", an illegal action ends the episode, and the agent
            loses. The last reward is then -1 with reward="outcome", and otherwise -100. With "raise", an illegal action
            raises IllegalAction. With "random", a random legal action is played instead of the illegal action. With
            "lose" or "random", `info["illegal_action"]` is True after an illegal action.
        render_mode: None, "ansi", "svg", "rgb_array" or "human". Only the mode "human" needs a display, because it
            opens a window.
        players: the number of players. If `players` is None, the configuration determines the number of players.
        preset: the name of the preset that is played if `config` is None. Each environment id has its own preset.

    Actions, seeds and seats are ints or NumPy ints. A value of another type always raises an error, even if
    `illegal_action` is "lose" or "random". The error leaves the environment unchanged. When the game is over, the mask
    marks only `pass` (or the first candidate, if actions are indices of candidates), so that the mask is never empty.

    With opponent="self", each step returns the reward that the acting player gets for the action. `info["rewards"]`
    holds the rewards of all players for the action just played, as float64[players].

    >>> import gymnasium, carc_env
    >>> env = gymnasium.make("carc_env/Goldmines-v0", opponent="random")
    >>> observation, info = env.reset(seed=7)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata = {"render_modes": list(common.RENDER_MODES), "render_fps": common.RENDER_FPS}

    def __init__(
        self,
        config: ConfigSource | None = None,
        opponent: Given = "greedy",
        seat: int | str = "random",
        reward: str = "margin",
        observation: str = "planes",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        players: int | None = None,
        preset: str = "goldmines",
        actions: str = "ids",
        rows: int = MAX_CANDIDATES,
        table: bool = False,
        spaces: str = "game",
        price: bool = False,
    ):
        self.config = as_config(preset if config is None else config, players)
        common.check(reward, observation, illegal_action)
        common.one_of("render_mode", render_mode, (None, *common.RENDER_MODES))
        self._seat = common.as_seat(seat, self.config.players)
        self._opponents = Opponents(opponent, self.config.players)
        self._reward, self._illegal = reward, illegal_action
        self._observation_spec = common.observation_spec(self.config, spaces, observation, actions, rows, table, price)
        self.render_mode = render_mode
        self._screen = common.Screen(render_mode)
        self.observation_space = common.observation_space(self._observation_spec)
        self.action_space = Discrete(self._observation_spec.n_actions)
        self.game: Game = None  # type: ignore[assignment]  # the current game; None before the first reset
        self.seat = 0  # the agent's seat in the current game
        self._is_stopped = False  # True if an illegal action has ended the game, or if an opponent has raised an error
        self._bot_seed, self._bots = 0, np.zeros(0, np.int64)  # the seed of the bots, and the bot in each seat
        self._value = np.zeros(self.config.players)  # for each player: the value whose change is the reward
        self._listed: np.ndarray | None = None  # the actions of the last observed candidates; None if outdated

    @property
    def layout(self) -> Layout:
        """The layout of the observations: the names, meanings, types and ranges of all observed numbers. The layout
        also converts the action ids of this environment to the common ids, which `Game` uses, and back.
        """
        return self._observation_spec.layout

    # --- Gymnasium ------------------------------------------------------------------------------------------------
    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a new game. `options={"deck": [...]}` sets the order in which the tiles are drawn."""
        deck = common.read_options(options, "deck").get("deck")
        common.check_deck(deck, self.config, self.layout)
        super().reset(seed=None if seed is None else as_seed(seed))
        game_seed, bot_seed, drawn = common.draw(self.np_random, self.config.players)
        seat = self._seat if isinstance(self._seat, int) else drawn
        bots = self._opponents.draw(self.np_random, seat)
        self.game = Game(self.config, seed=game_seed, deck=deck)
        self.seat, self._bot_seed, self._bots = seat, bot_seed, bots
        self._play_opponents()
        self._value = common.values(self.game, self._reward)
        self._screen.show(self.game)
        return self._look()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Play an action, and let the opponents act until the agent has to act again or the game ends. If an opponent
        raises an error, the environment has to be reset.

        Raises:
            IllegalAction: for an action that is not an integer. With `illegal_action="raise"`, IllegalAction is also
                raised for an integer that is not a legal action. The error leaves the game unchanged.
            ResetNeeded: before the first reset, after the end of an episode, and after an error of an opponent.
        """
        self._check_begun()
        given, player, illegal = as_action(action, self._observation_spec.n_actions), self._agent, False
        try:
            self.game.play(self._id(given))
        except IllegalAction as error:
            if self._illegal == "raise":
                raise IllegalAction(f"action {given}: {error}") from None
            if self._illegal == "lose":
                return self._lose(player)
            illegal = True
            self.game.play(int(self.np_random.choice(self.game.legal_actions())))
        self._play_opponents()
        rewards = self._rewards()
        self._screen.show(self.game)
        observation, info = self._look(rewards, illegal)
        return observation, float(rewards[player]), self.game.is_over, False, info

    def action_masks(self) -> np.ndarray:
        """Return the action mask of the agent, bool[n] for n actions. Raises ResetNeeded if no game is in progress."""
        self._check_begun()
        legal: np.ndarray
        if self._observation_spec.by_row:
            legal = self._candidate_actions() != NONE
        else:
            legal = self.game.mask()[self.layout.action_ids].astype(bool)
        return legal

    def save(self) -> Saved:
        """Return the state of the environment for `restore`. The state contains the game, the random generator, and the
        values from which the next reward is computed. The state does not contain the bots.
        """
        return Saved(
            self._kind,
            {
                "game": None if self.game is None else self.game.clone(),
                "seat": self.seat,
                "is_lost": self._is_stopped,
                "bot_seed": self._bot_seed,
                "bots": self._bots.copy(),
                "value": self._value.copy(),
                "rng": generator_state(self._np_random),
                "rng_seed": self._np_random_seed,
            },
        )

    def restore(self, state: Saved) -> None:
        """Restore a state that `save` returned. The environment then behaves exactly as it did when `save` returned the
        state.

        Raises ArgumentError if the state comes from an environment with another configuration, reward or number of
        opponents. Raises DeckError if the saved game's deck contains a tile that the observations of this environment
        cannot show.
        """
        parts = parts_of(state, self._kind)
        if parts["game"] is not None:
            self.layout.check_deck(parts["game"].deck)
        self.game = parts["game"] and parts["game"].clone()
        self.seat, self._is_stopped, self._bot_seed = parts["seat"], parts["is_lost"], parts["bot_seed"]
        self._bots, self._value = parts["bots"].copy(), parts["value"].copy()
        self._np_random, self._np_random_seed = generator(parts["rng"]), parts["rng_seed"]
        self._listed = None

    def render(self) -> str | np.ndarray | None:
        """Draw the table. The modes "ansi" and "svg" return text, and "rgb_array" returns uint8[height, width, 3]."""
        return self._screen.draw(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    # --- what a step is made of -------------------------------------------------------------------------------------
    @property
    def _kind(self) -> dict[str, Any]:
        """The settings that `restore` compares. A state can be restored only if it was saved by an environment with the
        same settings.
        """
        return {
            "environment": "CarcassonneEnv",
            "config": self.config,
            "reward": self._reward,
            "opponent": len(self._opponents.bots),
        }

    def _check_begun(self) -> None:
        """Raise ResetNeeded if no game has begun, if the episode is over, or if an opponent has raised an error."""
        if self.game is None or self._is_stopped or self.game.is_over:
            raise gymnasium.error.ResetNeeded(
                "the game is over or has not begun, or an opponent has raised an error; call reset()"
            )

    @property
    def _agent(self) -> int:
        """The agent's seat. With opponent="self", this is the seat of the acting player, or 0 if the game is over."""
        if self._opponents.bots:
            return self.seat
        return 0 if self.game.player is None else self.game.player

    def _observe(self) -> dict[str, np.ndarray]:
        """Return the agent's observation."""
        seen = self.game.observe(self._agent, self._observation_spec)
        if self._observation_spec.by_row:
            self._listed = seen["candidate_actions"].copy()  # a copy, because the caller can change the array in `seen`
        return seen

    def _candidate_actions(self) -> np.ndarray:
        """Return an array with the action of each candidate. In an empty row, the action is NONE."""
        return self._observe()["candidate_actions"] if self._listed is None else self._listed

    def _id(self, action: int) -> int:
        """Convert an action to the common id that `Game` uses. Raises IllegalAction if the action does not exist."""
        spec = self._observation_spec
        if not 0 <= action < spec.n_actions:
            raise IllegalAction(f"an action should be from 0 to {spec.n_actions - 1}")
        if spec.by_row:
            action = int(self._candidate_actions()[action])
            if action == NONE:
                raise IllegalAction("there is no candidate in this row")
        return int(spec.layout.action_ids[action])

    def _play_opponents(self) -> None:
        self._listed = None  # outdated: the next decision has other candidates
        self._is_stopped = True  # stays True if an opponent raises an error
        while self._opponents.bots and not self.game.is_over and self.game.player != self.seat:
            self._opponents.answer(int(self._bots[self.game.player]), self.game, self._bot_seed)
        self._is_stopped = False

    def _rewards(self) -> np.ndarray:
        before, self._value = self._value, common.values(self.game, self._reward)
        return self._value - before

    def _lose(self, player: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """End the episode with a loss for the player who chose an illegal action."""
        rewards = np.zeros(self.game.players)
        rewards[player] = common.LOST[self._reward]
        observation, info = self._look(rewards, True)
        self._is_stopped = True
        return observation, float(rewards[player]), True, False, info

    def _look(
        self, rewards: np.ndarray | None = None, illegal: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the observation and the info of the agent."""
        observation = self._observe()
        if self.game.is_over:  # mark one action, so that the mask is not empty
            observation["action_mask"][0 if self._observation_spec.by_row else self.layout.pass_action] = 1
        info: dict[str, Any] = {
            "action_mask": observation["action_mask"].copy(),
            "player": self._agent,
            "scores": self.game.scores,
        }
        if len(self._opponents.bots) > 1:
            info["opponents"] = np.where(np.arange(self.config.players) == self.seat, NONE, self._bots)
        if rewards is not None and not self._opponents.bots:
            info["rewards"] = rewards
        if illegal:
            info["illegal_action"] = True
        return observation, info
