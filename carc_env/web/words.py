"""Questions and events in words for people: seats by their names."""

from carc_env.render.facts import Table
from carc_env.systems import QUESTIONS


def question_in_words(game: Table, names: list[str]) -> str:
    """Who is asked what, or who has won."""
    if game.player is not None:
        return f"{names[game.player]} " + QUESTIONS[game.phase].asked.format(tile=game.tile or game.board()[-1].tile)
    best = [names[player] for player in range(game.players) if game.scores[player] == max(game.scores)]
    return f"{best[0]} wins" if len(best) == 1 else f"{', '.join(best[:-1])} and {best[-1]} draw"
