"""Faces: what each box shows to Python, in one place. See face.py.

Notation, error texts, events, limits, set-up and the drawing go over FACES; none of them asks which boxes are in play.
"""

from collections.abc import Callable
from typing import Any

from carc_env.faces.abbeys import Abbeys
from carc_env.faces.abbot import Abbot
from carc_env.faces.baba_yaga import BabaYaga
from carc_env.faces.base import Base
from carc_env.faces.castles import Castles
from carc_env.faces.crop_circles import CropCircles
from carc_env.faces.darmstadt import Darmstadt
from carc_env.faces.face import Face, Form, Item, Makings, Question, Scene, Told
from carc_env.faces.ferries import Ferries
from carc_env.faces.german_castles import GermanCastles
from carc_env.faces.german_cathedrals import GermanCathedrals
from carc_env.faces.goldmines import Goldmines
from carc_env.faces.inns_and_cathedrals import InnsAndCathedrals
from carc_env.faces.map_chips import MapChips
from carc_env.faces.maps import Maps
from carc_env.faces.shrines import Shrines
from carc_env.faces.special_monasteries import SpecialMonasteries
from carc_env.faces.traders_and_builders import TradersAndBuilders

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
