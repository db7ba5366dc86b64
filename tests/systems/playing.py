"""Games of a dictated deck, told as the full record of their answers; and roads put together anew from what lies on the
table.
"""

import carc_env
from carc_env.boxes.tiles import tile_kinds, tile_numbers
from carc_env.rules.geometry import cell_of

ACROSS = {"N": (0, -1, "S"), "E": (1, 0, "W"), "S": (0, 1, "N"), "W": (-1, 0, "E")}
PAIRS = ("N-E", "N-S", "N-W", "E-S", "E-W", "S-W")  # of edges, in the order of their answers


def begin(boxes, deck, german_castles=None, **settings):
    """A game of these boxes beside the base game, its tiles in this order."""
    config = carc_env.GameConfig(boxes=("base", *boxes.split()), **settings)
    return carc_env.Game(config, deck=deck.split(), german_castles=german_castles)


def play(game, *lines):
    """Play answers, parted by semicolons; those that the engine gives by itself are listed too, and must be the same.

    The lines go on where the game stands, or tell it from its start, with what the engine answered when it was made.
    """
    texts = [text.strip() for line in lines for text in line.split(";")]
    told = len(game.moves)
    if texts[:told] == game.moves:
        texts = texts[told:]
    for text in texts:
        if len(game.moves) == told:
            assert text in legal(game), f"{text!r} should be legal: {legal(game)}"
            game.play(text)
        assert game.moves[told] == text, f"{text!r} should come next, not {game.moves[told]!r}"
        told += 1
    assert len(game.moves) == told, f"{game.moves[told:]} followed by itself"
    return game


def square(game, x, y):
    """The row and column of a square in what agents see, on a table without a sheet."""
    size = game.config.table_size
    return divmod(cell_of(x, y, False, size), size)


def legal(game):
    """The texts of the legal answers."""
    return [game.text(int(action)) for action in game.legal_actions()]


def scored(game):
    """What the last answer brought: player, source, points, x, y."""
    return [
        (event.player, event.source, event.points, event.x, event.y)
        for event in game.last_events
        if isinstance(event, carc_env.PointsScored)
    ]


def check_copies(game):
    """Bytes, positions and undo give the same game again."""
    assert carc_env.Game.from_bytes(game.to_bytes()) == game
    assert carc_env.Game.from_position(game.position(), seed=1).position() == game.position()
    if not game.is_over:
        copy = game.clone()
        copy.play(int(game.legal_actions()[-1]))
        copy.undo()
        assert copy == game


# --- roads, from the table alone -------------------------------------------------------------------------------------
def road_ends(game):
    """(x, y, edge) -> the segment there (x, y, its first edge), for every edge with a road."""
    found = {}
    for tile in game.board():
        kind = tile_kinds()[tile_numbers()[tile.tile]]
        for segment, spots in zip(kind.segments, kind.segments_turned(tile.rotation // 90)):
            if segment.kind == "road":
                found |= {(tile.x, tile.y, edge): (tile.x, tile.y, spots[0]) for edge in spots}
    return found


def reached(ends, starts):
    """The segments that can be reached from some of them along edges, and these."""
    found, todo = set(), list(starts)
    while todo:
        here = todo.pop()
        if here not in found:
            found.add(here)
            for (x, y, edge), segment in ends.items():
                dx, dy, opposite = ACROSS[edge]
                if segment == here and (x + dx, y + dy, opposite) in ends:
                    todo.append(ends[x + dx, y + dy, opposite])
    return found


def roads(game):
    """Every road as a set of segments, and how many open edges it has."""
    ends, occupied = road_ends(game), {(tile.x, tile.y) for tile in game.board()}
    found = {}
    for start in ends.values():
        road, before = {start}, set()
        while road != before:
            before, road = road, reached(ends, road)
            for x, y, pair in game.ferries:
                joined = {(x, y, edge) for edge in pair.split("-")}
                if joined & road:
                    road = road | joined
        found[frozenset(road)] = sum(
            (x + ACROSS[edge][0], y + ACROSS[edge][1]) not in occupied
            for (x, y, edge), segment in ends.items()
            if segment in road
        )
    return found


def moves_of_ferries(game):
    """The answers to MOVE_FERRY, from the table and the answers given in this part of the turn."""
    moves = game.moves
    last = max(k for k, text in enumerate(moves) if "@" in text)
    x, y = map(int, moves[last].split("@")[1].split("/")[0].split(","))
    moved = {
        tuple(map(int, text.split()[1].split(","))) for text in moves[last:] if text.startswith("ferry") and "," in text
    }
    ends = road_ends(game)
    found = reached(ends, {segment for (x1, y1, _), segment in ends.items() if (x1, y1) == (x, y)})
    texts = []
    for x1, y1, pair in game.ferries:
        if (x1, y1) not in moved | {(x, y)} and any((x1, y1, edge) in found for edge in pair.split("-")):
            texts += [
                f"ferry {x1},{y1} {other}"
                for other in PAIRS
                if other != pair and all((x1, y1, edge) in ends for edge in other.split("-"))
            ]
    return texts + ["pass"]
