"""Plays one game on the engine and on the naive model side by side, and compares them after every action."""

import json
import random
from collections import Counter
from dataclasses import fields
from itertools import takewhile

import numpy as np

import carc_env
from carc_env.boxes.layout import N_PLANES, plane, scalar
from carc_env.boxes.tiles import FIGURES, SPOTS, tile_numbers, tile_table
from carc_env.boxes.tiles import KINDS as SEGMENT_KINDS
from carc_env.notation import texts
from carc_env.rules.state import SLOT_FIGURE

from .castles import castle_name
from .german_castles import name_of_tile
from .players import ComposedGame, Players, Readers
from .points import Rules, coats_of_arms
from .seen import globals_of, planes_of
from .table import is_complete, neighbour
from .tables import (
    COMPOSING_TILES,
    KINDS,
    SYSTEM_COMPOSING_TILES,
    faults_of_chips,
    faults_of_setup,
    game_to_play,
    start,
)
from .tiles import BUILDINGS, SYSTEMS, direction_of, is_double, looks, rotations_of_double, word_for
from .watching import WatchedGame

NUMBERS = tile_numbers()  # the numbers of the tiles in the engine's state


class Disagreement(AssertionError):
    """Raised if the engine and the naive model differ. The message ends with the record to replay."""


def compare_game(number, preset=None):
    """Play game `number` on both, compare them after every action, and return how often each situation came up.

    One of the situations is `games cut off`: such a game is compared only as long as the engine's table has room for
    it.
    """
    rng = random.Random(number)
    kind = preset or KINDS[number % len(KINDS)]
    plan = game_to_play(kind, rng)
    players = Players(rng, rng.choice((0, 0.9, 0.95)), hoarding=rng.random() < 0.1)

    def compose(table, chips, german_castles=()):
        nonlocal players
        tiles = SYSTEM_COMPOSING_TILES if set(table.boxes) & set(SYSTEMS) else COMPOSING_TILES
        dealt = {"chips": chips, "german_castles": german_castles}
        composed = ComposedGame(rng, 32, tiles, **dealt, **rules_of(table.to_dict()))
        players = Readers(composed.given)
        return composed.drawn

    game = start(plan, number, rng, compose)
    try:
        check_setup(plan, game)
        met = play_both(game, players, rng).met
    except Exception as error:
        at = f"game {number}, after {len(game.moves)} moves"
        raise Disagreement(f"{at}: {error!r}\n{json.dumps(game.record())}") from error
    met[f"games of {kind}"] += 1
    met[f"game {number}, cut off"] += met["games cut off"]
    return +met


def new_game(settings, seed=0, deck=None, chips=None):
    """Return a game of the engine with the default configuration, changed by these settings."""
    return carc_env.Game(carc_env.GameConfig(**settings), seed=seed, deck=deck, chips=chips)


def rules_of(config):
    """Return the settings of a configuration that the naive model needs."""
    return {field.name: config[field.name] for field in fields(Rules)}


def check_setup(plan, game):
    """Check that the deck, start tiles and chips that were drawn follow the rules."""
    faults = ()
    if plan.deck == "printed" and not plan.dictated_chips:
        faults = faults_of_setup(plan.table, game.record())
    elif "map_chips" in plan.table.boxes and not plan.dictated_chips:
        faults = faults_of_chips(plan.table, game.record())
    for fault in faults:
        raise Disagreement(fault)


def play_both(game, players, rng):
    """Give the naive model the engine's game, play the same actions on both, and compare them after each action.

    The comparison ends early if the engine's table becomes too small.
    """
    record = game.record()
    rules = {**rules_of(record["config"]), "starts": record["starts"]}
    naive = WatchedGame(record["deck"], record["chips"], record.get("german_castles", ()), **rules)
    if is_cut_off(game, naive):
        return naive
    actions_by_text = check_same_game(game, naive)
    check_whole_table(game, naive)
    while naive.question:
        was_asked = naive.question.phase
        text = players.answer(naive)
        in_words = rng.random() < 0.2  # either the text or the action is played; texts take longer
        game.play(another_spelling(rng, naive, text) if in_words else actions_by_text[text])
        naive.answer(text)
        if is_cut_off(game, naive):
            return naive
        actions_by_text = check_same_game(game, naive)
        check_events(game, naive)
        if naive.question is None or rng.random() < 0.01:
            check_whole_table(game, naive)
        elif naive.question.phase in ("TAKE_INGOT", "CASTLE_SCORE"):
            check_observations(game, naive)
        elif was_asked == "PLACE_TILE" or naive.question.phase == "PLACE_TILE":
            if not in_systems(naive):
                check_features_on_last_tile(game, naive)
            elif rng.random() < 0.1:
                check_whole_table(game, naive)
    check_same("moves", list(game.moves), naive.moves)
    check_same("final scores", final_scores_of_engine(game), final_scores_of_naive(naive))
    return naive


