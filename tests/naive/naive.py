"""Carcassonne as a player would explain it: plain dicts, and everything found out by looking.

Nothing here knows the engine. The model is told the deck, the chips and the answers as texts; by itself it says
who is asked what, which answers are legal, and what they bring. This file has a game and its turn; each system
has its own: `figures.py`, `scoring.py`, `gold.py`, `chips.py`, `builders.py`, `crop_circles.py`, `ferries.py`,
`castles.py`, `abbeys.py`, `shrines.py`, `special_monasteries.py`, `darmstadt.py`, `baba_yaga.py`, `german_castles.py`,
`german_cathedrals.py`. What lies on the table, and how it is looked at, stands in `table.py` and `maps.py`, what it
pays in `points.py`.
"""

from collections import namedtuple

from .abbeys import Abbeys
from .builders import TradersAndBuilders
from .castles import Castles, tokens_of_each
from .chips import Chips
from .crop_circles import CropCircles
from .darmstadt import Darmstadt
from .ferries import Ferries
from .figures import Figures
from .german_castles import GermanCastles
from .german_cathedrals import GermanCathedrals
from .gold import Gold
from .maps import read_sheet
from .points import SOURCE, Rules
from .scoring import Scoring
from .shrines import Shrines
from .special_monasteries import SpecialMonasteries
from .table import Table

Question = namedtuple("Question", "player phase answers")


