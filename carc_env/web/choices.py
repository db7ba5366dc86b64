"""Lists the presets, boxes, settings, map sheets and bots that the page offers."""

import dataclasses
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from carc_env.bots import checkpoint, level
from carc_env.boxes.sheets import read_sheet, sheets
from carc_env.boxes.tiles import BOX_NAMES, library
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError
from carc_env.setup.config import TABLE_SIZES, GameConfig, as_config, preset, presets, tiles_of
from carc_env.systems import SYSTEMS
from carc_env.web.real_games import asked_before
from carc_env.web.setting_words import offered_settings, setting_words

SEPARATORS = r"[/\\]"  # separators in file paths, as a regular expression
SIZES = tuple(size for size, _ in TABLE_SIZES)  # the table sizes that a client may choose
MOST_TITLES = 6  # the title of a game with more than MOST_TITLES boxes names only the first box
BOTS = (*level.SPECS, "greedy", "keen", "rollout:ms=200", "ppo", "random")


def safe_config(config: object, players: int | None = None) -> GameConfig:
    """Return the configuration that a client requests. `config` is the name of a preset, or a mapping with the fields
    of a configuration. Raises ConfigError.

    A string is always the name of a preset or of a map sheet in the package. The server never reads a string as a path.
    To use a map sheet of its own, a client sends the content of the sheet as a JSON object. The rules are compiled
    separately for each table size. Only the usual table sizes are allowed, so that clients cannot make the server
    compile repeatedly.
    """
    if not isinstance(config, Mapping):
        if not isinstance(config, str) or config not in presets():
            raise ConfigError(f"unknown preset {brief(config)}; known presets are {', '.join(presets())}")
    elif isinstance(config.get("sheet"), str) and config["sheet"] not in sheets():
        raise ConfigError(f"unknown sheet {brief(config['sheet'])}; known sheets are {', '.join(sheets())}")
    found = as_config(config, players)
    if found.table_size not in SIZES:
        raise ConfigError(
            f"table_size = {found.table_size}: should be one of {', '.join(map(str, SIZES))} on this server; leave it "
            "out for the default size"
        )
    return found


def title_of(config: GameConfig) -> str:
    """Return the title of a game. If the configuration equals a preset, apart from the number of players, the title is
    the name of the preset. Otherwise, the title lists the boxes of the game.
    """
    for name in presets():
        if dataclasses.replace(preset(name), players=2) == dataclasses.replace(config, players=2):
            return name
    return title(config)


def specs(own: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the specs (such as `rollout:ms=200`) of the bots that clients may choose. The result contains the bots of
    the package, and the bots that the server's operator adds (`own`).
    """
    return tuple(dict.fromkeys((*BOTS, *(f"ppo:{name}" for name in checkpoint.shipped_names("quick")), *own)))


def shown_specs(bots: Sequence[str]) -> dict[str, str]:
    """Return a dict that maps bot names to bot specs. Clients see only the names. The bot name of an external program
    contains neither the program's path nor its arguments. If a bot is loaded from a file, the bot name does not contain
    the path.

    >>> shown_specs(["greedy", "cmd:./bots/mine --key 7", "cmd:/usr/bin/mine"])
    {'greedy': 'greedy', 'cmd:mine': 'cmd:./bots/mine --key 7', 'cmd:mine-2': 'cmd:/usr/bin/mine'}
    >>> shown_specs(["ppo:runs/private/mine.safetensors"])
    {'ppo:mine.safetensors': 'ppo:runs/private/mine.safetensors'}
    """
    found: dict[str, str] = {}
    for spec in bots:
        kind, _, rest = spec.partition(":")
        words = shlex.split(rest)[:1] if kind == "cmd" else [rest]
        name = f"{kind}:{re.split(SEPARATORS, words[0])[-1]}" if words and words[0] else spec
        alike = sum(known == name or known.startswith(f"{name}-") for known in found)
        found[f"{name}-{alike + 1}" if alike else name] = spec
    return found


def choices(bots: Sequence[str]) -> dict[str, Any]:
    """Return everything that people can choose in the form for a new game. `bots` contains the names of the bots to
    choose from.
    """
    return offers() | {"bots": [bot_offer(spec) for spec in bots]}


def bot_offer(spec: str) -> dict[str, Any]:
    """Return what the form for a new game needs to know about a bot: its spec, its name, its rating, and the presets on
    which it was trained.
    """
    rating = level.RATINGS[level.number_of(spec)] if spec in level.SPECS else None
    return {"spec": spec, "name": bot_name(spec), "rating": rating, "presets": trained_on(spec)}


@cache
def offers() -> dict[str, Any]:
    """Return the choices that the form for a new game offers, except the bots."""
    return {
        "presets": [preset_offer(name) for name in presets()],
        "boxes": list(BOX_NAMES),
        "titles": {name: box.title for name, box in library().items()},
        "sheets": [{"name": name, "title": read_sheet(name).title} for name in sheets()],
        "settings": offered_settings(),
        "words": setting_words(),
        "most_players": {system.box: system.most_players for system in SYSTEMS if system.box in BOX_NAMES},
    }


def preset_offer(name: str) -> dict[str, Any]:
    """Return what the form for a new game shows about a preset: the boxes, the tiles and the possible numbers of
    players.
    """
    config = preset(name)
    most = max(system.most_players for system in SYSTEMS if system.box in ("base", *config.boxes))
    return {
        "name": name,
        "title": title(config),
        "players": [2, most],
        "boxes": list(config.boxes),
        "tiles_only": list(config.tiles_only),
        "sheet": config.sheet,
        "tiles": tiles_of(config).total(),
        "asked_before": asked_before(config),
    }


def title(config: GameConfig) -> str:
    """Describe the boxes and the map sheet of a configuration in words."""
    titles = [library()[box].title for box in config.boxes or config.tiles_only]
    words = ", ".join(titles) if len(titles) <= MOST_TITLES else f"{titles[0]} and {len(titles) - 1} boxes more"
    return words + (f" on {read_sheet(config.sheet).title}" if config.sheet else "")


def bot_name(spec: str) -> str:
    """Return the name of a bot with a short description."""
    if spec in level.SPECS:
        number = level.number_of(spec)
        return f"{level.in_words(spec)} ({level.LEVELS[number].word}, rating {level.RATINGS[number]})"
    known = {
        "greedy": "greedy (one turn ahead)",
        "keen": "keen (one turn ahead, with a better heuristic)",
        "learned": "learned (one turn ahead, with a value function learned from games)",
        "rollout:ms=200": "rollout:ms=200 (simulates games for 0.2 seconds)",
        "ppo": "ppo (the trained agent of the preset)",
        "random": "random (any legal move)",
    }
    return known.get(spec, spec)


def trained_on(spec: str) -> list[str] | None:
    """Return the presets for which an agent was trained. Returns None for a bot that can play all presets."""
    name = spec.removeprefix("ppo:")
    if name == spec or name not in checkpoint.shipped_names("quick"):
        return None
    return [checkpoint.read_card(checkpoint.paths(checkpoint.shipped(name))[1]).preset]
