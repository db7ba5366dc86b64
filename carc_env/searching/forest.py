"""A forest consists of the trees of one search. Each tree belongs to one reshuffled stack, and the results of the trees
are combined.
"""

import time
from typing import Any

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.observing.prospects import PRICES
from carc_env.rules.state import NONE
from carc_env.searching.halving import Found
from carc_env.searching.mcts import CHILD, NODE, SQUASHED, TREE, WIDTH, grow, paths_for
from carc_env.searching.rollouts import room_for

TURN = 64  # if the budget is a time: the maximum number of consecutive playouts in one tree
CHUNK = 0.002  # seconds between two checks of the time
ROOM = 1024  # the number of decisions for which a new tree has space
# if the budget is a time: the search also ends when each tree has about LARGEST decisions; a tree then needs 150 MB
LARGEST = 1 << 17


class Tree:
    """The search tree for one reshuffled stack."""

    def __init__(self, stack: int, nodes: int):
        self.stack = stack
        self.counts = np.zeros(1, TREE)
        self.nodes, self.children = np.zeros(nodes, NODE), np.zeros(nodes * WIDTH, CHILD)

    def make_room(self, playouts: int) -> None:
        """Enlarge the arrays if necessary, so that the tree has space for `playouts` additional playouts."""
        wanted = int(self.counts[0]["n_nodes"]) + playouts + 1
        if wanted > len(self.nodes):
            size = max(wanted, 2 * len(self.nodes))
            self.nodes = np.concatenate([self.nodes, np.zeros(size - len(self.nodes), NODE)])
            self.children = np.concatenate([self.children, np.zeros(size * WIDTH - len(self.children), CHILD)])

    @property
    def root(self) -> np.ndarray:
        """The actions of the searched decision, as an array of CHILD records."""
        first, n = int(self.nodes[0]["first"]), int(self.nodes[0]["n_children"])
        return self.children[first : first + n]


class Forest:
    """Searches one decision in each call of `search`.

    Args:
        prices: the heuristic weights for actions and positions, as an array with one PRICES record.
        stacks: the number of reshuffled stacks of tiles. One search tree is built for each stack.
        bonus: the weight of the bonus for actions with few visits (the constant c of PUCT).
    """

    def __init__(self, prices: np.ndarray, stacks: int = 8, bonus: float = 1.5):
        self.prices, self.stacks, self.bonus = prices, stacks, bonus
        self._rooms: dict[np.dtype, tuple[np.ndarray, np.ndarray]] = {}
        self._paths = paths_for()

    def search(
        self, games: np.ndarray, seed: np.ndarray, playouts: int = 0, ms: float = 0.0, also: int = NONE
    ) -> Found:
        """Search the current decision of `games[0]` with `playouts` playouts, or for `ms` milliseconds. The game is not
        changed. `seed` holds the low and the high 32 bits of a seed. `also` is NONE, or a legal action that should be
        tried even if its heuristic value is low. This search ignores `also`, because a tree rarely visits an action
        with a low heuristic value.
        """
        began = time.perf_counter()
        trees = [Tree(stack, ROOM) for stack in range(min(self.stacks, playouts) if playouts else self.stacks)]
        for number, tree in enumerate(trees):
            self.grow(games, seed, tree, len(range(number, playouts, len(trees))) if playouts else 2)
            if len(tree.root) == 1:
                return found([tree], int(games[0]["player"]), began)
        if not playouts:
            self.grow_until(games, seed, trees, began, began + ms / 1000)
        return found(trees, int(games[0]["player"]), began)

    def grow_until(self, games: np.ndarray, seed: np.ndarray, trees: list[Tree], began: float, deadline: float) -> None:
        """Run playouts until the time `deadline`. The tree with the fewest visits always gets the next playouts.
        `began` is the time at which the search began.
        """
        done = 2 * len(trees)
        while (now := time.perf_counter()) < deadline:
            least = min(trees, key=lambda tree: int(tree.nodes[0]["visits"]))
            each = (now - began) / done  # seconds per playout
            playouts = max(1, min(TURN, int(min(CHUNK, deadline - now) / each)))
            if int(least.counts[0]["n_nodes"]) + playouts >= LARGEST:
                return
            self.grow(games, seed, least, playouts)
            done += playouts

    def grow(self, games: np.ndarray, seed: np.ndarray, tree: Tree, playouts: int) -> None:
        """Run `playouts` playouts in a tree. A playout adds at most one decision to the tree. The first playout of a
        tree evaluates the root.
        """
        dtype = games.dtype
        if dtype not in self._rooms:
            self._rooms[dtype] = room_for(dtype)
        tree.make_room(playouts)
        grow(
            games, tile_table(), self.prices, *self._rooms[dtype], self._paths, tree.counts, tree.nodes, tree.children,
            seed, tree.stack, playouts, self.bonus,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling and copying. The state does not contain the working memory, because each copy
        allocates new working memory.
        """
        return {"prices": self.prices.tobytes(), "stacks": self.stacks, "bonus": self.bonus}

    def __setstate__(self, state: dict[str, Any]) -> None:
        prices = np.frombuffer(bytearray(state["prices"]), PRICES)
        self.__init__(prices, state["stacks"], state["bonus"])  # type: ignore[misc]


def found(trees: list[Tree], player: int, began: float) -> Found:
    """Return the combined result of the trees. The best action is the one with the most visits."""
    visits_of = np.stack([tree.root["visits"] for tree in trees]).astype(np.int64)  # [tree, action]
    totals_of = np.stack([tree.root["total"][:, player] for tree in trees])
    visits = visits_of.sum(0)
    means = totals_of.sum(0) / np.maximum(visits, 1)
    order = np.lexsort((-trees[0].root["prior"], -means, -visits))
    order = order[visits[order] > 0] if visits.max() else order[:1]
    values = np.minimum.accumulate(in_points(means[order]))
    errors = errors_of(visits_of[:, order], totals_of[:, order])
    answers = trees[0].root["answer"][order].astype(np.int64)
    return Found(answers, values, errors, int(visits.sum()), time.perf_counter() - began)


def in_points(values: np.ndarray) -> np.ndarray:
    """Convert values to points. The values are margins that `mcts` has squashed by `tanh(points / SQUASHED)`."""
    return np.asarray(np.arctanh(np.clip(values, -0.999, 0.999)) * SQUASHED)


def errors_of(visits: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Return the standard errors of the actions' values in points, as an array float64[n]. Each tree that has visited
    an action provides one sample. If fewer than two trees have visited an action, the standard error is infinite.
    """
    looked = visits > 0
    values = np.ma.masked_array(in_points(totals / np.maximum(visits, 1)), ~looked)
    n = looked.sum(0)
    spread = values.std(0, ddof=1).filled(np.inf) if len(visits) > 1 else np.full(len(n), np.inf)
    return np.asarray(np.where(n > 1, spread / np.sqrt(np.maximum(n, 1)), np.inf))
