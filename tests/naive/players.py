"""Games worth comparing: every kind of table, decks that bring trouble, and players who look for it."""

import itertools

from .naive import NaiveGame, cell_in
from .table import (
    BUILDINGS,
    FACTS,
    around,
    feature_with,
    is_complete,
    legal_placements,
    segments_on,
)

BOXES = [
    (("base", "goldmines"), "C2"),
    (("base",), "C1"),
    (("base", "goldmines", "abbot"), "C2"),
    (("base",), "C2"),
    (("base", "abbot"), "C2"),
]
GOLD_RULES = ["hig", "rgg_rounds", "rgg_single_pass"]

# Every kind of table there is to compare. Without gold there is but one gold rule.
TABLES = [
    {"players": players, "boxes": boxes, "edition": edition, "gold_rule": rule, "small_city_points": small}
    for players, (boxes, edition), rule, small in itertools.product((2, 3, 4, 5), BOXES, GOLD_RULES, (4, 2))
    if "goldmines" in boxes or rule == "hig"
]

GOLD_TILES = [f"GM{number}" for number in range(1, 9)]
PLAIN_TILES = [tile for tile in FACTS if len(tile) == 1]
GARDEN_TILES = [tile for tile in FACTS if len(tile) == 3 and tile.endswith("-g")]
CLOSING_TILES = list("ABBBEEHIKLVVWX")  # what completes roads, cities and monasteries soon


def table_of(number):
    """The table of a game: all of them in turn, neighbours unlike each other."""
    return TABLES[number * 31 % len(TABLES)]


def strange_deck(rng):
    """A deck nobody would print: few kinds of tile, many of each, and much gold."""
    kinds = rng.sample(PLAIN_TILES, rng.randint(2, len(PLAIN_TILES)))
    length = rng.choice((15, 30, 40, 60))
    deck = rng.choices(rng.choice((kinds, CLOSING_TILES)), k=length)
    deck += rng.choices(GOLD_TILES, k=rng.randint(4, 10))
    deck += rng.choices(GARDEN_TILES, k=length // 6)
    rng.shuffle(deck)
    return deck


# ------------------------------------------------------------------------------------ the players


class Players:
    """Everybody at a table; the more daring (0 to 1), the more often they answer what brings most trouble.

    Where gold is hoarded only the first player places figures, and so gets all there is.
    """

    def __init__(self, rng, daring=0.0, hoarding=False):
        self.rng = rng
        self.daring = 1.0 if hoarding else daring
        self.hoarding = hoarding

    def answer(self, game):
        """The text of an answer to the question asked."""
        question, rng = game.question, self.rng
        answers = sorted(question.answers)
        if self.hoarding and question.phase == "PLACE_FIGURE" and question.player > 0:
            return "pass"
        if rng.random() < self.daring:
            if question.phase == "PLACE_TILE":
                answers = rng.sample(answers, min(len(answers), 40))
                return max(answers, key=lambda text: trouble(game, text, self.hoarding) + rng.random())
            if question.phase == "PLACE_INGOT":
                return max(answers, key=lambda text: crowd(game, text) + rng.random())
            if question.phase == "PLACE_FIGURE":
                return max(answers, key=lambda text: appetite(text) * rng.random())
        return rng.choice(answers)


def appetite(text):
    """How gladly a daring player gives this answer about figures."""
    gladly = {"road": 3, "city": 3, "monastery": 4, "garden": 4, "field": 0.7, "recall": 0.5, "pass": 1}
    words = text.split()
    return gladly[words[1] if len(words) > 1 else text]


def crowd(game, text):
    """How many players have figures in the features of the tile this ingot would lie on."""
    cell = cell_in(text)
    players = set()
    for segment in segments_on(game.board, cell):
        feature = feature_with(game.board, game.figures, cell, segment["spots"][0])
        players |= {figure["player"] for figure in feature["figures"]}
    return len(players)


def trouble(game, text, hoarding=False):
    """How much would happen if the tile lay there: rivals joined, features completed, gold to share.

    Gold for one player alone is better kept for a day with more claims, unless gold is hoarded.
    """
    tile, place = text.split("@")
    where, rotation = place.split("/")
    cell = cell_in(f"at {where}")
    board = {**game.board, cell: {"tile": tile, "rotation": int(rotation), "ingots": 0}}
    touched = [(cell, segment["spots"][0]) for segment in segments_on(board, cell)]
    buildings = [f for f in game.figures if f["kind"] in BUILDINGS and f["cell"] in around(cell)]
    touched += [(figure["cell"], figure["spot"]) for figure in buildings]

    total, awards = 0, []
    for segment in touched:
        feature = feature_with(board, game.figures, *segment)
        players = {figure["player"] for figure in feature["figures"]}
        total += 4 * (len(players) > 1) + 2 * (feature["kind"] in BUILDINGS)
        if is_complete(feature):
            gold = sum(place["ingots"] for place in map(board.get, game.area(feature)) if place)
            total += len(players)
            awards += [players] if gold and players else []
    claimants = set().union(*awards)
    if len(awards) == len(claimants) == 1:
        return total + (20 if hoarding else -6)
    return total + 20 * (len(awards) > 1) + 10 * (len(claimants) > 1)


class ComposedGame(NaiveGame):
    """A game whose deck is made as it goes: of some tiles, the one with which most can happen is drawn.

    So claims meet, and several features with gold are completed at once, far more often than by chance.
    `drawn` is the deck, `given` are the answers to play it with.
    """

    def __init__(self, rng, length, **rules):
        self.rng, self.length = rng, length
        self.drawn, self.given = [], []
        super().__init__(deck=[], **rules)
        players = Players(rng, daring=1)
        while self.question:
            with_this_tile = self.question.phase == "PLACE_TILE"
            self.given.append(self.placement if with_this_tile else players.answer(self))
            self.answer(self.given[-1])

    def draw_tile(self):
        self.tile = None
        if len(self.drawn) < self.length:
            tiles = self.rng.sample([*PLAIN_TILES, *GARDEN_TILES, *GOLD_TILES, *CLOSING_TILES], 8)
            texts = [text for tile in tiles for text in legal_placements(self.board, tile, self.size)]
            texts = self.rng.sample(sorted(texts), min(len(texts), 50))
            self.placement = max(texts, key=lambda text: trouble(self, text))
            self.tile = self.placement.split("@")[0]
            self.drawn.append(self.tile)
        return self.tile is not None


class Readers:
    """Players who read their answers from a list."""

    def __init__(self, answers):
        self.answers = iter(answers)

    def answer(self, game):
        """The next answer."""
        return next(self.answers)
