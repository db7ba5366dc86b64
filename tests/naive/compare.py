"""One game played by the engine and by the naive model side by side, compared after every answer."""

import json
import random
from collections import Counter
from dataclasses import replace

import carc_env
from carc_env import actions

from .naive import NaiveGame, points_for_field
from .players import (
    GARDEN_TILES,
    GOLD_TILES,
    PLAIN_TILES,
    ComposedGame,
    Players,
    Readers,
    strange_deck,
    table_of,
)
from .table import (
    FACTS,
    feature_with,
    has_gold_symbol,
    is_complete,
    looks,
    owners,
    segment_with,
    segments_on,
    strength,
)

TABLE_SIZE = actions.TABLE[0].shape[-1]  # cells that the engine's table has each way


class Disagreement(AssertionError):
    """The engine and the naive model do not say the same; the message ends with the record to replay."""


def compare_game(number):
    """Play game `number` on both, compare after every answer, and return how often each situation came up."""
    rng = random.Random(number)
    table = table_of(number)
    players = Players(rng, rng.choice((0, 0.9, 0.95)), hoarding=rng.random() < 0.1)
    deck = rng.choice(("printed", "printed", "strange", "composed"))
    if deck == "printed":
        game = new_game(table, seed=number)
        check_same("deck", Counter(game.record()["deck"]), printed_deck(table))
    elif deck == "strange":
        game = new_game(table, deck=strange_deck(rng))
    else:
        rules = {key: value for key, value in table.items() if key != "edition"}
        composed = ComposedGame(rng, length=32, size=TABLE_SIZE, **rules)
        game, players = new_game(table, deck=composed.drawn), Readers(composed.given)
    try:
        return play_both(game, players, rng).met
    except Exception as error:
        at = f"game {number}, after {len(game.moves)} moves"
        raise Disagreement(f"{at}: {error!r}\n{json.dumps(game.record())}") from error


def new_game(table, seed=0, deck=None):
    """The engine's game at this table."""
    return carc_env.Game(replace(carc_env.preset("base"), **table), seed=seed, deck=deck)


def play_both(game, players, rng):
    """Tell the naive model the engine's game, give both the same answers, and compare after each of them."""
    record = game.record()
    rules = ("players", "boxes", "small_city_points", "gold_rule", "starts", "meeples")
    naive = WatchedGame(record["deck"], size=TABLE_SIZE, **{rule: record["config"][rule] for rule in rules})
    check_same_game(game, naive)
    while naive.question:
        text = players.answer(naive)
        game.play(another_spelling(rng, naive, text))
        naive.answer(text)
        check_same_game(game, naive)
        check_same("events", told_by_engine(game.last_events), told_by_naive(naive.news))
    check_same("moves", list(game.moves), naive.moves)
    check_same("final scores", final_scores_of_engine(game), final_scores_of_naive(naive))
    return naive


def printed_deck(table):
    """The tiles in the boxes but the start tile, by the facts."""
    tiles = {tile: FACTS[tile]["counts"][table["edition"]] for tile in [*PLAIN_TILES, *GARDEN_TILES]}
    if "goldmines" in table["boxes"]:
        tiles.update(dict.fromkeys(GOLD_TILES, 1))
    return Counter(tiles) - Counter("D")


def another_spelling(rng, naive, text):
    """The same answer, now and then in other words: any spot of the segment, any like rotation."""
    if "@" in text:
        tile, rest = text.split("@")
        where, rotation = rest.split("/")
        alike = [r for r in (0, 90, 180, 270) if looks(tile, r) == looks(tile, int(rotation))]
        return f"{tile}@{where}/{rng.choice(alike)}"
    words = text.split()
    if len(words) == 3:
        words[2] = rng.choice(segment_with(naive.board, naive.cell, words[2])["spots"])
    return " ".join(words)


# --------------------------------------------------------------------------------- comparing


def check_same(what, engine, naive):
    """Both say the same, or a disagreement that shows the difference."""
    if engine == naive:
        return
    if isinstance(engine, Counter):
        engine, naive = f"alone {dict(engine - naive)}", f"alone {dict(naive - engine)}"
    if isinstance(engine, list) and len(engine) == len(naive):
        unlike = [pair for pair in zip(engine, naive, strict=True) if pair[0] != pair[1]]
        engine, naive = ([pair[side] for pair in unlike] for side in (0, 1))
    raise Disagreement(f"{what}: engine {engine}, naive {naive}")


