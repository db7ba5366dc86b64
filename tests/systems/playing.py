"""Games of a dictated deck, told as the full record of their answers."""

import carc_env


def begin(boxes, deck, **settings):
    """A game of these boxes beside the base game, its tiles in this order."""
    config = carc_env.GameConfig(boxes=("base", *boxes.split()), **settings)
    return carc_env.Game(config, deck=deck.split())


def play(game, *lines):
    """Play answers, parted by semicolons; those that the engine gives by itself are listed too, and must be the same."""
    told = getattr(game, "told", 0)
    for text in (text.strip() for line in lines for text in line.split(";")):
        if len(game.moves) == told:
            assert text in legal(game), f"{text!r} should be legal: {legal(game)}"
            game.play(text)
        assert game.moves[told] == text, f"{text!r} should come next, not {game.moves[told]!r}"
        told += 1
    assert len(game.moves) == told, f"{game.moves[told:]} followed by itself"
    game.told = told
    return game


def legal(game):
    """The texts of the legal answers."""
    return [game.text(int(action)) for action in game.legal_actions()]


def scored(game):
    """What the last answer brought: player, source, points."""
    return [(event.player, event.source, event.points) for event in game.last_events if isinstance(event, carc_env.PointsScored)]


def check_copies(game):
    """Bytes, records, positions and undo give the same game again."""
    assert carc_env.Game.from_bytes(game.to_bytes()) == game
    assert carc_env.Game.from_position(game.position(), seed=1).position() == game.position()
    if game.moves and not game.is_over:
        copy = game.clone()
        copy.play(int(game.legal_actions()[-1]))
        copy.undo()
        assert copy == game
