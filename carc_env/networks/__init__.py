"""Networks for Stable-Baselines3 that know what the numbers of an observation mean; they need the extra `train`.

| policy of MaskablePPO, PPO and A2C | environment | what it does |
|---|---|---|
| `AnswersPolicy` | `observation="planes"` | scores each legal answer on the planes around its cell, turned into the tile's frame |
| `TorusPolicy` | `observation="planes"` | scores each legal answer on convolutions over the table, circular on a torus, and on the tile as it would lie |
| `CandidatesPolicy` | `observation="candidates", actions="candidates", table=True` | scores each candidate: the trainer's own |

`LegalDQN` and `LegalQRDQN` are DQN and QR-DQN that explore among legal answers only; `AnswersQPolicy`,
`AnswersQuantilePolicy` and so on are their policies. All of them look at the mask to leave out what is not legal, and
never take it for a feature. Each is made for the `layout` of the observation space: for the planes, globals and actions
of a configuration (spaces="game") or of all games (spaces="common").
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carc_env.networks.candidates import CandidatesPolicy
    from carc_env.networks.legal import LegalDQN, LegalQRDQN
    from carc_env.networks.policies import (
        AnswersPolicy,
        AnswersQPolicy,
        AnswersQuantilePolicy,
        CandidatesQPolicy,
        CandidatesQuantilePolicy,
        TorusPolicy,
        TorusQPolicy,
        TorusQuantilePolicy,
    )

__all__ = [
    "AnswersPolicy",
    "AnswersQPolicy",
    "AnswersQuantilePolicy",
    "CandidatesPolicy",
    "CandidatesQPolicy",
    "CandidatesQuantilePolicy",
    "LegalDQN",
    "LegalQRDQN",
    "TorusPolicy",
    "TorusQPolicy",
    "TorusQuantilePolicy",
]

HOMES = {"CandidatesPolicy": "candidates", "LegalDQN": "legal", "LegalQRDQN": "legal"}  # all others are in policies


def __getattr__(name: str) -> Any:
    """A policy or an algorithm, loaded with Stable-Baselines3 when it is asked for: the scorers of planes do
    without.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{HOMES.get(name, 'policies')}"), name)
