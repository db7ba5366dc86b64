"""Defines `CarcassonneAEC`, a PettingZoo environment of one game. Every player is an agent."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from carc_env.common.arguments import as_action, as_seed
from carc_env.common.errors import IllegalAction
from carc_env.envs import common
from carc_env.envs.saving import Saved, generator, generator_state, parts_of
from carc_env.games.game import Game
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import Layout
from carc_env.setup.config import ConfigSource, as_config

STATE = (
    "_value",
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_was_illegal",
    "_skip_agent_selection",
)  # the attributes that a saved state contains, besides the game and the random generator


class CarcassonneAEC(AECEnv[str, Any, Any]):
    """One game of Carcassonne. In each step, the agent `agent_selection` acts.

    The agents do not always alternate. An agent may act several times in succession, or during another player's turn.
    `observe` returns the arrays of `carc_env.observing.encode`. If an agent does not have to act, or if the episode is
    over, all entries of the agent's `action_mask` are 0. TorchRL requires that the info of every agent always has the
    same keys. The keys are `scores` (int64[players]) and `illegal_action`. The entry `illegal_action` is True if the
    agent's last action was illegal. The action mask is part of the observation, not of the info.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        render_mode: None, "ansi", "svg", "rgb_array" or "human". Only the mode "human" needs a display, because it
            opens a window.
        reward: "margin", "outcome" or "potential". With "margin", the reward is the change in the agent's margin. The
            margin is the agent's score minus the highest score of any other player. The last reward includes the final
            scoring. With "outcome", the last reward of the episode is +1 for a win, 0 for a tie and -1 for a loss, and
            all earlier rewards are 0. With "potential", the reward is the change in the agent's potential. The
            potential is the margin that the agent would have if the game ended now.
        observation: "planes", "candidates" or "both"; see `carc_env.observing.encode`.
        illegal_action: "lose", "raise" or "random". With "lose", all agents terminate after an illegal action, and the
            agent that chose the illegal action loses. The last reward of this agent is then -1 with reward="outcome",
            and otherwise -100. With "raise", an illegal action raises IllegalAction. With
            "random", a random legal action is played instead of the illegal action.
        players: the number of players. If `players` is None, `config` determines the number of players.
        spaces, price: as in `CarcassonneEnv`. The attribute `layout` describes the observed arrays and the action ids.
    """

    metadata = {
        "name": "carc_env_v0",
        "render_modes": list(common.RENDER_MODES),
        "render_fps": common.RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        config: ConfigSource = "goldmines",
        render_mode: str | None = None,
        reward: str = "margin",
        observation: str = "planes",
        illegal_action: str = "lose",
        players: int | None = None,
        spaces: str = "game",
        price: bool = False,
    ):
        super().__init__()  # type: ignore[no-untyped-call]
        self.config = as_config(config, players)
        common.check(reward, observation, illegal_action)
        common.one_of("render_mode", render_mode, (None, *common.RENDER_MODES))
        self._reward, self._illegal = reward, illegal_action
        self._observation_spec = common.observation_spec(
            self.config, spaces, observation, "ids", MAX_CANDIDATES, price=price
        )
        self.render_mode = render_mode
        self._screen = common.Screen(render_mode)
        self.possible_agents = [f"player_{player}" for player in range(self.config.players)]
        self._numbers = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: common.observation_space(self._observation_spec) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(self.layout.n_actions) for agent in self.possible_agents}
        self.agents: list[str] = []
        # the current game; None before the first reset
        self.game: Game = None  # type: ignore[assignment]
        self._rng: np.random.Generator = None  # type: ignore[assignment]
        self._was_illegal = dict.fromkeys(self.possible_agents, False)  # True if the agent's last action was illegal

    @property
    def layout(self) -> Layout:
        """The layout of the observations: the names, meanings, types and ranges of all observed numbers. The layout
        also converts between the action ids of this environment and the common ids, which `Game` uses.
        """
        return self._observation_spec.layout

    # --- PettingZoo -------------------------------------------------------------------------------------------------
    def observation_space(self, agent: str) -> Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new game. `options={"deck": [...]}` sets the order of the tiles. Other options are ignored, as
        PettingZoo's tests require.
        """
        deck = (options or {}).get("deck")
        common.check_deck(deck, self.config, self.layout)
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(None if seed is None else as_seed(seed))
        game_seed, _, _ = common.draw(self._rng, self.config.players)
        self.game = Game(self.config, seed=game_seed, deck=deck)
        self._value = common.values(self.game, self._reward)
        self.agents = list(self.possible_agents)
        self._was_illegal = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo itself uses None for no agent
        self._go_on()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the current observation of an agent. When the episode is over, the action mask contains only zeros."""
        seen = self.game.observe(self._numbers[agent], self._observation_spec)
        if not self.agents or any(self.terminations.values()):
            seen["action_mask"][:] = 0  # if an illegal action ended the episode, the game itself is not over
        return seen

    def step(self, action: int | None) -> None:
        """Play an action for the agent `agent_selection`. The action is None for an agent that has terminated."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        illegal = self._play(self.layout.to_common(as_action(action, self.layout.n_actions)))
        self._was_illegal[agent] = illegal
        self._cumulative_rewards[agent] = 0.0
        if illegal and self._illegal == "lose":
            self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: common.LOST[self._reward]}
        else:
            before, self._value = self._value, common.values(self.game, self._reward)
            self.rewards = dict(zip(self.agents, (self._value - before).tolist()))
        self._accumulate_rewards()
        self._go_on(illegal and self._illegal == "lose")

    def render(self) -> str | np.ndarray | None:
        """Draw the table. The modes "ansi" and "svg" return text, and "rgb_array" returns uint8[height, width, 3]."""
        return self._screen.draw(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def save(self) -> Saved:
        """Return the state of the environment for `restore`. The state contains the game, the random generator, the
        agents, the rewards and the infos.
        """
        parts = {name: deepcopy(getattr(self, name)) for name in STATE if hasattr(self, name)}
        game = None if self.game is None else self.game.clone()
        return Saved(self._kind, {"game": game, "rng": generator_state(self._rng), "rest": parts})

    def restore(self, state: Saved) -> None:
        """Restore a state that `save` returned. The environment then behaves exactly as it did when `save` returned the
        state.

        Raises ArgumentError if the state was saved by an environment with a different configuration or reward. Raises
        DeckError if the saved game's deck contains a tile that the observations of this environment cannot show.
        """
        parts = parts_of(state, self._kind)
        if parts["game"] is not None:
            self.layout.check_deck(parts["game"].deck)
        self.game = parts["game"] and parts["game"].clone()
        self._rng = generator(parts["rng"])
        for name, value in parts["rest"].items():
            setattr(self, name, deepcopy(value))

    # --- what a step is made of -------------------------------------------------------------------------------------
    @property
    def _kind(self) -> dict[str, Any]:
        """The settings that `restore` compares. A state can be restored only if it was saved by an environment with the
        same settings.
        """
        return {"environment": "CarcassonneAEC", "config": self.config, "reward": self._reward}

    def _play(self, action: int) -> bool:
        """Play an action. Returns True if the action is illegal. With illegal_action="random", a random legal action is
        played instead of an illegal action.
        """
        try:
            self.game.play(action)
        except IllegalAction:
            if self._illegal == "raise":
                raise
            if self._illegal == "random":
                self.game.play(int(self._rng.choice(self.game.legal_actions())))
            return True
        return False

    def _go_on(self, is_lost: bool = False) -> None:
        """Select the agent that has to act next. At the end of the game, all agents terminate. `is_lost` is True if an
        agent has lost the game through an illegal action.
        """
        scores, player = self.game.scores, self.game.player
        self.infos = {agent: {"scores": scores, "illegal_action": self._was_illegal[agent]} for agent in self.agents}
        if player is None or is_lost:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[player]
        self._screen.show(self.game)


def env(*args: Any, **kwargs: Any) -> OrderEnforcingWrapper[str, Any, Any]:
    """Make a CarcassonneAEC, and wrap it in PettingZoo's OrderEnforcingWrapper, which checks the order of calls."""
    return OrderEnforcingWrapper(CarcassonneAEC(*args, **kwargs))