def is_cut_off(game, naive):
    """True if the engine says that its table was too small for a placement. The model must then know such a placement.

    The model's table has no border. It may have laid the tile already, or the tile may be one of those that can be laid
    next.
    """
    if not game.is_cut_off:
        return False
    phase = naive.question.phase if naive.question else None
    answers = naive.question.answers if phase in ("PLACE_TILE", "PLACE_GERMAN_CASTLE") else ()
    spans = [span_of(naive.table.board), *(span_with(naive.table.board, text) for text in answers if text != "pass")]
    if max(spans) < game.config.table_size:
        raise Disagreement(f"cut off: engine says so, naive has room enough, {max(spans)} cells")
    naive.met["games cut off"] += 1
    return True


def span_of(cells):
    """Return how many cells the layout spans from one end to the other, in the direction in which it is longer."""
    return max(max(coordinates) - min(coordinates) + 1 for coordinates in zip(*cells, strict=True))


def span_with(board, text):
    """Return the span of the layout with one more tile."""
    tile, where, rotation = text.replace("/", "@").split("@")
    cell = tuple(map(int, where.split(",")))
    squares = [cell, neighbour(cell, direction_of(int(rotation)))] if is_double(tile) else [cell]
    return span_of([*board, *squares])


def in_systems(naive):
    """True if one of the nine systems is in play. Then all is compared as the engine reports it, not from its state."""
    return bool(set(naive.rules.boxes) & set(SYSTEMS))


def another_spelling(rng, naive, text):
    """Return a text for the same action, perhaps with another spot of the segment or another rotation that looks the
    same.
    """
    if "/" in text:
        tile, rest = text.split("@")
        where, rotation = rest.split("/")
        if is_double(tile):
            unlike = set(rotations_of_double(tile))
            return text if len(unlike) == 4 else f"{tile}@{where}/{rng.choice((0, 180)) + int(rotation) % 180}"
        alike = [r for r in (0, 90, 180, 270) if looks(tile, r) == looks(tile, int(rotation))]
        return f"{tile}@{where}/{rng.choice(alike)}"
    words = text.split()
    if naive.question.phase == "PLACE_FIGURE" and len(words) == 3 and words[2] != "lying":
        words[2] = rng.choice(spots_of_place(naive, words[2]))
    if naive.question.phase in ("CROP_ADD", "CROP_REMOVE") and len(words) == 5:
        x, y = words[3].split(",")
        segment = naive.table.segment_with((int(x), int(y)), words[4])
        words[4] = rng.choice(naive.table.outer_spots((int(x), int(y)), segment))
    if naive.question.phase in ("PLACE_FERRY", "MOVE_FERRY") and words[0] == "ferry":
        words[-1] = "-".join(rng.sample(words[-1].split("-"), 2))
    if naive.question.phase == "CASTLE_SCORE" and words[4] in ("road", "city"):
        x, y = words[5].split(",")
        cell, spot = rng.choice(sorted(naive.table.feature((int(x), int(y)), words[6])["segments"]))
        words[5:] = [f"{cell[0]},{cell[1]}", spot]
    return " ".join(words)


def spots_of_place(naive, name):
    """Return all names of the segment on the tile just laid that has this name, such as `2E` on a double tile."""
    squares = naive.table.squares_of(naive.cell)
    square, spot = (squares[1], name[1:]) if name[0] == "2" else (squares[0], name)
    pieces = naive.table.pieces_of(square, naive.table.segment_with(square, spot))
    return [
        "2" * squares.index(here) + outer for here, piece in pieces for outer in naive.table.outer_spots(here, piece)
    ]


# --------------------------------------------------------------------------------- comparing


