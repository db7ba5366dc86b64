"""Defines the network for the value of a position. This network shares no weights with the network that scores the
actions. If the two networks shared weights, the gradient of the value loss would also change the actions' scores.
"""

import torch
from torch import Tensor, nn

from carc_env.networks.layers import Board, Context, mlp
from carc_env.networks.spots import Figures
from carc_env.observing.spaces import Layout


class Value(nn.Module):
    """Computes the values of positions. The inputs are the global features, the majorities (see `Board`), all figures
    on the table, and the last hidden layer of the network that scores the actions.

    Args:
        layout: the layout of the planes and global features.
        width: the width of the hidden layers of the scorer and of this network.
    """

    def __init__(self, layout: Layout, width: int):
        super().__init__()
        self.standing, self.board = Context(layout, width // 2), Board(layout)
        self.figures = Figures(layout, self.standing.width, width)
        self.net = mlp(self.standing.width + self.board.width + self.figures.width + 2 * width, width, 1)

    def forward(self, planes: Tensor, globals_: Tensor, scored: Tensor, count: Tensor) -> Tensor:
        """Return the values of the positions, [n, 1].

        Args:
            planes, globals_: the planes and global features of the batch.
            scored: the output of the scorer's last hidden layer for the actions, [actions, width]. No gradient flows
                back through `scored`.
            count: the number of legal actions of each observation.
        """
        pooled = [torch.segment_reduce(scored.detach(), way, lengths=count, unsafe=True) for way in ("mean", "max")]
        standing = self.standing(globals_)
        return self.net(torch.cat([standing, self.board(planes), self.figures(planes, standing), *pooled], 1))
