"""Describes the settings of a game and their values in words. The words are in the file setting_words.toml, and the
form for a new game shows them.
"""

import dataclasses
from pathlib import Path
from typing import Any

from carc_env.common import toml
from carc_env.setup.config import GameConfig

FILE = Path(__file__).with_name("setting_words.toml")


def offered_settings() -> dict[str, list[Any]]:
    """For each setting in the form, return the values that the form offers. The default value comes first."""
    return {
        setting.name: sorted(setting.metadata["allowed"], key=lambda value: value != setting.default)
        for setting in dataclasses.fields(GameConfig)
        if len(setting.metadata.get("allowed", ())) > 1
    }


def setting_words() -> dict[str, dict[str, Any]]:
    """Return a description of each setting as a dict for JSON. The dict contains the `label` of the setting, a
    description of each of its `values` in the order of `offered_settings`, and the key `about`. If the setting belongs
    to a box, `about` is the name of this box. If the setting needs a map sheet, `about` is `sheet`. If every game has
    the setting, `about` is None.
    """
    about = {setting.name: setting.metadata.get("about") for setting in dataclasses.fields(GameConfig)}
    words = read_words()
    return {
        name: {
            "label": words[name]["label"],
            "values": [words[name]["values"][str(value)] for value in values],
            "about": about[name],
        }
        for name, values in offered_settings().items()
    }


def read_words() -> dict[str, dict[str, Any]]:
    """Return the content of setting_words.toml. For each setting, the result contains the `label` of the setting, and a
    description of each of its `values`.
    """
    return toml.loads(FILE.read_text(encoding="utf-8"))