def check_same(what, engine, naive):
    """Raise a Disagreement that shows the difference, unless both are equal."""
    if engine == naive:
        return
    if isinstance(engine, Counter):
        engine, naive = f"alone {dict(engine - naive)}", f"alone {dict(naive - engine)}"
    if isinstance(engine, dict) and isinstance(naive, dict) and set(engine) == set(naive):
        unlike = [key for key in engine if engine[key] != naive[key]]
        engine, naive = ({key: side[key] for key in unlike} for side in (engine, naive))
    if isinstance(engine, list) and len(engine) == len(naive):
        unlike = [pair for pair in zip(engine, naive, strict=True) if pair[0] != pair[1]]
        engine, naive = ([pair[side] for pair in unlike] for side in (0, 1))
    elif isinstance(engine, list):
        alone = [thing for thing in engine if thing not in naive], [thing for thing in naive if thing not in engine]
        engine, naive = (f"alone {things}" for things in alone)
    raise Disagreement(f"{what}: engine {engine}, naive {naive}")


def check_same_game(game, naive):
    """Compare what is quick to compare: the decision, what lies where, and what each player has.

    Returns {text: action} for the legal actions.
    """
    question = naive.question
    check_same("player asked", game.player, question.player if question else None)
    check_same("phase", game.phase.name, question.phase if question else "GAME_OVER")
    check_same("over", bool(game.is_over), question is None)
    actions_by_text = check_answers(game, naive)
    check_same("tile in hand", game.tile, naive.tile)
    check_same("tiles left", game.tiles_left, len(naive.deck))
    if not in_systems(naive):
        check_same("tiles and ingots", tiles_of_engine(game), tiles_of_naive(naive, game.config))
        check_same("figures", figures_of_engine(game), figures_of_naive(naive, game.config))
    else:
        check_systems(game, naive)
    if in_systems(naive) or question is None or question.phase in BOARD_IS_COMPARED or len(naive.table.board) % 12 == 0:
        check_same("board", board_of_engine(game), board_of_naive(naive))
    check_same("scores", game.scores.tolist(), naive.scores)
    check_same("ingots", game.ingots.tolist(), naive.ingots)
    check_same("chips", game.chips.tolist(), chips_of_naive(naive))
    check_same("goods", game.goods.tolist(), [[goods[good] for good in naive.GOODS] for goods in naive.goods])
    check_same("supply", {kind: count.tolist() for kind, count in game.meeples.items()}, naive.supply)
    if question:
        check_same("active player", game.active_player, naive.active)
    return actions_by_text


def check_systems(game, naive):
    """Compare ferries, castles and castle tokens, and the abbeys and German castles in hand."""
    ferries = [(*lake, "-".join(joined)) for lake, joined in naive.table.ferries.items()]
    check_same("ferries", sorted(game.ferries), sorted(ferries))
    castles = [
        (*castle["cells"][0], castle_name(castle["cells"])[-1], castle["player"], castle["lord"] is not None)
        for castle in naive.table.castles
    ]
    check_same("castles", sorted(map(tuple, game.castles)), sorted(castles))
    check_same("castle tokens", game.castle_tokens.tolist(), naive.castle_tokens)
    check_same("abbeys", game.abbeys.tolist(), naive.abbeys)
    check_same("castle tiles", list(map(sorted, game.german_castles)), list(map(sorted, naive.german_castles)))


# The engine takes some time to list its board. The board is compared at these decisions and during every twelfth tile.
# Otherwise the tiles, ingots and figures are compared as they are stored in the engine's state.
BOARD_IS_COMPARED = ["TAKE_INGOT", "CROP_CHOICE", "CROP_ADD", "CROP_REMOVE"]


def check_answers(game, naive):
    """Compare the legal actions. Returns {text: action}.

    There are many placements: all are compared as actions (rotation and cell), but only some as texts.
    """
    state, ids = game.state, game.legal_actions().tolist()
    if game.phase.name != "PLACE_TILE":
        actions_by_text = {texts.text_of(state, action): action for action in ids}
        expected = sorted(naive.question.answers) if naive.question else []
        check_same("answers", sorted(actions_by_text), expected)
        check_same("number of answers", len(ids), len(expected))
        return actions_by_text
    actions_by_text = {}
    for text, (cell, rotation) in naive.placements.items():
        actions_by_text[text] = rotation // 90 * game.config.table_size**2 + number_of(game.config, cell)
    check_same("answers", ids, sorted(actions_by_text.values()))
    for text in naive.question.answers[:3]:
        check_same("text", texts.text_of(state, actions_by_text[text]), text)
    return actions_by_text


def row_and_column(config, cell):
    """Return where a cell lies on the engine's table, which wraps around. A sheet begins in the table's corner."""
    size, (x, y) = config.table_size, cell
    offset = size // 2 if config.sheet is None else 0
    return (y + offset) % size, (x + offset) % size


