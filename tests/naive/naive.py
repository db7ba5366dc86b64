"""A naive model of Carcassonne, as a player would explain the game: plain dicts, and every fact found by looking.

The model knows nothing of the engine. It is given the deck, the chips and the actions as texts. It finds out by itself
which player decides what, which actions are legal, and what they score. This file contains a game and its turn. Each
system has a file of its own: `figures.py`, `scoring.py`, `gold.py`, `chips.py`, `builders.py`, `crop_circles.py`,
`ferries.py`, `castles.py`, `abbeys.py`, `shrines.py`, `special_monasteries.py`, `darmstadt.py`, `baba_yaga.py`,
`german_castles.py`, `german_cathedrals.py`. `table.py` and `maps.py` contain what lies on the table and how to look at
it, and `points.py` what it scores.
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
    """One game, given by its deck and chips and by the actions played. `question` is the current decision, or None.

    `moves` lists the actions as a game record does: forced ones too, except a pass without an alternative. `news` lists
    what the last action caused, as tuples that begin with a word. `german_castles` are the castle tiles in hand, one
    tuple for each player. `rules` are the settings of `points.Rules`.
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
        self.cell = None  # the cell of the tile laid in this turn; of a double tile, its first square
        self.sold = False  # True if wine was sold in this turn
        self.parts_played = 0  # parts of turns so far, including the current one
        self.moves = []
        self.news = []
        self.questions = self.whole_game()
        self.question = next(self.questions, None)

    def plays(self, box):
        """True if this box is in play with its rules. Symbols of other boxes have no effect."""
        return box in self.rules.boxes

    @property
    def scores(self):
        """The points of each player so far."""
        return [sum(points) for points in zip(*self.points.values(), strict=True)]

    def in_order(self):
        """Return the players in the order of play, the active one first."""
        return [(self.active + i) % self.rules.players for i in range(self.rules.players)]

    # ------------------------------------------------------------------------------ decisions

    def answer(self, text):
        """Play an action of the current decision; the game goes on to the next decision."""
        if text not in self.question.answers:
            raise ValueError(f"{text} is none of {self.question}")
        self.news = []
        try:
            self.question = self.questions.send(text)
        except StopIteration:
            self.question = None

    def ask(self, player, phase, answers):
        """Ask a player for a decision, unless there is only one action. Returns the text of the action."""
        answer = answers[0] if len(answers) == 1 else (yield Question(player, phase, answers))
        if len(answers) > 1 or answer != "pass":
            self.moves.append(answer)
        return answer

    # ------------------------------------------------------------------------------- the turn

    def whole_game(self):
        """Play turn after turn until no tile can be laid any more, then offer abbeys, and score the end of the game."""
        while (yield from self.turn()) and self.next_turn_begins():
            pass
        yield from self.offer_abbeys()
        self.score_at_the_end()

    def next_turn_begins(self):
        """Make the next player active. Returns False if no turn begins: no tile is left to draw, and that player can
        lay no German castle.
        """
        player = (self.active + 1) % self.rules.players
        if self.stack_is_empty() and not self.castle_placements(player):
            return False
        self.active = player
        return True

    def turn(self):
        """Play a turn of one part, or of two if the builder earned a second. Returns False if nothing can be laid."""
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
        """Lay the own abbey, an own German castle or the tile drawn. Returns False if nothing can be laid.

        With an empty stack, the abbey can be laid only in a second part (and in the offer). A German castle must be
        laid if no tile can be drawn, because the stack is empty or because the tiles drawn fit nowhere.
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
        """Carry out what follows when a tile has been laid, in the order of the rulebooks."""
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
        """True if no tile is left to draw."""
        return not self.deck

    def draw_tile(self):
        """Draw until a tile fits somewhere. Tiles that fit nowhere leave the game. Returns False if no tile fits."""
        while self.deck:
            self.tile = self.deck.pop(0)
            self.placements = self.legal_placements(self.tile)
            if self.placements:
                return True
            self.news.append(("discarded", self.tile))
        self.tile = None
        return False

    def place_tile(self):
        """The active player lays the tile drawn."""
        text = yield from self.ask(self.active, "PLACE_TILE", list(self.placements))
        self.cell, rotation = self.placements[text]
        self.table.lay(self.tile, self.cell, rotation)
        self.tile = None

    @property
    def tile_laid(self):
        """The tile laid in this part of the turn."""
        return self.table.board[self.cell]["tile"]
