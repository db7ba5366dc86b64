"""Players of the naive model who look for complicated situations, so that rare ones come up often."""

from .abbeys import beside
from .gold import cell_in
from .naive import NaiveGame
from .table import around, neighbour
from .tables import COMPOSING_TILES, GOODS_TILES
from .tiles import ACROSS, BUILDINGS, is_lake, segments_of


class Players:
    """All players of a game. `daring` (0 to 1) is how often they choose the action that promises most complications.

    If gold is hoarded, only the first player places figures, and so gets all the gold.
    """

    def __init__(self, rng, daring=0.0, hoarding=False):
        self.rng = rng
        self.daring = 1.0 if hoarding else daring
        self.hoarding = hoarding

    def answer(self, game):
        """Return the text of an action for the current decision."""
        question, rng = game.question, self.rng
        answers = question.answers
        if self.hoarding and question.phase == "PLACE_FIGURE" and question.player > 0:
            return "pass"
        if question.phase == "PLACE_GERMAN_CASTLE" and "pass" in answers and rng.random() < PATIENCE:
            return "pass"
        if rng.random() < self.daring:
            if question.phase == "PLACE_TILE":
                answers = rng.sample(sorted(answers), min(len(answers), 10))
                return max(answers, key=lambda text: trouble(game, text, self.hoarding) + rng.random())
            if question.phase == "PLACE_INGOT":
                return max(answers, key=lambda text: crowd(game, text) + rng.random())
            if question.phase in ("PLACE_FIGURE", "SELL_WINE", "CROP_CHOICE", "CROP_ADD", "FOUND_CASTLE"):
                return max(answers, key=lambda text: appetite(text) * rng.random())
        return rng.choice(sorted(answers))


PATIENCE = 0.85  # how often a castle tile is kept for later turns

# How gladly a daring player chooses an action.
APPETITE = {
    "road": 3,
    "city": 3,
    "monastery": 4,
    "garden": 4,
    "shrine": 6,
    "hut": 4,
    "castle": 4,
    "cathedral": 4,
    "field": 0.8,
    "recall": 0.5,
    "pass": 1,
    "builder": 9,
    "pig": 6,
    "big": 3,
    "sell": 4,
    "circle": 1,
    "add": 3,
}


def appetite(text):
    """Return how gladly a daring player chooses this action about figures, wine, crop circles or castles."""
    words = text.split()
    if words[0] in ("meeple", "abbot"):
        return APPETITE[words[1]]
    if text == "circle remove":
        return 0.7
    return APPETITE[words[0]]


def crowd(game, text):
    """Return how many players have figures in the features of the tile on which this action puts an ingot."""
    features = game.table.features_on(cell_in(text))
    return len({figure["player"] for feature in features for figure in game.table.figures_in(feature)})


def glance(table, tile, cell, rotation):
    """Yield what each segment of the tile, and each building around it with a figure, would become with the tile there.

    This is only a glance: if two segments of the tile are joined elsewhere, this is not noticed.
    """
    for segment in segments_of(tile, rotation):
        joined, open_ends = {}, 0
        for end in segment["spots"]:
            there = neighbour(cell, end[0]) if end in ACROSS else None
            if there and table.is_filled(there) and table.segment_with(there, ACROSS[end]):
                feature = table.feature(there, ACROSS[end])
                open_ends += -1 if id(feature) in joined else feature["open"] - 1
                joined[id(feature)] = feature
            elif there and table.is_square(there):
                open_ends += not table.is_filled(there)
        if segment["kind"] in BUILDINGS:
            open_ends = sum(table.is_on_map(other) and not table.is_filled(other) for other in around(cell))
        yield made_of(table, segment["kind"], segment, list(joined.values()), open_ends <= 0, {cell})
    for figure in table.figures:
        if figure["kind"] in BUILDINGS and figure["cell"] in around(cell):
            building = table.feature(figure["cell"], figure["spot"])
            tiles = {*building["tiles"], *around(figure["cell"])}
            yield made_of(table, figure["kind"], None, [building], building["open"] == 1, tiles)


def made_of(table, kind, segment, joined, complete, tiles):
    """Return what a player sees of a feature made of a new segment, if any, and of the features that it joins.

    Gold, goods and symbols are looked up only for completed features: before that they count for nothing.
    """
    made = {
        "kind": kind,
        "figures": [figure for feature in joined for figure in table.figures_in(feature)],
        "complete": complete and kind != "field",
        "large": bool(table.sheet and kind == "city" and any(map(table.has_large_city, joined))),
    }
    if made["complete"]:
        cells = tiles.union(*(feature["tiles"] for feature in joined))
        made["size"] = len(cells)
        made["gold"] = any(table.board[cell]["ingots"] for cell in cells if cell in table.board)
        made["goods"] = sum(len(f["goods"]) for f in joined) + bool(segment and segment["good"])
        made["symbols"] = any(f["symbols"] for f in joined) or bool(segment and segment["symbol"])
    return made


