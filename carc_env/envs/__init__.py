"""Environments: Gymnasium's ids are registered when carc_env is imported."""

import gymnasium

PRESETS = {"Base": "base", "Goldmines": "goldmines", "France": "france", "Carcassonne": "carcassonne",
           "Expansions": "expansions"}  # name in the id -> preset


def register() -> None:
    """Register `carc_env/<name>-v0` with Gymnasium."""
    for name, preset in PRESETS.items():
        gymnasium.register(f"carc_env/{name}-v0", entry_point="carc_env.envs.single:CarcassonneEnv",
                           vector_entry_point="carc_env.envs.vector:CarcassonneVectorEnv", kwargs={"config": preset})
