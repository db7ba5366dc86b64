"""Carcassonne as a player would explain it: plain dicts, and everything worked out anew each time by looking.

Nothing here knows the engine. The model is told the deck and the answers as texts; by itself it says who
is asked what, which answers are legal, and what they bring. In the order of a rulebook: points, the turn,
figures, scoring, gold, the end. What is on the table, and how it is looked at, stands in `table.py`.
"""

from collections import namedtuple

from .table import (
    BUILDINGS,
    SPOTS,
    all_features,
    around,
    feature_with,
    has_gold_symbol,
    is_complete,
    legal_placements,
    owners,
    row_by_row,
    segments_on,
)

Question = namedtuple("Question", "player phase answers")

# ------------------------------------------------------------------------------------------ points


def points_when_complete(feature, small_city_points):
    """What a completed feature pays (Base game, completed features; gardens as monasteries)."""
    tiles, pennants = len(feature["tiles"]), feature["pennants"]
    if feature["kind"] == "road":
        return tiles
    if feature["kind"] == "city":
        each = 1 if tiles == 2 and small_city_points == 2 else 2
        return each * (tiles + pennants)
    return 9


def points_as_it_stands(feature):
    """What an unfinished road, city or building pays at the end of the game, or to an abbot taken back."""
    if feature["kind"] == "city":
        return len(feature["tiles"]) + feature["pennants"]
    if feature["kind"] == "road":
        return len(feature["tiles"])
    return 1 + 8 - feature["open"]


def completed_cities_beside(field, features):
    """The completed cities that adjoin a field, each once however often it touches the field."""
    return [city for city in features if city["segments"] & field["beside_cities"] and is_complete(city)]


def points_for_field(field, features):
    """Three points for each completed city that adjoins the field (third edition of the farmer rule)."""
    return 3 * len(completed_cities_beside(field, features))


def ingot_rate(ingots):
    """What each ingot of a player is worth who has so many of them (Goldmines, the end)."""
    if ingots >= 10:
        return 4
    if ingots >= 7:
        return 3
    return 2 if ingots >= 4 else 1


SOURCE = {
    "road": "roads",
    "city": "cities",
    "monastery": "monasteries",
    "garden": "gardens",
    "field": "fields",
}


# --------------------------------------------------------------------------------------- the turn


