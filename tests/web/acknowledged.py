"""A record of what a server has acknowledged. After the server was killed, all of it must be in the database."""

import carc_env
from carc_env.web.store import Store


class Acknowledged:
    """What the server has acknowledged to one client.

    Attributes:
        moves: for each game, the texts of its acknowledged moves by their numbers.
        undoing: the games in which an undo is in progress.
        leaving: the games that are being deleted.
    """

    def __init__(self):
        self.moves, self.undoing, self.leaving = {}, set(), set()

    def note(self, view):
        """Record the moves in a view."""
        known = {n: text for n, text in self.moves.get(view["id"], {}).items() if n <= view["n_moves"]}
        self.moves[view["id"]] = known | {move["n"]: move["text"] for move in view["moves"]}

    def settle(self):
        """Forget what is uncertain after a kill: games that were being deleted, and moves of games with an undo in
        progress.
        """
        for id in self.leaving:
            self.moves.pop(id, None)
        self.moves |= {id: {} for id in self.undoing & self.moves.keys()}
        self.undoing.clear()
        self.leaving.clear()


def check(folder, clients):
    """Check that the database contains everything that was acknowledged. Returns how many moves were looked up."""
    store, looked_for = Store(folder), 0
    try:
        for client in clients:
            for id, moves in client.moves.items():
                found = store.find(id)
                assert found is not None or id in client.leaving, f"the game {id} is lost"
                if found is not None and id not in client.undoing:
                    lost = [n for n, text in moves.items() if found[1][n - 1 : n] != [text]]
                    assert not lost, f"the game {id} has lost the answers {lost}"
                    looked_for += len(moves)
    finally:
        store.close()
    return looked_for


def check_replays(folder):
    """Check that every game in the database can be replayed, and that the player to act and the configuration are as
    stored. Returns the number of games.
    """
    store = Store(folder)
    games = [store.find(entry.id) for entry in store.listed()]
    store.close()
    for kept, moves in games:
        game = carc_env.replay(kept.beginning | {"moves": moves, "scores": kept.scores})
        assert game.player == kept.asked and game.config == carc_env.GameConfig.from_dict(kept.beginning["config"])
    return len(games)