def number_of(config, cell):
    """Return the engine's number of a cell."""
    row, column = row_and_column(config, cell)
    return row * config.table_size + column


def tiles_of_engine(game):
    """Return where tiles lie, which, how turned and with how many ingots, all read from the engine's state."""
    board = game.state["board"]
    cells = ((board["tile"] >= 0) & (board["large"] == 0)).nonzero()[0]
    return [cells.tolist(), *(board[name][cells].tolist() for name in ("tile", "rotation", "ingots"))]


def tiles_of_naive(naive, config):
    """Return where tiles lie in the model's game, in the form of `tiles_of_engine`."""
    lying = sorted(
        (number_of(config, cell), NUMBERS[place["tile"]], place["rotation"] // 90, place["ingots"])
        for cell, place in naive.table.board.items()
    )
    return [list(column) for column in zip(*lying, strict=True)]


def segments_of_engine(state, numbers):
    """Return the cells, kinds and spots of the segments with these numbers, all read from the engine's state."""
    cells = state["segments"]["cell"][numbers]
    squares, facts = state["board"][cells], tile_table()[0]["kinds"]
    tiles, here = squares["tile"], numbers - squares["first_segment"]
    return cells.tolist(), facts["kind"][tiles, here].tolist(), facts["spot"][tiles, squares["rotation"], here].tolist()


def figures_of_engine(game):
    """Return where figures stand: (player, figure, cell, kind, spot)."""
    state = game.state
    figures = state["players"]["figures"][: game.players]
    players, slots = (figures >= 0).nonzero()
    cells, kinds, spots = segments_of_engine(state, figures[players, slots])
    return sorted(
        (player, FIGURES[figure], cell, SEGMENT_KINDS[kind], SPOTS[spot])
        for player, figure, cell, kind, spot in zip(
            players.tolist(), SLOT_FIGURE[slots].tolist(), cells, kinds, spots, strict=True
        )
    )


def figures_of_naive(naive, config):
    """Return where figures stand in the model's game, with the engine's numbers of cells."""
    return sorted(
        (f["player"], f["figure"], number_of(config, f["cell"]), f["kind"], f["spot"]) for f in naive.table.figures
    )


def board_of_engine(game):
    """Return every tile in the order of placing, with its ingots and figures."""
    return [
        (place.tile, place.x, place.y, place.rotation, place.ingots, sorted(map(tuple, place.figures)))
        for place in game.board()
    ]


def board_of_naive(naive):
    """Return every tile in the order of placing, with ingots and figures; a double tile once, at its first square."""
    table = naive.table
    figures = {cell: [] for cell in table.board}
    for f in table.figures:
        second = "2" * (f["cell"] != table.tile_at(f["cell"]))
        spot = "lying" if f.get("lying") else second + word_for(f["spot"])
        figures[table.tile_at(f["cell"])].append((f["figure"], f["player"], word_for(f["kind"]), spot))
    return [
        (name_of_tile(place["tile"]), *cell, place["rotation"], place["ingots"], sorted(figures[cell]))
        for cell, place in table.board.items()
        if cell == table.tile_at(cell)
    ]


def chips_of_naive(naive):
    """Return how many chips are in hand, by player, colour and value."""
    return [[[chips[colour, value] for value in (1, 2)] for colour in naive.COLOURS] for chips in naive.chips]


def final_scores_of_engine(game):
    """Return the points by source. Sources without points are left out, so those of other boxes must have none."""
    return {source: points.tolist() for source, points in game.final_scores().items() if points.any()}


def final_scores_of_naive(naive):
    """Return the points by source. Sources without points are left out."""
    return {source: points for source, points in naive.points.items() if any(points)}


# -------------------------------------------------------------------------------- features


def check_whole_table(game, naive):
    """Compare every feature on the table, which takes the engine some time, and the observations."""
    engine = Counter(
        (f.kind, f.segments, f.tiles, f.open, f.pennants, f.strength, f.is_complete) for f in game.features()
    )
    check_same("features", engine, Counter(map(feature_of_naive(naive), naive.table.features())))
    check_observations(game, naive)


def feature_of_naive(naive):
    """Return the function that turns a feature of the model into a tuple to be compared.

    In the tuple, a segment that lies on both squares of a double tile is named once.
    """
    table = naive.table

    def as_tuple(feature):
        segments = [
            (*cell, word_for(spot))
            for cell, spot in feature["segments"]
            if table.names_itself(cell, table.segment_with(cell, spot))
        ]
        return (
            word_for(feature["kind"]),
            tuple(sorted(segments)),
            len(feature["tiles"]),
            feature["open"],
            coats_of_arms(feature, naive.rules) if feature["kind"] == "city" else 0,
            tuple(naive.table.strengths(feature, naive.rules.players)),
            is_complete(feature) and not waits(feature),
        )

    def waits(feature):
        """True for a castle with a lord, and for a building with a lying follower: neither is completed."""
        if feature["kind"] == "castle":
            return any(table.strengths(feature, naive.rules.players))
        cells = {cell for cell, _ in feature["segments"]} if feature["kind"] == "special_monastery" else ()
        return any(f.get("lying") and f["cell"] in cells for f in table.figures)

    return as_tuple


def check_features_on_last_tile(game, naive):
    """Compare the features of the tile laid last. Those of the engine are read from its state."""
    state, cell, laid = game.state, number_of(game.config, naive.cell), naive.table.segments_on(naive.cell)
    numbers = np.arange(state["n_segments"] - len(laid), state["n_segments"])
    features = state["features"][state["segments"]["feature"][numbers]]
    open_ends, strengths = features["open"].tolist(), features["strength"][:, : game.players].tolist()
    engine = {
        (at, SPOTS[spot]): (SEGMENT_KINDS[kind], None if SEGMENT_KINDS[kind] in BUILDINGS else ends, strength)
        for at, kind, spot, ends, strength in zip(
            *segments_of_engine(state, numbers), open_ends, strengths, strict=True
        )
    }
    told = {}
    for segment in laid:
        spot = segment["spots"][0]
        feature = naive.table.feature(naive.cell, spot)
        ends = None if feature["kind"] in BUILDINGS else feature["open"]
        told[cell, spot] = (feature["kind"], ends, naive.table.strengths(feature, naive.rules.players))
    check_same("features of the tile laid last", engine, told)


# ----------------------------------------------------------------------------- observations


def check_observations(game, naive):
    """Compare what each player sees in the planes and globals that the model knows."""
    size = game.config.table_size
    for observer in range(game.players):
        seen = game.observe(observer)
        check_same("shape of the planes", seen["planes"].shape, (N_PLANES, size, size))
        for name, shown in planes_of(naive, observer).items():
            check_same(f"plane {name} of player {observer}", plane_of_engine(seen, name), folded(shown, game.config))
        told = globals_of(naive)
        check_same(f"globals of player {observer}", {name: float(seen["globals"][scalar(name)]) for name in told}, told)


def plane_of_engine(seen, name):
    """Return the cells where a plane is not 0, as {(row, column): number}."""
    numbers = seen["planes"][plane(name)]
    rows, columns = numbers.nonzero()
    return dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), numbers[rows, columns].tolist(), strict=True))