class NaiveGame:
    """One game, told by its deck and the answers given; `question` is the one now asked, None at the end.

    `moves` lists the answers as a game record does: also those that were forced, but no pass without choice.
    `news` lists what the last answer caused, as tuples that begin with a word.
    """

    def __init__(
        self,
        deck,
        players=2,
        boxes=("base",),
        small_city_points=4,
        gold_rule="hig",
        starts=(("D", 0, 0, 0),),
        meeples=7,
        size=10**6,
    ):
        self.deck = list(deck)
        self.players = players
        self.boxes = tuple(boxes)
        self.small_city_points = small_city_points
        self.gold_rule = gold_rule
        self.size = size
        self.board = {(x, y): {"tile": t, "rotation": r, "ingots": 0} for t, x, y, r in starts}
        self.figures = []
        self.supply = {
            "meeple": [meeples] * players,
            "abbot": [1 if "abbot" in boxes else 0] * players,
        }
        self.ingots_left = 16 if "goldmines" in boxes else 0
        self.ingots = [0] * players
        self.points = {source: [0] * players for source in [*SOURCE.values(), "ingots"]}
        self.active = 0
        self.tile = None  # the tile in hand
        self.cell = None  # where the tile of this turn lies
        self.moves = []
        self.news = []
        self.questions = self.whole_game()
        self.question = next(self.questions, None)

    @property
    def scores(self):
        """The points of each player so far."""
        return [sum(points[player] for points in self.points.values()) for player in range(self.players)]

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

    def features(self):
        """Everything on the table."""
        return all_features(self.board, self.figures)

    def whole_game(self):
        """Turn after turn until no tile is left that can be laid, then the final scoring."""
        while self.draw_tile():
            yield from self.place_tile()
            yield from self.put_gold()
            yield from self.place_figure()
            scored = self.score_completed_features()
            self.return_figures(scored)
            yield from self.award_gold(scored)
            self.active = (self.active + 1) % self.players
        self.score_at_the_end()

    def draw_tile(self):
        """Draw until a tile comes that fits somewhere; those that fit nowhere leave the game."""
        while self.deck:
            self.tile = self.deck.pop(0)
            if legal_placements(self.board, self.tile, self.size):
                return True
            self.news.append(("discarded", self.tile))
        self.tile = None
        return False

    def place_tile(self):
        """The active player lays the tile."""
        placements = legal_placements(self.board, self.tile, self.size)
        text = yield from self.ask(self.active, "PLACE_TILE", list(placements))
        self.cell, rotation = placements[text]
        self.board[self.cell] = {"tile": self.tile, "rotation": rotation, "ingots": 0}
        self.tile = None

    # ------------------------------------------------------------------------------------- figures

    def place_figure(self):
        """At most one figure onto the tile just laid, or the own abbot back home (Base game; The Abbot)."""
        answers = [*self.figure_answers(), *self.recall_answers(), "pass"]
        text = yield from self.ask(self.active, "PLACE_FIGURE", answers)
        if text == "recall":
            self.take_abbot_back()
        elif text != "pass":
            figure, kind, spot = (text.split() * 2)[:3]
            spot = kind if kind in BUILDINGS else spot
            self.supply[figure][self.active] -= 1
            self.figures.append(
                {"figure": figure, "player": self.active, "cell": self.cell, "kind": kind, "spot": spot}
            )

    def figure_answers(self):
        """A figure goes onto a segment of the new tile whose whole feature holds no figure of anybody.

        The abbot stands on monasteries and gardens only, other meeples never on gardens (The Abbot).
        """
        answers = []
        for segment in segments_on(self.board, self.cell):
            kind, spot = segment["kind"], segment["spots"][0]
            if feature_with(self.board, self.figures, self.cell, spot)["figures"]:
                continue
            place = kind if kind in BUILDINGS else f"{kind} {spot}"
            if self.supply["meeple"][self.active] and kind != "garden":
                answers.append(f"meeple {place}")
            if self.supply["abbot"][self.active] and kind in BUILDINGS:
                answers.append(f"abbot {place}")
        return answers

    def own_abbot(self):
        """The active player's abbot on the table, or None."""
        for figure in self.figures:
            if figure["figure"] == "abbot" and figure["player"] == self.active:
                return figure
        return None

    def recall_answers(self):
        """The own abbot may come home from a building that is not complete (The Abbot)."""
        abbot = self.own_abbot()
        if abbot is None or is_complete(feature_with(self.board, self.figures, abbot["cell"], abbot["spot"])):
            return []
        return ["recall"]

    def take_abbot_back(self):
        """The abbot scores what his building is worth now, by the count of the game's end."""
        abbot = self.own_abbot()
        building = feature_with(self.board, self.figures, abbot["cell"], abbot["spot"])
        self.score(self.active, building["kind"], points_as_it_stands(building))
        self.send_home(abbot)

    def send_home(self, figure):
        """A figure goes back into its player's supply."""
        self.figures.remove(figure)
        self.supply[figure["figure"]][figure["player"]] += 1
        self.news.append(("returned", figure["player"], figure["figure"], figure["cell"]))

    # ------------------------------------------------------------------------------------- scoring

    def score(self, player, kind, points):
        """Write points down for a player."""
        self.points[SOURCE[kind]][player] += points
        self.news.append(("points", player, SOURCE[kind], points))

    def score_completed_features(self):
        """Every feature the new tile completed that has owners: all of them get its points.

        Nothing else can be complete and hold a figure: what was complete before was scored and emptied then.
        """
        scored = [f for f in self.features() if is_complete(f) and f["figures"]]
        for feature in scored:
            for player in owners(feature, self.players):
                self.score(player, feature["kind"], points_when_complete(feature, self.small_city_points))
        return scored

    def return_figures(self, scored):
        """All figures of a scored feature go home, also of those who got nothing."""
        for feature in scored:
            for figure in feature["figures"]:
                self.send_home(figure)

    # ---------------------------------------------------------------------------------------- gold

    def put_gold(self):
        """One ingot on the gold tile, one on any of the eight tiles around it (Goldmines, placing gold)."""
        if not has_gold_symbol(self.board[self.cell]["tile"]):
            return
        self.put_ingot(self.cell)
        beside = [cell for cell in row_by_row(around(self.cell)) if cell in self.board]
        if beside and self.ingots_left:
            text = yield from self.ask(self.active, "PLACE_INGOT", [f"ingot {x},{y}" for x, y in beside])
            self.put_ingot(cell_in(text))

    def put_ingot(self, cell):
        """An ingot goes from the supply onto a tile."""
        if self.ingots_left:
            self.ingots_left -= 1
            self.board[cell]["ingots"] += 1
            self.news.append(("put", self.active, cell))

    def area(self, feature):
        """Where a feature's gold lies: on its tiles, for a building also on the eight tiles around."""
        if feature["kind"] in BUILDINGS:
            return feature["tiles"].union(*(around(cell) for cell in feature["tiles"]))
        return feature["tiles"]

    def award_gold(self, scored):
        """The owners of what was scored in this turn get the gold of its areas (Goldmines, awarding gold)."""
        claims = [(owners(f, self.players), self.area(f)) for f in sorted(scored, key=self.listing_order)]
        if self.gold_rule == "hig":
            yield from self.draft_gold(claims)
        elif self.gold_rule == "rgg_rounds":
            yield from self.take_gold_in_rounds(claims)
        else:
            yield from self.take_gold_in_one_pass(claims)

    def listing_order(self, feature):
        """Roads, cities, buildings; in a kind by the first spot on the new tile, then row by row."""
        kinds = ["road", "city", "building"]
        kind = "building" if feature["kind"] in BUILDINGS else feature["kind"]
        spots = [SPOTS.index(spot) for cell, spot in feature["segments"] if cell == self.cell]
        cells = row_by_row(feature["tiles"])
        return kinds.index(kind), min(spots, default=len(SPOTS)), cells[0][1], cells[0][0]

    def in_order(self):
        """The players, the active one first."""
        return [(self.active + i) % self.players for i in range(self.players)]

    def with_gold(self, area):
        """The tiles of an area that still have gold."""
        return [cell for cell in row_by_row(area) if cell in self.board and self.board[cell]["ingots"]]

    def right(self, player, claims):
        """The tiles a player may take an ingot from: those with gold in the area of an own scored feature."""
        return self.with_gold({cell for its_owners, area in claims if player in its_owners for cell in area})

    def claimants(self, claims):
        """Who still has a right to gold."""
        return [player for player in self.in_order() if self.right(player, claims)]

    def draft_gold(self, claims):
        """One ingot each in turn, beginning with the active player, until none has a right to any."""
        while self.claimants(claims):
            for player in self.in_order():
                if self.take_rest_if_alone(claims):
                    return
                if self.right(player, claims):
                    yield from self.choose_ingot(player, self.right(player, claims))

    def take_gold_in_rounds(self, claims):
        """On each visit one ingot for each own feature with gold left, round after round (RGG wording)."""
        while self.claimants(claims):
            for player in self.in_order():
                for its_owners, area in claims:
                    if self.take_rest_if_alone(claims):
                        return
                    if player in its_owners and self.with_gold(area):
                        yield from self.choose_ingot(player, self.with_gold(area))

    def take_gold_in_one_pass(self, claims):
        """One visit for each player, one ingot for each own feature; the rest stays (RGG wording, strict)."""
        for player in self.in_order():
            for its_owners, area in claims:
                if player in its_owners and self.with_gold(area):
                    yield from self.choose_ingot(player, self.with_gold(area))

    def take_rest_if_alone(self, claims):
        """The only player with a right left takes all, row by row; true when nothing is left to do."""
        claimants = self.claimants(claims)
        if len(claimants) > 1:
            return False
        for player in claimants:
            for cell in self.right(player, claims):
                while self.board[cell]["ingots"]:
                    self.moves.append(f"take {cell[0]},{cell[1]}")
                    self.take_ingot(player, cell)
        return True

    def choose_ingot(self, player, cells):
        """A player takes an ingot from one of these tiles; there is no declining."""
        text = yield from self.ask(player, "TAKE_INGOT", [f"take {x},{y}" for x, y in cells])
        self.take_ingot(player, cell_in(text))

    def take_ingot(self, player, cell):
        """An ingot goes from a tile to a player."""
        self.board[cell]["ingots"] -= 1
        self.ingots[player] += 1
        self.news.append(("taken", player, cell))

    # ------------------------------------------------------------------------------------- the end

    def score_at_the_end(self):
        """Unfinished features, fields and the players' ingots score; those still on tiles are nobody's."""
        self.news.append(("set aside", sum(place["ingots"] for place in self.board.values())))
        features = self.features()
        for feature in features:
            for player in owners(feature, self.players):
                if feature["kind"] == "field":
                    self.score(player, "field", points_for_field(feature, features))
                else:
                    self.score(player, feature["kind"], points_as_it_stands(feature))
        for player, ingots in enumerate(self.ingots):
            self.points["ingots"][player] += ingots * ingot_rate(ingots)
            self.news.append(("points", player, "ingots", ingots * ingot_rate(ingots)))


def cell_in(text):
    """The cell named in `ingot 3,-1` or `take 3,-1`."""
    x, y = text.split()[1].split(",")
    return int(x), int(y)
