"""What the networks have in common: layers and scales; for planes raw numbers as inputs, globals as a context.

Nothing here, nor the scorers of planes, needs Stable-Baselines3.
"""

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.distributions import Categorical

from carc_env.bots.policy import LIMIT
from carc_env.envs.inputs import boxes
from carc_env.errors import ArgumentError
from carc_env.layout import GLOBALS, LAND_KINDS, N_GLOBALS, N_PLANES, PLANES, Entry
from carc_env.networks.tiles import Tiles
from carc_env.rules.answers import PLACE_FIGURE, SELL_WINE
from carc_env.rules.state import N_SPOTS, SIZE

LOWEST = -1e8  # score of what is no answer
SETS = 8  # of answers about a cell: a tile laid in four rotations, four sets of choices
NAMES, ENTRIES = list(PLANES), list(PLANES.values())
TILE, ROTATION, PLACED = NAMES.index("tile"), NAMES.index("rotation"), NAMES.index("placed")
HAND = list(GLOBALS).index(f"hand_{LAND_KINDS[0]}")
LEADS = tuple(slice(NAMES.index(first), NAMES.index(last) + 1)
              for first, last in (("control_N", "control_W"), ("field_Nw", "field_Wn"), ("building_control", "building_control")))
FIELDS = 1  # of LEADS
WORTH = slice(NAMES.index("worth_Nw"), NAMES.index("worth_Wn") + 1)


class Scale(nn.Module):
    """Brings every column to mean 0 and spread 1, as measured before training."""

    mean: Tensor
    spread: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """The scaled columns, cut off at LIMIT."""
        return ((x - self.mean) / self.spread).clamp(-LIMIT, LIMIT)

    def measure(self, x: np.ndarray) -> None:
        """Take mean and spread from examples [n, width]; a column that is always the same keeps its spread of 1."""
        spread = x.std(0, dtype=np.float64)
        self.mean.copy_(torch.as_tensor(x.mean(0, dtype=np.float64)))
        self.spread.copy_(torch.as_tensor(np.where(spread > 1e-4, spread, 1.0)))


def mlp(inputs: int, width: int, layers: int, outputs: int = 1) -> nn.Sequential:
    """Hidden layers with ReLU, then so many numbers, which are near 0 before training."""
    linear = [nn.Linear(width if k else inputs, outputs if k == layers else width) for k in range(layers + 1)]
    for part in linear:
        nn.init.orthogonal_(part.weight, np.sqrt(2) if part is not linear[-1] else 0.01)
        nn.init.zeros_(part.bias)
    return nn.Sequential(*(part for one in linear[:-1] for part in (one, nn.ReLU())), linear[-1])


def pad(values: Tensor, valid: Tensor) -> Tensor:
    """What belongs to the answers of several questions, one after the other [answers, ...], as [questions, K, ...]; LOWEST where there is no answer."""
    padded = torch.full((*valid.shape, *values.shape[1:]), LOWEST, device=values.device)
    padded[valid] = values
    return padded


class Choices:
    """The distribution over the legal answers of several questions. What is not legal costs nothing: of 5,427 ids about twenty are.

    Args:
        scores: logits of the legal answers, question by question, ids ascending, float[answers].
        legal: bool[questions, ids].
    """

    def __init__(self, scores: Tensor, legal: Tensor):
        count = legal.sum(1)
        valid = torch.arange(max(1, int(count.max())), device=legal.device) < count[:, None]
        self._ids = torch.full(valid.shape, -1, device=legal.device)
        self._ids[valid] = legal.nonzero()[:, 1]
        self._among = Categorical(logits=pad(scores, valid), validate_args=False)

    def sample(self) -> Tensor:
        """An id drawn for each question, int64[questions]; 0 where nothing is legal."""
        return self._named(self._among.sample())

    def best(self) -> Tensor:
        """The id with the highest score, int64[questions]; 0 where nothing is legal."""
        return self._named(self._among.logits.argmax(1))

    def log_prob(self, ids: Tensor) -> Tensor:
        """The logarithms of the probabilities of ids, float[questions]; LOWEST for one that is not legal."""
        found = self._ids == ids[:, None]
        return torch.where(found.any(1), self._among.log_prob(found.byte().argmax(1)), LOWEST)

    def entropy(self) -> Tensor:
        """The entropy of each distribution, float[questions]; what has no probability adds nothing, however low it stands."""
        return -(self._among.probs * self._among.logits.clamp(min=-1e4)).sum(1)

    def _named(self, places: Tensor) -> Tensor:
        return self._ids.gather(1, places[:, None])[:, 0].clamp(min=0)


def check_planes(space: spaces.Dict) -> int:
    """Rows and columns of the planes of an observation space. Raises ArgumentError for others than raw planes, and globals."""
    given = boxes(space)
    if not {"planes", "globals", "action_mask"} <= set(given) or given["planes"].shape[0] != N_PLANES or given["planes"].dtype != np.uint8:
        raise ArgumentError("this network takes raw planes and rescales them itself: the environment needs observation='planes' or 'both', "
                            "and no RescaleObservation around it")
    return given["planes"].shape[1]


