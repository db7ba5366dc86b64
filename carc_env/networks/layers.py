"""Defines the layers that all networks use, and the layers that encode unscaled planes and global features.

This module and the networks that score actions from planes do not need Stable-Baselines3.
"""

from collections.abc import Sequence

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.distributions import Categorical

from carc_env.bots.policy import LIMIT
from carc_env.boxes.actions import Block
from carc_env.boxes.layout import Entry
from carc_env.common.errors import ArgumentError
from carc_env.envs.inputs import Rescaled, layout_in
from carc_env.networks.tile_knowledge import Hand, Tiles
from carc_env.observing.spaces import Layout
from carc_env.rules.state import N_SPOTS, NONE

LOWEST = -1e8  # score of an illegal action or of padding
# groups of planes that show who has the majority: the first and the last plane of each group
LEADS = (("control_N", "control_W"), ("field_Nw", "field_Wn"), ("building_control", "building_control"))
FIELDS = 1  # the index of the fields in LEADS


class Scale(nn.Module):
    """Scales every column to mean 0 and standard deviation 1. The means and standard deviations are measured before
    training.
    """

    mean: Tensor
    spread: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Return the scaled columns, clipped at LIMIT."""
        return ((x - self.mean) / self.spread).clamp(-LIMIT, LIMIT)

    def measure(self, x: np.ndarray) -> None:
        """Measure the mean and the standard deviation of each column of `x`. The array `x` of shape [n, width] contains
        n examples. The standard deviation of a constant column is replaced by 1.
        """
        spread = x.std(0, dtype=np.float64)
        self.mean.copy_(torch.as_tensor(x.mean(0, dtype=np.float64)))
        self.spread.copy_(torch.as_tensor(np.where(spread > 1e-4, spread, 1.0)))


def mlp(inputs: int, width: int, layers: int, outputs: int = 1) -> nn.Sequential:
    """Return a network with `layers` hidden layers and a linear output layer. The hidden layers use ReLU. The outputs
    are close to 0 before training.
    """
    linear = [nn.Linear(width if k else inputs, outputs if k == layers else width) for k in range(layers + 1)]
    for part in linear:
        nn.init.orthogonal_(part.weight, np.sqrt(2) if part is not linear[-1] else 0.01)
        nn.init.zeros_(part.bias)
    return nn.Sequential(*(part for one in linear[:-1] for part in (one, nn.ReLU())), linear[-1])


def pad(values: Tensor, valid: Tensor) -> Tensor:
    """Convert an array with one entry for each action to a padded array with one row for each observation of a batch.
    `valid` marks the entries that are not padding. The padding has the value LOWEST. The shapes are [actions, ...]
    before the conversion and [batch, K, ...] after it.
    """
    padded = torch.full((*valid.shape, *values.shape[1:]), LOWEST, device=values.device)
    padded[valid] = values
    return padded


class Choices:
    """Probability distributions over legal actions, one distribution for each observation of a batch. Only legal
    actions are processed, because typically only about twenty of 5,427 action ids are legal.

    Args:
        scores: the logits of the legal actions, sorted by observation and then by action id, float[actions].
        legal: the legal actions of each observation, bool[batch, ids].
    """

    def __init__(self, scores: Tensor, legal: Tensor):
        count = legal.sum(1)
        valid = torch.arange(max(1, int(count.max())), device=legal.device) < count[:, None]
        self._ids = torch.full(valid.shape, -1, device=legal.device)
        self._ids[valid] = legal.nonzero()[:, 1]
        self._among = Categorical(logits=pad(scores, valid), validate_args=False)

    def sample(self) -> Tensor:
        """Return a random action id for each observation, int64[batch]; 0 if no action is legal."""
        return self._named(self._among.sample())

    def best(self) -> Tensor:
        """Return the action id with the highest score for each observation, int64[batch]; 0 if no action is legal."""
        return self._named(self._among.logits.argmax(1))

    def log_prob(self, ids: Tensor) -> Tensor:
        """Return the log probability of one action id for each observation, float[batch]. For an illegal id, the result
        is LOWEST.
        """
        found = self._ids == ids[:, None]
        return torch.where(found.any(1), self._among.log_prob(found.byte().argmax(1)), LOWEST)

    def each(self) -> tuple[Tensor, Tensor]:
        """Return the legal action ids of each observation and the log probabilities of these ids. The arrays are
        int64[batch, K] and float[batch, K], where K is the largest number of legal actions of an observation. The ids
        are padded with -1.
        """
        return self._ids, self._among.logits

    def entropy(self) -> Tensor:
        """Return the entropy of each distribution, float[batch]. Actions with probability 0 contribute nothing to the
        entropy.
        """
        return -(self._among.probs * self._among.logits.clamp(min=-1e4)).sum(1)

    def _named(self, places: Tensor) -> Tensor:
        return self._ids.gather(1, places[:, None])[:, 0].clamp(min=0)


def check_planes(space: spaces.Dict) -> Layout:
    """Check an observation space for networks that score actions from planes, and return its layout. The space must
    have unscaled planes, unscaled global features, and an action mask with one entry for each action id. Raises
    ArgumentError for any other space.
    """
    if isinstance(space, Rescaled) or not {"planes", "globals", "action_mask"} <= set(space.spaces):
        raise ArgumentError(
            "this network rescales raw planes itself; the environment needs observation='planes' or 'both', without "
            "RescaleObservation"
        )
    layout = layout_in(space)
    if space["action_mask"].shape != (layout.n_actions,):
        raise ArgumentError("this network chooses action ids; leave out actions='candidates'")
    return layout


class Inputs(nn.Module):
    """Converts the bytes of feature planes to inputs for a network. A categorical byte is one-hot encoded, but the
    value 0 has no input of its own. Any other byte `x` becomes `log(1 + x) / log(1 + h)`. Here, `h` is 32 or the
    largest possible value of the byte, whichever is smaller.

    Args:
        entries: the layout's description of each byte.

    Attributes:
        width: the number of inputs of the network.
    """

    at: Tensor
    value: Tensor
    counts: Tensor
    ends: Tensor

    def __init__(self, entries: Sequence[Entry]):
        super().__init__()
        shown = [(at, value) for at, entry in enumerate(entries) for value in values(entry)]
        counts = [at for at, entry in enumerate(entries) if entry.kind != "category"]
        self.register_buffer("at", torch.tensor([at for at, _ in shown], dtype=torch.long), persistent=False)
        self.register_buffer("value", torch.tensor([value for _, value in shown], dtype=torch.uint8), persistent=False)
        self.register_buffer("counts", torch.tensor(counts, dtype=torch.long), persistent=False)
        ends = [entries[at].high for at in counts]
        self.register_buffer(
            "ends", torch.log1p(torch.tensor(ends, dtype=torch.float32).clamp(max=32)), persistent=False
        )
        self.width = len(shown) + len(counts)

    def forward(self, numbers: Tensor) -> Tensor:
        """Convert the bytes of feature planes, [..., planes], to inputs for a network, [..., width]."""
        flags = (numbers[..., self.at] == self.value).float()
        return torch.cat([flags, torch.log1p(numbers[..., self.counts].float()) / self.ends], -1)


def values(entry: Entry) -> range:
    """Return the range of values that are one-hot encoded for an entry. For a categorical entry, these are all values
    except 0. For any other entry, the range is empty.
    """
    return range(1, entry.high + 1) if entry.kind == "category" else range(0)


class Context(nn.Module):
    """Encodes the global features of each observation as `width` numbers. The global features describe the decision,
    the players' possessions and the tile in hand.

    Args:
        layout: the layout of the global features.
        width: the width of the output.
        tile_width: the size of the embedding of a tile.
    """

    ends: Tensor

    def __init__(self, layout: Layout, width: int, tile_width: int = 32):
        super().__init__()
        self.tile, self.hand = Tiles(tile_width), Hand(layout)
        self.net = nn.Sequential(nn.Linear(len(layout.globals) - len(self.hand.numbers) + tile_width, width), nn.ReLU())
        ends = torch.log1p(
            torch.tensor([min(entry.high, 128) for entry in layout.globals.values()], dtype=torch.float32)
        )
        self.register_buffer("ends", ends, persistent=False)
        self.width, self.tile_width = width, tile_width

    def forward(self, globals_: Tensor) -> Tensor:
        """Convert the global features of n observations, an array [n, globals], to an array [n, width]."""
        scaled, hand = torch.log1p(globals_.float()) / self.ends, self.hand.at
        rest = torch.cat([scaled[:, : hand.start], scaled[:, hand.stop :]], 1)
        return self.net(torch.cat([rest, self.tile(self.hand(globals_))], 1))


class Board(nn.Module):
    """Counts edges, half-edges and buildings on the table, each kind separately. An edge, half-edge or building is
    counted only if at least one player has the majority in its feature.

    Three cases are counted separately: the observer alone has the majority, the observer shares the majority with other
    players, or only other players have the majority. The planes named in LEADS show who has the majority. The layer
    also sums the points of the fields at the counted half-edges, separately for the three cases.

    Args:
        layout: the layout of the planes.

    Attributes:
        width: the number of outputs (counts and sums of points) for each observation.
    """

    width = 3 * len(LEADS) + 3

    def __init__(self, layout: Layout):
        super().__init__()
        names = list(layout.planes)
        self._leads, self._worth = (
            [slice(names.index(first), names.index(last) + 1) for first, last in groups]
            for groups in (LEADS, [("worth_Nw", "worth_Wn")])
        )

    def forward(self, planes: Tensor) -> Tensor:
        """Return an array [n, width] that contains the counts (divided by 16) and the sums of points (divided by 128).
        The shape of `planes` is [n, planes, rows, columns].
        """
        leads = [planes[:, group].flatten(1) for group in self._leads]
        counts = (
            torch.stack(
                [
                    (group == value).view(torch.uint8).sum(1, dtype=torch.int32)
                    for group in leads
                    for value in (1, 2, 3)
                ],
                1,
            )
            / 16
        )
        worth = planes[:, self._worth[0]].flatten(1)
        points = (
            torch.stack([(worth * (leads[FIELDS] == value)).sum(1, dtype=torch.int32) for value in (1, 2, 3)], 1) / 128
        )
        return torch.cat([counts, points], 1)


class Places(nn.Module):
    """Looks up the cell, the tile, the tile's rotation and the spot that each action concerns. The tile is the one that
    the action places or chooses. If an action neither places nor chooses a tile, the action concerns the tile that has
    just been placed. The spot is where the action places a figure, or N_SPOTS if the action places no figure.

    If an action places an abbey or a castle tile, the index of the tile is 0, because this tile is not the tile in
    hand. If no tile has just been placed, the cell of the action `pass` has the index 0.

    Args:
        layout: the layout of the whole table or of a window.
    """

    cell: Tensor
    turns: Tensor
    spot: Tensor

    def __init__(self, layout: Layout):
        super().__init__()
        names = list(layout.planes)
        self._tile, self._rotation, self._placed = (names.index(name) for name in ("tile", "rotation", "placed"))
        self.hand = Hand(layout)
        found = {
            "cell": np.full(layout.n_actions, NONE),
            "turns": np.full(layout.n_actions, NONE),
            "spot": np.full(layout.n_actions, N_SPOTS),
        }
        for block in layout.blocks:
            which, axes = slice(block.start, block.start + block.size), along(layout, block)
            if "row" in axes:
                found["cell"][which] = axes["row"] * layout.columns + axes["column"]
            if block.name == "place_tile":
                found["turns"][which] = axes["rotation"]
            if block.name == "place_figure":
                found["spot"][which] = axes["spot"]
        for name, array in found.items():
            self.register_buffer(name, torch.as_tensor(array), persistent=False)

    def is_laid(self, answer: Tensor) -> Tensor:
        """Return an array bool[actions], which is True for actions that place the tile in hand."""
        return self.turns[answer] != NONE

    def forward(
        self, planes: Tensor, globals_: Tensor, question: Tensor, answer: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the cells, the rotations, the indices of the tiles, and the spots of the actions.

        Args:
            planes, globals_: the planes and global features of the batch.
            question: for each action, the index of its observation in the batch.
            answer: the action id of each action.
        """
        cell, turns = self.cell[answer], self.turns[answer]
        cell = torch.where(cell == NONE, planes[:, self._placed].flatten(1).argmax(1)[question], cell)
        tile, rotation = (planes.flatten(2)[question, plane, cell].long() for plane in (self._tile, self._rotation))
        lays = turns != NONE
        return (
            cell,
            torch.where(lays, turns, rotation),
            torch.where(lays, self.hand(globals_)[question], tile),
            self.spot[answer],
        )


