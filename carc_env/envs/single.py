"""CarcassonneEnv: the Gymnasium environment of one game, seen by one player."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from carc_env import bots
from carc_env.config import GameConfig, as_config
from carc_env.envs import common
from carc_env.errors import IllegalAction
from carc_env.game import Game
from carc_env.rules.answers import N_ACTIONS


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

    metadata = {"render_modes": list(common.RENDER_MODES), "render_fps": common.RENDER_FPS}

    def __init__(self, config: GameConfig | str = "goldmines", opponent: "str | bots.Bot" = "greedy",
                 seat: int | str = "random", reward: str = "margin", observation: str = "planes",
                 illegal_action: str = "lose", render_mode: str | None = None):
        self.config = as_config(config)
        common.check(reward, illegal_action, render_mode)
        if seat != "random" and seat not in range(self.config.players):
            raise ValueError(f"seat = {seat!r}: should be 'random' or from 0 to {self.config.players - 1}")
        self._bot = None if opponent == "self" else bots.make(opponent)
        self._seat, self._reward, self._illegal, self._observation = seat, reward, illegal_action, observation
        self.render_mode = render_mode
        self._screen = common.Screen(render_mode)
        self.action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = common.observation_space(observation)
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
        game_seed, bot_seed, seat = common.draw(self.np_random, self.config.players)
        self.seat = seat if self._seat == "random" else int(self._seat)
        self.game = Game(self.config, seed=game_seed, deck=deck)
        if self._bot is not None:
            self._bot.reseed(bot_seed)
        self._play_opponents()
        self._value = common.values(self.game, self._reward)
        self._screen.show(self.game)
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
        self._screen.show(self.game)
        observation, info = self._look(rewards, illegal)
        return observation, float(rewards[player]), self.game.is_over, False, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal for the agent now, bool[N_ACTIONS]."""
        return self.game.mask().astype(bool)

    def render(self) -> str | np.ndarray | None:
        """The table as text ("ansi", "svg") or as a picture ("rgb_array", uint8[height, width, 3])."""
        return self._screen.draw(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

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

    def _rewards(self) -> np.ndarray:
        before, self._value = self._value, common.values(self.game, self._reward)
        return self._value - before

    def _lose(self, player: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """The episode ends, lost by the player who gave an illegal answer."""
        rewards = np.zeros(self.game.players)
        rewards[player] = common.LOST[self._reward]
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