def excitement(made, player):
    """Return how interesting the feature that a tile would make is for the player who lays the tile."""
    figures = made["figures"]
    players = {figure["player"] for figure in figures}
    builder = any(f["figure"] == "builder" and f["player"] == player for f in figures)
    pig = any(figure["figure"] == "pig" for figure in figures)
    total = 4 * (len(players) > 1) + 2 * (made["kind"] in BUILDINGS) + 2 * (len(figures) > len(players))
    total += 9 * builder + 9 * pig + 5 * made["large"]
    if made["complete"]:
        total += len(players) + 3 * made["goods"] + 6 * builder + 15 * made["large"]
        total += 12 * (made["symbols"] and bool(figures))
    return total


def trade(game, cell):
    """Return how interesting a square of a sheet is: a chip, a buyer of wine, gold that can lie nowhere else."""
    sheet, wines = game.table.sheet, game.wines(game.active)
    town = sheet.towns.get(cell)
    total = 3 * (cell in game.chips_on) + 20 * bool(wines and sheet.leads_abroad(cell))
    total += 20 * any(town and wine.split()[0] == town["grape"] for wine in wines)
    return total + 8 * all(other not in game.table.board for other in around(cell))


def company(game, tile, cell, features):
    """Return how interesting a square is for ferries, castles, abbeys, shrines and German castles."""
    completed = [made for made in features if made["complete"]]
    small = [made for made in completed if made["kind"] == "city" and made["size"] == 2 and len(made["figures"]) == 1]
    near = [castle for castle in game.table.castles if castle["lord"] and cell in game.vicinity(castle)]
    total = (3 + 12 * bool(completed)) * len(near) + 15 * bool(small and sum(game.castle_tokens))
    total += 3 * sum(game.is_castle_tile(other) for other in around(cell)) if game.plays("german_castles") else 0
    total += 6 * (game.plays("ferries") and is_lake(tile)) + 4 * sum(
        other in game.table.ferries for other in beside(cell)
    )
    if sum(game.abbeys):
        holes = [other for other in beside(cell) if other in game.table.empty]
        total += 4 * sum(all(there in game.table.board or there == cell for there in beside(hole)) for hole in holes)
    for segment in segments_of(tile, 0) if game.plays("shrines") else ():
        rivals = game.rivals_beside(cell, segment["kind"]) if game.table.is_in_play(segment) else ()
        total += 10 * sum(f["cell"] in rivals for f in game.table.figures)
    return total


def trouble(game, text, hoarding=False):
    """Return how much would happen if the tile lay there: rivals joined, features completed, gold to share.

    Gold for one player alone counts as a loss, so that it stays until more players have claims, unless gold is hoarded.
    """
    tile, place = text.split("@")
    where, rotation = place.split("/")
    cell = cell_in(f"at {where}")
    features = list(glance(game.table, tile, cell, int(rotation)))
    total = sum(excitement(made, game.active) for made in features)
    total += trade(game, cell) if game.table.sheet else 0
    total += company(game, tile, cell, features)

    awarded = [made for made in features if made["complete"] and made["gold"] and made["figures"]]
    claimants = {figure["player"] for made in awarded for figure in made["figures"]}
    if len(awarded) == len(claimants) == 1:
        return total + (20 if hoarding else -6)
    return total + 20 * (len(awarded) > 1) + 10 * (len(claimants) > 1)


class ComposedGame(NaiveGame):
    """A game whose deck is made during the game: of some tiles, the one with which most can happen is drawn.

    As a result, claims meet and several features with gold are completed at once much more often than by chance.
    `drawn` is the deck, and `given` are the actions to play it with.
    """

    def __init__(self, rng, length, tiles=COMPOSING_TILES, **settings):
        self.rng, self.length, self.tiles = rng, length, tiles
        self.drawn, self.given = [], []
        super().__init__(deck=[], **settings)
        players = Players(rng, daring=0.97)
        while self.question:
            with_this_tile = self.question.phase == "PLACE_TILE"
            self.given.append(self.placement if with_this_tile else players.answer(self))
            self.answer(self.given[-1])

    def stack_is_empty(self):
        return len(self.drawn) >= self.length

    def draw_tile(self):
        self.tile = None
        if not self.stack_is_empty():
            placements = {}
            tiles = [tile for tile in self.tiles if not (tile in GOODS_TILES and tile in self.drawn)]
            self.rng.shuffle(tiles)
            while tiles and len(placements) < 20:
                placements |= self.legal_placements(tile := tiles.pop())
            if placements:
                texts = self.rng.sample(sorted(placements), min(len(placements), 24))
                self.placement = max(texts, key=lambda text: trouble(self, text))
                self.tile = self.placement.split("@")[0]
                self.placements = self.legal_placements(self.tile)
                self.drawn.append(self.tile)
            else:  # nothing fits: this tile becomes the last one of the deck
                self.drawn.append(tile)
                self.length = len(self.drawn)
        return self.tile is not None


class Readers:
    """Players who read their actions from a list."""

    def __init__(self, answers):
        self.answers = iter(answers)

    def answer(self, game):
        """Return the next action."""
        return next(self.answers)