class NaiveGame(
    Figures,
    Scoring,
    Gold,
    Chips,
    TradersAndBuilders,
    CropCircles,
    Ferries,
    Castles,
    Abbeys,
    Shrines,
    SpecialMonasteries,
    Darmstadt,
    GermanCastles,
    GermanCathedrals,
):
    """One game, told by its deck, chips and the answers given; `question` is the one now asked, None at the end.

    `moves` lists the answers as a game record does: also those that were forced, but no pass without choice.
    `news` lists what the last answer caused, as tuples that begin with a word.
    `german_castles` are the castle tiles in hand, one tuple a player. `rules` are the settings of `points.Rules`.
    """

    def __init__(self, deck, chips=(), german_castles=(), **rules):
        self.rules = rules = Rules(**rules)
        self.deck = list(deck)
        self.table = Table(rules.starts, rules.sheet and read_sheet(rules.sheet), rules.boxes)
        self.supply = {
            "meeple": [rules.meeples] * rules.players,
            "big": [int(self.plays("inns_and_cathedrals"))] * rules.players,
            "abbot": [int(self.plays("abbot"))] * rules.players,
            "builder": [int(self.plays("traders_and_builders"))] * rules.players,
            "pig": [int(self.plays("traders_and_builders"))] * rules.players,
        }
        self.ingots_left = 16 if self.plays("goldmines") else 0
        self.ingots = [0] * rules.players
        self.ingots_set_aside = 0
        self.chips_on = {(x, y): (colour, value) for x, y, colour, value in chips}
        self.chips = [{(c, value): 0 for c in self.COLOURS for value in (1, 2)} for _ in range(rules.players)]
        self.chips_sold = {(c, value): 0 for c in self.COLOURS for value in (1, 2)}
        self.goods = [dict.fromkeys(self.GOODS, 0) for _ in range(rules.players)]
        self.castle_tokens = [self.plays("castles") * tokens_of_each(rules.players)] * rules.players
        self.abbeys = [int(self.plays("abbeys"))] * rules.players
        self.german_castles = list(map(list, german_castles)) or [[] for _ in range(rules.players)]
        sources = [*SOURCE.values(), "ingots", "chips", "wine", "goods"]
        self.points = {source: [0] * rules.players for source in sources}
        self.active = 0
        self.tile = None  # the tile in hand
        self.cell = None  # where the tile of this turn lies; of a double tile the first square
        self.sold = False  # wine, in this turn
        self.parts_played = 0  # parts of turns, the present one among them
        self.moves = []
        self.news = []
        self.questions = self.whole_game()
        self.question = next(self.questions, None)

    def plays(self, box):
        """Is this box in play with its rules? Symbols of other boxes mean nothing."""
        return box in self.rules.boxes

    @property
    def scores(self):
        """The points of each player so far."""
        return [sum(points) for points in zip(*self.points.values(), strict=True)]

    def in_order(self):
        """The players, the active one first."""
        return [(self.active + i) % self.rules.players for i in range(self.rules.players)]

    # ------------------------------------------------------------------------------ questions

    def answer(self, text):
        """Answer the question asked; the game goes on to the next question."""
        if text not in self.question.answers:
            raise ValueError(f"{text} is none of {self.question}")
        self.news = []
        try:
            self.question = self.questions.send(text)
        except StopIteration:
            self.question = None

    def ask(self, player, phase, answers):
        """Put a question to a player, unless there is but one answer."""
        answer = answers[0] if len(answers) == 1 else (yield Question(player, phase, answers))
        if len(answers) > 1 or answer != "pass":
            self.moves.append(answer)
        return answer

    # ------------------------------------------------------------------------------- the turn

    def whole_game(self):
        """Turn after turn until no tile is left that can be laid; the offer of abbeys; then the final scoring."""
        while (yield from self.turn()) and self.next_turn_begins():
            pass
        yield from self.offer_abbeys()
        self.score_at_the_end()

    def next_turn_begins(self):
        """With no tile left to draw no new turn begins, unless the player in turn can lay a German castle."""
        player = (self.active + 1) % self.rules.players
        if self.stack_is_empty() and not self.castle_placements(player):
            return False
        self.active = player
        return True

    def turn(self):
        """A turn has one part, or two if the builder earned a second; false if there is nothing to lay."""
        self.sold = False
        if not (yield from self.lay_something()):
            return False
        yield from self.part_of_turn()
        if self.second_part_earned:
            if not (yield from self.lay_something(second_part=True)):
                return False
            if self.rules.wine_sales_per_turn_scope == "turn_part":
                self.sold = False
            yield from self.part_of_turn()
        return True

    def lay_something(self, second_part=False):
        """The own abbey, or an own German castle, or the tile drawn; false if nothing can be laid.

        With an empty stack the question of the abbey comes only in a second part (and in the offer). A German castle
        must be laid where no tile can be drawn: with an empty stack, or as what is drawn fits nowhere.
        """
        if (second_part or not self.stack_is_empty()) and (yield from self.place_abbey()):
            return True
        if (yield from self.place_german_castle(may_pass=not self.stack_is_empty())):
            return True
        if self.draw_tile():
            yield from self.place_tile()
            return True
        return (yield from self.place_german_castle(may_pass=False))

    def part_of_turn(self):
        """What a player does when one tile has been laid, in the order of the rulebooks."""
        self.parts_played += 1
        self.lakes_moved, self.parted_or_joined = set(), set()
        self.second_part_earned = self.extends_own_builder()
        self.take_chip()
        yield from self.sell_wine()
        yield from self.put_gold()
        yield from self.place_figure()
        yield from self.put_ferry()
        yield from self.move_ferries()
        yield from self.found_castles()
        completed = self.completed_features()
        self.score_completed_features(completed)
        self.score_church_bonus(completed)
        castles = yield from self.score_castles(completed)
        self.take_goods(completed)
        claims = [*self.claims(completed), *self.claims_of_castles(castles)]
        self.return_figures([*completed, *self.lost_challenges(completed)])
        self.send_lords_home(castles)
        yield from self.award_gold(claims)
        yield from self.follow_crop_circle()

    def stack_is_empty(self):
        """Is there no tile left to draw?"""
        return not self.deck

    def draw_tile(self):
        """Draw until a tile comes that fits somewhere; those that fit nowhere leave the game."""
        while self.deck:
            self.tile = self.deck.pop(0)
            self.placements = self.legal_placements(self.tile)
            if self.placements:
                return True
            self.news.append(("discarded", self.tile))
        self.tile = None
        return False

    def place_tile(self):
        """The active player lays the tile."""
        text = yield from self.ask(self.active, "PLACE_TILE", list(self.placements))
        self.cell, rotation = self.placements[text]
        self.table.lay(self.tile, self.cell, rotation)
        self.tile = None

    @property
    def tile_laid(self):
        """The tile laid in this part of the turn."""
        return self.table.board[self.cell]["tile"]
