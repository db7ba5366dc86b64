"""Computes ratings with the Bradley-Terry model. In this model, A beats B with probability `a / (a + b)`, where a and b
are the strengths of A and B.

The rating on the Elo scale is `400 * log10(strength)`. A prior keeps the ratings finite: for every two players who have
played against each other, one tied game is added.
"""

from collections.abc import Mapping, Sequence

import numpy as np

ELO = 400 / np.log(10)  # Elo points per unit of the natural logarithm of a strength
PRIOR = 0.5  # additional wins for each of two players who have played against each other
CLOSE = 1e-7  # the iteration ends when the logarithm of every strength changes by less than this
ROUNDS = 20_000  # the maximum number of iterations
SAMPLES = 1000  # the number of bootstrap samples

# for two players (a, b): player a's share of the wins in each pair of games, from 0 to 1
Results = Mapping[tuple[int, int], Sequence[float]]


def log_strengths(wins: np.ndarray, close: float = CLOSE) -> np.ndarray:
    """Return the logarithms of the most likely strengths, shifted to mean 0, as float64[..., n].

    The function uses the MM algorithm of Hunter 2004, "MM algorithms for generalized Bradley-Terry models". In each
    iteration, a player's number of wins is divided by the sum of `games / (a + b)` over all opponents. The quotient is
    the player's new strength. Here, `games` is the number of games between the player and an opponent, and a and b are
    their current strengths.

    Args:
        wins: `wins[..., a, b]` is the number of games that player a won against player b, float64[..., n, n]. A tie
            counts as half a win for each player. For every division of the players into two groups, at least one player
            of each group must have won or tied a game against a player of the other group. If this condition is not
            met, the most likely strengths are infinite or not unique.

    >>> np.round(log_strengths(np.array([[0.0, 3.0], [1.0, 0.0]])) * 2, 4)  # 3 : 1
    array([ 1.0986, -1.0986])
    """
    games, won = wins + np.swapaxes(wins, -1, -2), wins.sum(-1)
    logs = np.zeros(won.shape)
    for _ in range(ROUNDS):
        strengths = np.exp(logs)
        new = np.log(won) - np.log((games / (strengths[..., :, None] + strengths[..., None, :])).sum(-1))
        new -= new.mean(-1, keepdims=True)
        change, logs = np.abs(new - logs).max(), new
        if change < close:
            break
    return logs


def ratings(results: Results, players: int, anchor: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays: the ratings on the Elo scale, as float64[players], and their 95 % intervals, as
    float64[players, 2]. The player `anchor` has the rating 0.

    The intervals are percentiles of a bootstrap. The bootstrap draws pairs, not single games, because the two games of
    a pair have the same stack of tiles. If two players played n pairs of games against each other, each bootstrap
    sample also contains n pairs of games of these two players. Each pair of a sample is drawn at random from a list
    that contains the two players' real pairs and one imaginary pair. Each of the two players wins the imaginary pair
    with probability 1/2. Because of the imaginary pair, the interval does not shrink to length 0 if one player won
    every pair. All players must be connected by games, directly or through other players.
    """
    found = ELO * log_strengths(win_table(results, players))
    samples = ELO * log_strengths(sampled_tables(results, players, seed), close=1e-5)
    found -= found[anchor]
    samples -= samples[:, [anchor]]
    low, high = np.percentile(samples, (2.5, 97.5), axis=0)
    return found, np.stack([np.minimum(low, found), np.maximum(high, found)], axis=1)


def win_table(results: Results, players: int) -> np.ndarray:
    """Return how many games each player won against every other player, as float64[players, players]. If two players
    have played against each other, each of them gets PRIOR additional wins.
    """
    wins = np.zeros((players, players))
    for (a, b), pairs in results.items():
        wins[a, b] = 2 * sum(pairs) + PRIOR
        wins[b, a] = 2 * (len(pairs) - sum(pairs)) + PRIOR
    return wins


def sampled_tables(results: Results, players: int, seed: int) -> np.ndarray:
    """Return one table for each sample of the bootstrap, as float64[SAMPLES, players, players]. Each table has the
    format of `win_table`. The docstring of `ratings` describes how the pairs of a sample are drawn.
    """
    rng, wins = np.random.default_rng(seed), np.zeros((SAMPLES, players, players))
    for (a, b), pairs in results.items():
        drawn = rng.choice([*pairs, *pairs, 0.0, 1.0], (SAMPLES, len(pairs))).sum(1)
        wins[:, a, b] = 2 * drawn + PRIOR
        wins[:, b, a] = 2 * (len(pairs) - drawn) + PRIOR
    return wins


def is_connected(results: Results, players: int) -> bool:
    """True if all players are connected by games, so that they can be rated on one scale."""
    found, new = {0}, {0}
    while new:
        new = {b for pair in results for a, b in (pair, pair[::-1]) if a in found} - found
        found |= new
    return len(found) == players