def check_same_game(game, naive):
    """All there is to see of a game: the question, the table, the features, what each player has."""
    question = naive.question
    check_same("player asked", game.player, question.player if question else None)
    check_same("phase", game.phase.name, question.phase if question else "GAME_OVER")
    check_same("over", bool(game.is_over), question is None)
    check_same("answers", answers_of_engine(game), Counter(question.answers if question else []))
    check_same("tile in hand", game.tile, naive.tile)
    check_same("tiles left", game.tiles_left, len(naive.deck))
    check_same("board", board_of_engine(game), board_of_naive(naive))
    check_same("features", features_of_engine(game), features_of_naive(naive))
    check_same("scores", game.scores.tolist(), naive.scores)
    check_same("ingots", game.ingots.tolist(), naive.ingots)
    check_same("supply", supply_of_engine(game), naive.supply)
    if question:
        check_same("active player", game.active_player, naive.active)


def answers_of_engine(game):
    """The texts of the legal answers, counted, so that none may come twice."""
    return Counter(game.text(action) for action in game.legal_actions())


def board_of_engine(game):
    """Every tile in the order of placing, with its ingots and figures."""
    return [
        (place.tile, place.x, place.y, place.rotation, place.ingots, Counter(map(tuple, place.figures)))
        for place in game.board()
    ]


def board_of_naive(naive):
    """Every tile in the order of placing, with its ingots and figures."""
    figures = {cell: Counter() for cell in naive.board}
    for f in naive.figures:
        figures[f["cell"]][f["figure"], f["player"], f["kind"], f["spot"]] += 1
    return [
        (place["tile"], *cell, place["rotation"], place["ingots"], figures[cell])
        for cell, place in naive.board.items()
    ]


def features_of_engine(game):
    """Every feature as a plain tuple."""
    return Counter(
        (f.kind, tuple(sorted(f.segments)), f.tiles, f.open, f.pennants, tuple(f.strength), f.is_complete)
        for f in game.features()
    )


def features_of_naive(naive):
    """Every feature as a plain tuple."""
    return Counter(
        (
            feature["kind"],
            tuple(sorted((*cell, spot) for cell, spot in feature["segments"])),
            len(feature["tiles"]),
            feature["open"],
            feature["pennants"],
            tuple(strength(feature, player) for player in range(naive.players)),
            is_complete(feature),
        )
        for feature in naive.features()
    )


def supply_of_engine(game):
    """The figures in supply."""
    return {kind: game.meeples[kind].tolist() for kind in ("meeple", "abbot")}


def final_scores_of_engine(game):
    """Points by source; sources of other boxes must be empty."""
    return {source: points.tolist() for source, points in game.final_scores().items() if points.any()}


def final_scores_of_naive(naive):
    """Points by source, those that paid."""
    return {source: points for source, points in naive.points.items() if any(points)}


def told_by_engine(events):
    """What an answer caused: points added up by player and source, and each thing that moved."""
    told = Counter()
    for event in events:
        match event:
            case carc_env.PointsScored():
                told["points", event.player, event.source] += event.points
            case carc_env.IngotPut():
                told["put", event.player, (event.x, event.y)] += 1
            case carc_env.IngotTaken():
                told["taken", event.player, (event.x, event.y)] += 1
            case carc_env.FigureReturned():
                told["returned", event.player, event.figure, (event.x, event.y)] += 1
            case carc_env.TileDiscarded():
                told["discarded", event.tile] += 1
            case carc_env.IngotsSetAside():
                told["set aside",] += event.count
            case _:
                told[str(event)] += 1
    return +told


def told_by_naive(news):
    """The same of the naive model's news."""
    told = Counter()
    for event in news:
        if event[0] in ("points", "set aside"):
            told[event[:-1]] += event[-1]
        else:
            told[event] += 1
    return +told


# ----------------------------------------------------------------------------- situations met


