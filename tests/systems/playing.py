"""Plays games with a dictated deck, given as the full record of their actions. Also computes roads anew from what lies
on the table.
"""

import carc_env
from carc_env.boxes.tiles import tile_kinds, tile_numbers
from carc_env.rules.geometry import cell_of

ACROSS = {"N": (0, -1, "S"), "E": (1, 0, "W"), "S": (0, 1, "N"), "W": (-1, 0, "E")}
PAIRS = ("N-E", "N-S", "N-W", "E-S", "E-W", "S-W")  # pairs of edges, in the order of the actions


def begin(boxes, deck, german_castles=None, **settings):
    """Return a game with the base game and these boxes. The tiles are drawn in the order of `deck`."""
    config = carc_env.GameConfig(boxes=("base", *boxes.split()), **settings)
    return carc_env.Game(config, deck=deck.split(), german_castles=german_castles)


def play(game, *lines):
    """Play actions that are separated by semicolons. Forced actions, which the engine plays itself, must be listed,
    too.

    The lines contain either the actions after the current position, or all actions since the game was made.
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
    """Return the row and the column of a square in an observation, on a table without a map sheet."""
    size = game.config.table_size
    return divmod(cell_of(x, y, False, size), size)


def legal(game):
    """Return the texts of the legal actions."""
    return [game.text(int(action)) for action in game.legal_actions()]


def scored(game):
    """Return the points that the last action scored, as tuples (player, source, points, x, y)."""
    return [
        (event.player, event.source, event.points, event.x, event.y)
        for event in game.last_events
        if isinstance(event, carc_env.PointsScored)
    ]


def check_copies(game):
    """Check that bytes, positions and undo restore the same game."""
    assert carc_env.Game.from_bytes(game.to_bytes()) == game
    assert carc_env.Game.from_position(game.position(), seed=1).position() == game.position()
    if not game.is_over:
        copy = game.clone()
        copy.play(int(game.legal_actions()[-1]))
        copy.undo()
        assert copy == game


# --- roads, computed from the table alone ----------------------------------------------------------------------------
def road_ends(game):
    """Return a dict from each edge with a road, (x, y, edge), to its segment, (x, y, the segment's first edge)."""
    found = {}
    for tile in game.board():
        kind = tile_kinds()[tile_numbers()[tile.tile]]
        for segment, spots in zip(kind.segments, kind.segments_turned(tile.rotation // 90)):
            if segment.kind == "road":
                found |= {(tile.x, tile.y, edge): (tile.x, tile.y, spots[0]) for edge in spots}
    return found


def reached(ends, starts):
    """Return the segments that can be reached from some segments across edges, including these segments."""
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
    """Return a dict from each road, as a set of segments, to its number of open ends."""
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
    """Return the legal actions of the phase MOVE_FERRY, computed from the table and the actions in this part of the
    turn.
    """
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
