"""Contains the environments. Importing carc_env registers the environments with Gymnasium, and also with PettingZoo if
it is installed.
"""

from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from carc_env.setup.config import ConfigSource

PRESETS = {
    "Base": "base",
    "Goldmines": "goldmines",
    "France": "france",
    "Carcassonne": "carcassonne",
    "Expansions": "expansions",
    "Everything": "everything",
}  # maps the name in an environment's id to the name of a preset


def register() -> None:
    """Register `carc_env/<name>-v0` with Gymnasium and PettingZoo."""
    for name, preset in PRESETS.items():
        gymnasium.register(
            f"carc_env/{name}-v0",
            entry_point="carc_env.envs.single:CarcassonneEnv",
            vector_entry_point="carc_env.envs.vector:CarcassonneVectorEnv",
            kwargs={"preset": preset},
        )
    try:
        from pettingzoo import register as register_aec  # PettingZoo has no registry before its version 1.27
    except ImportError:
        return
    for name, preset in PRESETS.items():
        register_aec("aec", f"carc_env/{name}-v0", entry_point="carc_env.envs.aec:env", kwargs={"config": preset})


def aec_env(
    config: "ConfigSource" = "goldmines", render_mode: str | None = None, **arguments: Any
) -> "AECEnv[str, Any, Any]":
    """Make a PettingZoo environment of one game. Every player is an agent.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        render_mode: None, "ansi", "svg", "rgb_array" or "human".
        arguments: further arguments, such as `reward` and `observation`; see `carc_env.envs.aec.CarcassonneAEC`.

    >>> env = aec_env("base")
    >>> env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
    >>> env.agents
    ['player_0', 'player_1']
    """
    try:
        import pettingzoo  # noqa: F401
    except ImportError:
        raise ImportError('carc_env.aec_env needs PettingZoo: pip install ".[pettingzoo]"') from None
    from carc_env.envs import aec

    return aec.env(config, render_mode, **arguments)
