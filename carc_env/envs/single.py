"""CarcassonneEnv: the Gymnasium environment of one game, seen by one player."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from carc_env import bots, encode
from carc_env.config import GameConfig, as_config
from carc_env.errors import IllegalAction
from carc_env.game import Game
from carc_env.rules.answers import N_ACTIONS

REWARDS = ("margin", "outcome", "potential")
ILLEGAL = ("lose", "raise", "random")
LOST = -100.0  # reward in points of an episode that ends with an illegal action


class CarcassonneEnv(gymnasium.Env):
    """One game of Carcassonne; a step answers one question put to the agent.

    Args:
        config: a GameConfig or the name of a preset; each id has its own default.
        opponent: who plays the other seats: a bot spec ("greedy", "random", ...), a Bot, or "self": then the caller
            answers for every player in turn, and `info["player"]` says for whom.
        seat: the agent's seat, 0 to players - 1, or "random": drawn at every reset. With "self" it has no meaning.
        reward: "margin" (change of the own score less the best opponent's, in points, final scoring included),
            "outcome" (+1, 0 or -1 at the end) or "potential" (change of the margin as if the game were scored now).
        observation: "planes", "candidates" or "both"; see `carc_env.encode`.
        illegal_action: what an illegal action does: "lose" (the episode ends, lost), "raise" (IllegalAction) or
            "random" (a random legal one is played). `info["illegal_action"]` says that it happened.
        render_mode: None, "ansi", "svg", "rgb_array" or "human" (a window; the only one that needs a display).

    With "self" the reward is that of the player who has just answered, for this one answer; `info["rewards"]`,
    float64[players], has the rewards of all players for it.

    >>> import gymnasium, carc_env
    >>> env = gymnasium.make("carc_env/Goldmines-v0", opponent="random")
    >>> observation, info = env.reset(seed=7)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata = {"render_modes": ["ansi", "svg", "rgb_array", "human"], "render_fps": 2}

    def __init__(self, config: GameConfig | str = "goldmines", opponent: "str | bots.Bot" = "greedy",
                 seat: int | str = "random", reward: str = "margin", observation: str = "planes",
                 illegal_action: str = "lose", render_mode: str | None = None):
        self.config = as_config(config)
        _one_of("reward", reward, REWARDS)
        _one_of("illegal_action", illegal_action, ILLEGAL)
        _one_of("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        if seat != "random" and seat not in range(self.config.players):
            raise ValueError(f"seat = {seat!r}: should be 'random' or from 0 to {self.config.players - 1}")
        self._bot = None if opponent == "self" else bots.make(opponent)
        self._seat, self._reward, self._illegal, self._observation = seat, reward, illegal_action, observation
        self.render_mode = render_mode
        self._window = None
        self.action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = spaces.Dict({
            name: spaces.Box(low, high, shape, dtype)
            for name, (shape, dtype, low, high) in encode.spaces(observation).items()})
        self.game: Game | None = None  # the game now played; to look at
        self.seat = 0  # the agent's seat in it

    # --- Gymnasium ------------------------------------------------------------------------------------------------
    def reset(self, *, seed: int | None = None,
              options: Mapping[str, Any] | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a new game. `options={"deck": [...]}` dictates the tiles in the order of drawing."""
        super().reset(seed=seed)
        options = dict(options or {})
        deck = options.pop("deck", None)
        if options:
            raise ValueError(f"unknown option {next(iter(options))!r}; known is 'deck'")
        game_seed, bot_seed = (int(s) for s in self.np_random.integers(2**63, size=2))
        seat = int(self.np_random.integers(self.config.players))
        self.seat = seat if self._seat == "random" else int(self._seat)
        self.game = Game(self.config, seed=game_seed, deck=deck)
        if self._bot is not None:
            self._bot.reseed(bot_seed)
        self._play_opponents()
        self._value = self._values()
        self._show()
        return self._look()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Answer the question asked; the opponents answer theirs until the agent is asked again or the game ends."""
        if self.game is None or self.game.is_over:
            raise gymnasium.error.ResetNeeded("the game is over or was not begun: call reset()")
        player = self._agent
        illegal = False
        try:
            self.game.play(int(action))
        except IllegalAction:
            if self._illegal == "raise":
                raise
            if self._illegal == "lose":
                return self._lose(player)
            illegal = True
            self.game.play(int(self.np_random.choice(self.game.legal_actions())))
        self._play_opponents()
        rewards = self._rewards()
        self._show()
        observation, info = self._look(rewards, illegal)
        return observation, float(rewards[player]), self.game.is_over, False, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal for the agent now, bool[N_ACTIONS]."""
        return self.game.mask().astype(bool)

    def render(self) -> str | np.ndarray | None:
        """The table as text ("ansi", "svg") or as a picture ("rgb_array", uint8[height, width, 3])."""
        if self.render_mode is None or self.game is None:
            return None
        from carc_env import render

        if self.render_mode == "human":
            self._show()
            return None
        return getattr(render, self.render_mode)(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    # --- what a step is made of -------------------------------------------------------------------------------------
    @property
    def _agent(self) -> int:
        """The player the caller answers for now; at the end with "self", player 0."""
        if self._bot is not None:
            return self.seat
        return 0 if self.game.player is None else self.game.player

    def _play_opponents(self) -> None:
        while self._bot is not None and not self.game.is_over and self.game.player != self.seat:
            self.game.play(self._bot.choose(self.game))

    def _values(self) -> np.ndarray:
        """What the reward is the change of, float64[players]."""
        if self._reward == "outcome" and not self.game.is_over:
            return np.zeros(self.game.players)
        scores = self.game.provisional_scores() if self._reward == "potential" else self.game.scores
        margins = scores - best_of_others(scores)
        return np.sign(margins) if self._reward == "outcome" else margins

    def _rewards(self) -> np.ndarray:
        before, self._value = self._value, self._values()
        return self._value - before

    def _lose(self, player: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """The episode ends, lost by the player who gave an illegal answer."""
        rewards = np.zeros(self.game.players)
        rewards[player] = -1.0 if self._reward == "outcome" else LOST
        observation, info = self._look(rewards, True)
        self.game = None
        return observation, float(rewards[player]), True, False, info

    def _look(self, rewards: np.ndarray | None = None,
              illegal: bool = False) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The observation and the info of the agent."""
        observation = self.game.observe(self._agent, self._observation)
        info: dict[str, Any] = {"action_mask": observation["action_mask"].copy(), "player": self._agent,
                                "scores": self.game.scores}
        if rewards is not None and self._bot is None:
            info["rewards"] = rewards
        if illegal:
            info["illegal_action"] = True
        return observation, info

    def _show(self) -> None:
        """Draw to the window, in the mode "human"."""
        if self.render_mode == "human":
            from carc_env.envs.window import Window

            self._window = self._window or Window(self.metadata["render_fps"])
            self._window.show(self.game)


def best_of_others(scores: np.ndarray) -> np.ndarray:
    """For each player the highest score among the others, float64[players].

    >>> best_of_others(np.array([7, 3, 5])).tolist()
    [5.0, 7.0, 7.0]
    """
    ascending = np.sort(scores).astype(float)
    best = np.full(len(scores), ascending[-1])
    best[int(scores.argmax())] = ascending[-2]
    return best


def _one_of(name: str, value: object, allowed: tuple) -> None:
    if value not in allowed:
        raise ValueError(f"{name} = {value!r}: should be one of {', '.join(map(repr, allowed))}")