class Inputs(nn.Module):
    """Bytes of planes as inputs: a category as one number 0 or 1 for each of its values but 0, all else from 0 to 1.

    Args:
        planes: the number of the plane that each byte is of.

    Attributes:
        width: how many inputs become of them.
    """

    at: Tensor
    value: Tensor
    counts: Tensor
    ends: Tensor

    def __init__(self, planes: list[int]):
        super().__init__()
        shown = [(at, value) for at, plane in enumerate(planes) for value in values(ENTRIES[plane])]
        counts = [at for at, plane in enumerate(planes) if ENTRIES[plane].kind != "category"]
        self.register_buffer("at", torch.tensor([at for at, _ in shown], dtype=torch.long), persistent=False)
        self.register_buffer("value", torch.tensor([value for _, value in shown], dtype=torch.uint8), persistent=False)
        self.register_buffer("counts", torch.tensor(counts, dtype=torch.long), persistent=False)
        ends = [ENTRIES[planes[at]].high for at in counts]
        self.register_buffer("ends", torch.log1p(torch.tensor(ends, dtype=torch.float32).clamp(max=32)), persistent=False)
        self.width = len(shown) + len(counts)

    def forward(self, numbers: Tensor) -> Tensor:
        """The inputs, [..., width], for bytes [..., planes]."""
        flags = (numbers[..., self.at] == self.value).float()
        return torch.cat([flags, torch.log1p(numbers[..., self.counts].float()) / self.ends], -1)


def values(entry: Entry) -> range:
    """The values of a category that have an input of their own."""
    return range(1, entry.high + 1) if entry.kind == "category" else range(0)


class Context(nn.Module):
    """What is asked, who has what, and the tile in hand, in `width` numbers for each question.

    Args:
        width: of what comes out.
        tile_width: of the numbers for a tile.
    """

    ends: Tensor

    def __init__(self, width: int, tile_width: int = 32):
        super().__init__()
        self.tile = Tiles(tile_width)
        self.net = nn.Sequential(nn.Linear(N_GLOBALS - len(LAND_KINDS) + tile_width, width), nn.ReLU())
        ends = torch.log1p(torch.tensor([min(entry.high, 128) for entry in GLOBALS.values()], dtype=torch.float32))
        self.register_buffer("ends", ends, persistent=False)
        self.width, self.tile_width = width, tile_width

    def forward(self, globals_: Tensor) -> Tensor:
        """The context, [n, width], for globals [n, N_GLOBALS]."""
        scaled = torch.log1p(globals_.float()) / self.ends
        rest = torch.cat([scaled[:, :HAND], scaled[:, HAND + len(LAND_KINDS):]], 1)
        return self.net(torch.cat([rest, self.tile(in_hand(globals_))], 1))


class Board(nn.Module):
    """Who leads where, counted over the whole table.

    How many edges, half-edges of fields and buildings have each value of control, and how much the fields at the half-edges are worth.

    Attributes:
        width: how many numbers there are.
    """

    width = 3 * len(LEADS) + 3

    def forward(self, planes: Tensor) -> Tensor:
        """The counts over 16, and points over 128, [n, width], for planes [n, N_PLANES, rows, columns]."""
        leads = [planes[:, group].flatten(1) for group in LEADS]
        counts = torch.stack([(group == value).view(torch.uint8).sum(1, dtype=torch.int32) for group in leads for value in (1, 2, 3)], 1) / 16
        worth = planes[:, WORTH].flatten(1)
        points = torch.stack([(worth * (leads[FIELDS] == value)).sum(1, dtype=torch.int32) for value in (1, 2, 3)], 1) / 128
        return torch.cat([counts, points], 1)


def in_hand(globals_: Tensor) -> Tensor:
    """The number of the tile in hand as planes have it, [n]; 0: none."""
    hand = globals_[:, HAND:HAND + len(LAND_KINDS)]
    return torch.where(hand.any(1), hand.argmax(1) + 1, 0)


def place(planes: Tensor, globals_: Tensor, question: Tensor, answer: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Where each answer is to be given: its cell, rotation and number of the tile laid, chosen, or just placed, and the spot of a figure, else N_SPOTS.

    An abbey or a castle that is laid has the number 0: it is no tile in hand. Where no tile was just placed, the cell of `pass` is that of number 0.

    Args:
        planes, globals_: of all questions; the whole table or a window.
        question, answer: of each answer: the question it answers, and its id there.
    """
    cells = planes.shape[2] * planes.shape[3]
    lays, rest = answer < 4 * cells, answer - SETS * cells
    cell = torch.where(rest < 0, answer % cells, planes[:, PLACED].flatten(1).argmax(1)[question])
    tile, rotation = (planes.flatten(2)[question, plane, cell].long() for plane in (TILE, ROTATION))
    turns = torch.where(lays, answer // cells, rotation).clamp(0, 3)
    spot = torch.where((rest >= 0) & (rest < SELL_WINE - PLACE_FIGURE), rest % N_SPOTS, N_SPOTS)
    return cell, turns, torch.where(lays, in_hand(globals_)[question], tile), spot


__all__ = ["LOWEST", "NAMES", "ROTATION", "SETS", "SIZE", "TILE", "Board", "Choices", "Context", "Inputs", "Scale", "check_planes", "in_hand", "mlp", "pad", "place"]