class WatchedGame(NaiveGame):
    """A naive game that counts the situations it meets, so that a run can say what it has tried."""

    def __init__(self, *args, **settings):
        self.met = Counter(games=1)
        super().__init__(*args, **settings)

    def answer(self, text):
        self.met["answers"] += 1
        self.met[self.question.phase + " asked"] += 1
        super().answer(text)

    def ask(self, player, phase, answers):
        if len(answers) == 1 and answers != ["pass"]:
            self.met[phase + " forced"] += 1
        return super().ask(player, phase, answers)

    def draw_tile(self):
        before = len(self.news)
        drawn = super().draw_tile()
        self.met["tile fits nowhere"] += sum(event[0] == "discarded" for event in self.news[before:])
        return drawn

    def take_abbot_back(self):
        self.met["abbot taken back"] += 1
        super().take_abbot_back()

    def put_gold(self):
        if has_gold_symbol(self.board[self.cell]["tile"]) and not self.ingots_left:
            self.met["gold tile, but no ingots left"] += 1
        return super().put_gold()

    def score_completed_features(self):
        scored = super().score_completed_features()
        for feature in scored:
            self.met.update(f"completed {what}" for what in self.remarks(feature))
        for segment in segments_on(self.board, self.cell):
            feature = feature_with(self.board, self.figures, self.cell, segment["spots"][0])
            if is_complete(feature) and not feature["figures"] and self.with_gold(self.area(feature)):
                self.met["gold in a completed feature of nobody"] += 1
        self.met["several features scored in a turn"] += len(scored) > 1
        return scored

    def award_gold(self, scored):
        claims = [(owners(feature, self.players), self.area(feature)) for feature in scored]
        claimants = self.claimants(claims)
        rights = {tuple(self.right(player, claims)) for player in claimants}
        if claimants:
            self.met[f"gold claimed by {len(claimants)}"] += 1
            self.met["gold, not for the active player"] += self.active not in claimants
            self.met["draft with unlike rights"] += len(rights) > 1
            self.met["draft within one feature"] += len(claimants) > 1 and len(scored) == 1
            self.met["draft over several features"] += len(claimants) > 1 and len(scored) > 1
            areas = Counter(cell for _, area in claims for cell in self.with_gold(area))
            self.met["gold in two scored areas"] += max(areas.values()) > 1
            with_gold = [its_owners for its_owners, area in claims if self.with_gold(area)]
            awards = Counter(player for its_owners in with_gold for player in its_owners)
            self.met["two awards to one player"] += max(awards.values()) > 1
            self.met["two awards to one player and a rival"] += max(awards.values()) > 1 and len(awards) > 1
        yield from super().award_gold(scored)
        if claimants and self.claimants(claims):
            self.met["gold left over by the single pass"] += 1

    def score_at_the_end(self):
        features = self.features()
        for feature in features:
            if feature["figures"]:
                self.met.update(f"unfinished {what}" for what in self.remarks(feature))
        super().score_at_the_end()
        self.met["ten ingots or more"] += max(self.ingots) >= 10
        self.met["gold set aside"] += any(event[0] == "set aside" and event[1] for event in self.news)

    def has_no_ends(self, road):
        """Every segment of the road runs on at both sides."""
        return all(len(segment_with(self.board, *segment)["spots"]) == 2 for segment in road["segments"])

    def remarks(self, feature):
        """What is worth telling of a feature with figures that is scored."""
        kind = feature["kind"]
        present = sum(strength(feature, player) > 0 for player in range(self.players))
        yield kind
        if len(owners(feature, self.players)) > 1:
            yield f"{kind}, tied"
        elif present > 1:
            yield f"{kind}, majority"
        if len(feature["segments"]) > len(feature["tiles"]):
            yield f"{kind} twice on a tile"
        if feature["pennants"]:
            yield f"{kind} with pennant"
        if len(feature["tiles"]) == 2:
            yield f"{kind} of two tiles"
        if kind == "road" and is_complete(feature) and self.has_no_ends(feature):
            yield "road in a loop"
        if kind == "field" and points_for_field(feature, self.features()) >= 9:
            yield "field with three cities"
        if any(figure["figure"] == "abbot" for figure in feature["figures"]):
            yield f"{kind} with abbot"