def folded(shown, config):
    """Return what cells show, by row and column. Around the widest layouts, two empty cells may be the same cell of the
    table, which then shows the sum of both.
    """
    found = Counter()
    for cell, number in shown.items():
        found[row_and_column(config, cell)] += number
    return dict(found)


# ---------------------------------------------------------------------------------- events


def check_events(game, naive):
    """Compare what the last action caused, and which of it came before the ingots still on tiles were set aside."""
    engine, news = game.last_events, naive.news
    check_same("events", told_by_engine(engine), told_by_naive(news))
    early = takewhile(lambda event: not isinstance(event, carc_env.IngotsSetAside), engine)
    early_news = takewhile(lambda event: event[0] != "set aside", news)
    check_same("events before ingots are set aside", told_by_engine(early), told_by_naive(early_news))


def told_by_engine(events):
    """Return the counts of what an action caused: points by player and source, and each thing that moved."""
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
            case carc_env.ChipTaken():
                told["chip", event.player, event.colour, event.value, (event.x, event.y)] += 1
            case carc_env.WineSold():
                sale = event.colour, event.composition, event.destination
                told[("sold", event.player, *sale, (event.x, event.y))] += 1
            case carc_env.GoodsTaken():
                told["good", event.player, event.good] += event.count
            case _:
                told[str(event)] += 1
    return +told


def told_by_naive(news):
    """Return the naive model's news in the form of `told_by_engine`."""
    told = Counter()
    for event in news:
        if event[0] in ("points", "set aside"):
            told[event[:-1]] += event[-1]
        else:
            told[event] += 1
    return +told
