"""Lists all `System` objects. Each `System` object defines the texts, settings, events and drawings of one box (the
base game or an expansion). The object `Maps()` is for games on a map sheet.

The code for notation, error messages, events, limits, setup and drawings loops over SYSTEMS, without special cases for
particular boxes.
"""

from collections.abc import Callable
from typing import Any

from carc_env.systems.abbeys.words import Abbeys
from carc_env.systems.abbot.words import Abbot
from carc_env.systems.baba_yaga.words import BabaYaga
from carc_env.systems.base.words import Base
from carc_env.systems.castles.words import Castles
from carc_env.systems.crop_circles.words import CropCircles
from carc_env.systems.darmstadt.words import Darmstadt
from carc_env.systems.ferries.words import Ferries
from carc_env.systems.german_castles.words import GermanCastles
from carc_env.systems.german_cathedrals.words import GermanCathedrals
from carc_env.systems.goldmines.words import Goldmines
from carc_env.systems.inns_and_cathedrals.words import InnsAndCathedrals
from carc_env.systems.map_chips.words import MapChips
from carc_env.systems.maps.words import Maps
from carc_env.systems.shrines.words import Shrines
from carc_env.systems.special_monasteries.words import SpecialMonasteries
from carc_env.systems.system import Form, Item, Makings, Question, Scene, SetOut, System, Told
from carc_env.systems.traders_and_builders.words import TradersAndBuilders

SYSTEMS: tuple[System, ...] = (
    Base(),
    Maps(),
    Goldmines(),
    InnsAndCathedrals(),
    TradersAndBuilders(),
    Abbot(),
    CropCircles(),
    MapChips(),
    Ferries(),
    Castles(),
    Abbeys(),
    Shrines(),
    SpecialMonasteries(),
    Darmstadt(),
    BabaYaga(),
    GermanCastles(),
    GermanCathedrals(),
)
QUESTIONS: dict[int, Question] = {phase: question for system in SYSTEMS for phase, question in system.questions.items()}
EVENTS: dict[int, Callable[[Told], Any]] = {kind: read for system in SYSTEMS for kind, read in system.events.items()}
WORDS = {text: action for system in SYSTEMS for text, action in system.words.items()}
IN_WORDS = {action: words for system in SYSTEMS for action, words in system.in_words.items()}
PLACES = {action: place for system in SYSTEMS for action, place in system.places.items()}
SET_OUTS: tuple[SetOut, ...] = tuple(system.set_out for system in SYSTEMS if system.set_out is not None)
SOURCE_NAMES = {source: name for system in SYSTEMS for source, name in system.sources.items()}
REFUSALS = {action: reason for system in SYSTEMS for action, reason in system.refusals.items()}
BOX_OF_QUESTION = {phase: system.box for system in SYSTEMS for phase in system.questions}


def supplies(game: Any) -> list[str]:
    """Describe the supplies that all players share, such as the supply of ingots. Returns one string for each box with
    a supply. `game` is a Game.
    """
    return [text for system in SYSTEMS if system.box in game.config.boxes and (text := system.supply(game))]


def set_outs(config: Any) -> list[SetOut]:
    """Return the parts of the setup that are drawn at random before a game begins, such as the start tiles. `config` is
    the GameConfig of the game.
    """
    return [system.set_out for system in SYSTEMS if system.set_out is not None and system.is_set_out(config)]


__all__ = [
    "BOX_OF_QUESTION",
    "EVENTS",
    "IN_WORDS",
    "PLACES",
    "QUESTIONS",
    "REFUSALS",
    "SET_OUTS",
    "SOURCE_NAMES",
    "SYSTEMS",
    "WORDS",
    "Form",
    "Item",
    "Makings",
    "Question",
    "Scene",
    "SetOut",
    "System",
    "Told",
    "set_outs",
    "supplies",
]