def along(layout: Layout, block: Block) -> dict[str, np.ndarray]:
    """Return the coordinates of the actions in a block. The dict contains an array int64[actions] for each axis of the
    block, such as `row` or `spot`. See `Layout.labels` for the numbering.
    """
    places = np.indices(block.shape).reshape(len(block.shape), -1)
    return {
        axis: np.array(values, np.int64)[place]
        for axis, values, place in zip(block.axes, layout.labels[block.name], places)
    }


def sorts(layout: Layout) -> np.ndarray:
    """Return the type of each action, int64[actions]. Actions that differ only in their cell have the same type. In the
    block `place_tile`, actions with the same rotation have the same type. In the block `choose_cell`, actions with the
    same choice (0 to 3) have the same type. Every action without a cell, such as `pass`, has a type of its own.
    """
    found: list[np.ndarray] = []
    for block in layout.blocks:
        cells = layout.rows * layout.columns if "row" in block.axes else 1
        found.append((found[-1][-1] + 1 if found else 0) + np.arange(block.size) // cells)
    return np.concatenate(found)


__all__ = [
    "LOWEST",
    "Board",
    "Choices",
    "Context",
    "Inputs",
    "Places",
    "Scale",
    "along",
    "check_planes",
    "mlp",
    "pad",
    "sorts",
]
