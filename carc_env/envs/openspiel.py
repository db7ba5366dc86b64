"""The OpenSpiel game `python_carcassonne`. Importing this module registers `python_carcassonne` with OpenSpiel.

| parameter | meaning |
|---|---|
| `preset` | the name of a preset, or the path of a TOML file with a configuration |
| `players` | the number of players; 0 means the number in the preset |
| `tables` | the number of initial positions from which the game chooses one at random. The parameter is used only if start tiles, chips or castle tiles are drawn before the game |
| `returns` | `margin`: the player's points minus the points of the opponent with the most points. `outcome`: the sign of the margin (+1, 0 or -1) |
| `spaces` | `game`: the planes, global features and actions that the configuration can use. `common`: the planes, global features and actions that any game with this table size can use |

Every random draw is a chance node that lists all outcomes with their probabilities. A search therefore cannot see
future draws; see `carc_env.games.open_game`. The actions of players have the ids of the game's `layout`, as in the
Gymnasium environments. The id of a chance outcome is the index of an initial position, a type of tile, or a face of a
chip.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError:
    raise ImportError('carc_env.envs.openspiel needs OpenSpiel: pip install ".[openspiel]"') from None

from carc_env.boxes.layout import LARGEST
from carc_env.boxes.tiles import tile_kinds
from carc_env.common.arguments import as_count
from carc_env.common.errors import ArgumentError
from carc_env.games.open_game import LAID, OpenGame
from carc_env.notation.positions import known, short
from carc_env.observing import encode
from carc_env.observing.spaces import Layout, layout_of
from carc_env.rules.state import MAX_MOVES, MAX_PLAYERS, MAX_TILES, N_CHIPS
from carc_env.setup.config import GameConfig, as_config

NAME = "python_carcassonne"
MARGIN, OUTCOME = "margin", "outcome"
DEFAULTS: dict[str, Any] = {"preset": "goldmines", "players": 0, "tables": LAID, "returns": MARGIN, "spaces": "game"}
FACES = 6  # the number of faces that a chip can have: three colours with two values each


def game_type(players: int | None = None) -> pyspiel.GameType:
    """Return OpenSpiel's description of the games with this number of players, or of all games if `players` is None.
    With two players the game is zero-sum.
    """
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Carcassonne of carc_env",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if players == 2 else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


def game_info(config: GameConfig, layout: Layout, tables: int, returns: str) -> pyspiel.GameInfo:
    """Return OpenSpiel's description of the limits of a game, such as the number of actions. If the returns are
    margins, their bounds follow from the largest score that a game can store.
    """
    most = 1.0 if returns == OUTCOME else 2.0 * LARGEST
    return pyspiel.GameInfo(
        num_distinct_actions=layout.n_actions,
        max_chance_outcomes=max(tables, len(tile_kinds()), FACES),
        num_players=config.players,
        min_utility=-most,
        max_utility=most,
        utility_sum=0.0 if config.players == 2 else None,
        max_game_length=MAX_MOVES,
    )


class CarcassonneGame(pyspiel.Game):
    """The games of one configuration, with OpenSpiel's interface. Raises ConfigError, CountError or ArgumentError for
    invalid parameters.

    Attributes:
        layout: the description of planes, global features and actions. The layout also converts actions to the common
            ids of carc_env and back.
    """

    def __init__(self, params: Mapping[str, Any] | None = None):
        params = DEFAULTS | dict(params or {})
        self.config = as_config(params["preset"], params["players"] or None)
        self.tables, self.kind = as_count(params["tables"], "tables", 1), params["returns"]
        if self.kind not in (MARGIN, OUTCOME):
            raise ArgumentError(f"returns = {self.kind!r}: should be {MARGIN!r} or {OUTCOME!r}")
        self.layout = layout_of(self.config, params["spaces"])
        super().__init__(
            game_type(self.config.players), game_info(self.config, self.layout, self.tables, self.kind), params
        )

    def new_initial_state(self) -> "CarcassonneState":
        """Return the state before the first random draw."""
        return CarcassonneState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of chance nodes: one for the initial position, one for each tile and one for each
        chip.
        """
        return 1 + MAX_TILES + N_CHIPS

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> Any:
        """Return an OpenSpiel observer, which writes a state to a tensor. The tensor holds the planes and global
        features of the layout.
        """
        if iig_obs_type is None or iig_obs_type.public_info and not iig_obs_type.perfect_recall:
            return Observer(self.layout, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class CarcassonneState(pyspiel.State):
    """The state of a single game, with OpenSpiel's interface.

    Attributes:
        table: the `OpenGame` of carc_env with the position of this state.
    """

    def __init__(self, game: CarcassonneGame):
        super().__init__(game)
        self.table, self._kind, self._layout = OpenGame(game.config, game.tables), game.kind, game.layout

    def current_player(self) -> int:
        """Return the player who has to act. At a chance node, return `PlayerId.CHANCE`. If the game is over, return
        `PlayerId.TERMINAL`.
        """
        if self.table.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return pyspiel.PlayerId.TERMINAL if self.table.player is None else self.table.player

    def _legal_actions(self, player: int) -> list[int]:
        return self._layout.from_common(self.table.legal_actions()).tolist() if player == self.table.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes of the chance node and their probabilities."""
        return [(chance.number, chance.probability) for chance in self.table.chances()]

    def _apply_action(self, action: int) -> None:
        if self.table.is_chance:
            self.table.decide(action)
        else:
            self.table.play(self._layout.to_common(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.table.name_of(action)
        return self.table.game.text(self._layout.to_common(action))

    def is_terminal(self) -> bool:
        """True if the game is over."""
        return self.table.is_over

    def returns(self) -> list[float]:
        """Compute the return of each player. Until the game is over, all returns are 0."""
        game = self.table.game
        if not self.table.is_over:
            return [0.0] * game.players
        scores = game.scores.astype(float)
        margins = [score - np.delete(scores, player).max() for player, score in enumerate(scores)]
        return [float(np.sign(margin) if self._kind == OUTCOME else margin) for margin in margins]

    def __str__(self) -> str:
        """Return all public information as one line of JSON. While a tile or chip has to be drawn, the line also
        contains the action that causes the draw, and the results of all earlier draws that this action caused. Draws
        before the first action are not caused by an action. Before the initial position is drawn, the line contains
        only the configuration.
        """
        game = self.table.game
        if not game.state["n_tiles"]:  # the initial position has not been drawn yet
            return json.dumps({"config": short(game.config)})
        return json.dumps(known(game) | ({"drawing": self.table.drawing()} if self.table.is_chance else {}))


class Observer:
    """An OpenSpiel observer with the planes and global features of `Game.observe`.

    `tensor` holds the planes, followed by the global features. `dict` holds two named arrays, one for the planes and
    one for the global features. The two arrays of `dict` are views of `tensor`.
    """

    def __init__(self, layout: Layout, params: Mapping[str, Any] | None = None):
        if params:
            raise ArgumentError(f"an observer takes no parameters, but got {sorted(params)}")
        self._observation_spec = encode.ObservationSpec(layout)
        shapes = {name: encode.spaces(self._observation_spec)[name][0] for name in ("planes", "globals")}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])  # views
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts)}

    def set_from(self, state: CarcassonneState, player: int) -> None:
        """Write a state to the tensor, from the perspective of a player."""
        seen = state.table.game.observe(player, self._observation_spec)
        for name, part in self.dict.items():
            part[:] = seen[name]

    def string_from(self, state: CarcassonneState, player: int) -> str:
        """Return the text of a state. The text is the same for all players."""
        return str(state)


pyspiel.register_game(game_type(), CarcassonneGame)
