"""The value of a question by a network of its own: through a shared one, errors of the value would move the scores of
the answers.
"""

import torch
from torch import Tensor, nn

from carc_env.networks.layers import Board, Context, mlp
from carc_env.networks.spots import Figures
from carc_env.observing.spaces import Layout


class Value(nn.Module):
    """Values from what is asked, who leads where, all figures on the table, and what the scorer makes of the answers.

    Args:
        layout: of the planes and globals.
        width: of the scorer's hidden layers, and of those here.
    """

    def __init__(self, layout: Layout, width: int):
        super().__init__()
        self.standing, self.board = Context(layout, width // 2), Board(layout)
        self.figures = Figures(layout, self.standing.width, width)
        self.net = mlp(self.standing.width + self.board.width + self.figures.width + 2 * width, width, 1)

    def forward(self, planes: Tensor, globals_: Tensor, scored: Tensor, count: Tensor) -> Tensor:
        """The values, [n, 1].

        Args:
            planes, globals_: of the questions.
            scored: the scorer's last hidden layer for their answers, [answers, width]; it learns nothing from here.
            count: how many answers each question has.
        """
        pooled = [torch.segment_reduce(scored.detach(), way, lengths=count, unsafe=True) for way in ("mean", "max")]
        standing = self.standing(globals_)
        return self.net(torch.cat([standing, self.board(planes), self.figures(planes, standing), *pooled], 1))
