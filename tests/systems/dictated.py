"""Plays games with dictated tiles and actions, through the public API only."""

from carc_env import Game, GameConfig, Phase


def played(boxes: str, *turns: str, left: str = "", **settings) -> Game:
    """Return a game in which these turns were played. `"B@0,1/0; meeple monastery"` is a turn with a figure, and
    `"U@1,0/0"` is a turn without one.

    The tiles are drawn in the order of the turns, and the tiles of `left` come after them. Forced actions, which the
    engine plays itself, are listed like all others.
    """
    deck = [turn.split("@")[0] for turn in turns] + left.split()
    config = GameConfig(boxes=("base", *boxes.split()), **settings)
    return play(Game(config, deck=deck), *turns)


def play(game: Game, *turns: str) -> Game:
    """Play more turns. The tile of the first turn may already lie on the table."""
    phases = list(game.state["moves"]["phase"][: len(game.moves)])
    n = len(phases)
    if game.phase != Phase.PLACE_TILE and not game.is_over:
        n -= 1 + phases[::-1].index(Phase.PLACE_TILE)
    for turn in turns:
        for answer in (turn if ";" in turn else turn + "; pass").split("; "):
            if len(game.moves) == n:
                game.play(answer)
            assert game.moves[n] == answer
            n += 1
    return game
