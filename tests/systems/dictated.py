"""Games of dictated tiles and answers, through the public API only."""

from carc_env import Game, GameConfig, Phase


def played(boxes: str, *turns: str, left: str = "", **settings) -> Game:
    """A game in which these answers were given: `"B@0,1/0; meeple monastery"` is a turn, `"U@1,0/0"` one without a
    figure.

    The tiles come in that order, and those of `left` after them. Answers that the engine gives itself are listed like
    others.
    """
    deck = [turn.split("@")[0] for turn in turns] + left.split()
    config = GameConfig(boxes=("base", *boxes.split()), **settings)
    return play(Game(config, deck=deck), *turns)


def play(game: Game, *turns: str) -> Game:
    """Play more turns; the tile of the first one may lie already."""
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
