"""Networks for Stable-Baselines3. The networks work only with the observations of carc_env, because the layers depend
on the meaning of each number in an observation. To use the networks, install the package with the extra `train`.

| policy of MaskablePPO, PPO and A2C | environment | what it does |
|---|---|---|
| `NeighborhoodPolicy` | `observation="planes"` | scores each legal action from the planes around the action's cell. The planes are rotated so that the action's tile always has the same orientation |
| `TorusPolicy` | `observation="planes"` | scores each legal action from the output of convolutions over the table, and from an embedding of the rotated tile |
| `CandidatesPolicy` | `observation="candidates", actions="candidates", table=True` | scores each candidate; carc_env's own agents use this policy |

`TorusPolicy` uses circular convolutions if the table wraps around at its edges (a torus). `LegalDQN` and `LegalQRDQN`
are versions of DQN and QR-DQN that explore only among legal actions. The names of policies for DQN end with `QPolicy`.
The names of policies for QR-DQN end with `QuantilePolicy`. All networks use the action mask only to exclude illegal
actions, never as an input. Each network is built for the `layout` of its observation space. A layout lists planes,
global features and actions. With spaces="game", the layout contains only the planes, global features and actions of one
configuration. With spaces="common", the layout contains the planes, global features and actions of all configurations
with the same table size.
"""

import importlib
from typing import TYPE_CHECKING, Any

from carc_env.common.renamed import warn_of

if TYPE_CHECKING:
    from carc_env.networks.candidates import CandidatesPolicy
    from carc_env.networks.legal import LegalDQN, LegalQRDQN
    from carc_env.networks.policies import (
        CandidatesQPolicy,
        CandidatesQuantilePolicy,
        NeighborhoodPolicy,
        NeighborhoodQPolicy,
        NeighborhoodQuantilePolicy,
        TorusPolicy,
        TorusQPolicy,
        TorusQuantilePolicy,
    )

__all__ = [
    "CandidatesPolicy",
    "CandidatesQPolicy",
    "CandidatesQuantilePolicy",
    "LegalDQN",
    "LegalQRDQN",
    "NeighborhoodPolicy",
    "NeighborhoodQPolicy",
    "NeighborhoodQuantilePolicy",
    "TorusPolicy",
    "TorusQPolicy",
    "TorusQuantilePolicy",
]

# the modules of three classes; all other classes are in the module `policies`
HOMES = {"CandidatesPolicy": "candidates", "LegalDQN": "legal", "LegalQRDQN": "legal"}

OLD_NAMES = {f"Answers{kind}": f"Neighborhood{kind}" for kind in ("Policy", "QPolicy", "QuantilePolicy")}


def __getattr__(name: str) -> Any:
    """Import a policy or an algorithm on first use, so that Stable-Baselines3 is imported only when it is needed. The
    networks that score actions from planes do not need Stable-Baselines3.
    """
    if name in OLD_NAMES:
        warn_of(f"{__name__}.{name}", OLD_NAMES[name])
        name = OLD_NAMES[name]
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{HOMES.get(name, 'policies')}"), name)
