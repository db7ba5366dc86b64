"""Faces: what each box shows to Python, in one place. See face.py.

Notation, error texts, events, limits, set-up and the drawing go over FACES; none of them asks which boxes are in play.
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
from carc_env.systems.face import Face, Form, Item, Makings, Question, Scene, Told
from carc_env.systems.ferries.words import Ferries
from carc_env.systems.german_castles.words import GermanCastles
from carc_env.systems.german_cathedrals.words import GermanCathedrals
from carc_env.systems.goldmines.words import Goldmines
from carc_env.systems.inns_and_cathedrals.words import InnsAndCathedrals
from carc_env.systems.map_chips.words import MapChips
from carc_env.systems.maps.words import Maps
from carc_env.systems.shrines.words import Shrines
from carc_env.systems.special_monasteries.words import SpecialMonasteries
from carc_env.systems.traders_and_builders.words import TradersAndBuilders

FACES: tuple[Face, ...] = (Base(), Maps(), Goldmines(), InnsAndCathedrals(), TradersAndBuilders(), Abbot(), CropCircles(), MapChips(), Ferries(), Castles(),
                           Abbeys(), Shrines(), SpecialMonasteries(), Darmstadt(), BabaYaga(), GermanCastles(), GermanCathedrals())
QUESTIONS: dict[int, Question] = {phase: question for face in FACES for phase, question in face.questions.items()}
EVENTS: dict[int, Callable[[Told], Any]] = {kind: read for face in FACES for kind, read in face.events.items()}
WORDS = {text: action for face in FACES for text, action in face.words.items()}
REFUSALS = {action: reason for face in FACES for action, reason in face.refusals.items()}
BOX_OF_QUESTION = {phase: face.box for face in FACES for phase in face.questions}


def supplies(game: Any) -> list[str]:
    """What lies beside the table for all players, in words, a text for each box that has something there; `game` is a Game."""
    return [text for face in FACES if face.box in game.config.boxes and (text := face.supply(game))]


__all__ = ["BOX_OF_QUESTION", "EVENTS", "FACES", "QUESTIONS", "REFUSALS", "WORDS", "Face", "Form", "Item", "Makings", "Question", "Scene", "Told", "supplies"]
