"""What a server has acknowledged: after it was killed, that must be in its database."""

import carc_env
from carc_env.web.store import Store


class Acknowledged:
    """What one client was told.

    Attributes:
        moves: of each game the texts of the moves by their number, as the last view that came told them.
        undoing: games of which an answer is being taken back.
        leaving: games that are being deleted.
    """

    def __init__(self):
        self.moves, self.undoing, self.leaving = {}, set(), set()

    def note(self, view):
        """Remember the moves that a view tells of."""
        known = {n: text for n, text in self.moves.get(view["id"], {}).items() if n <= view["n_moves"]}
        self.moves[view["id"]] = known | {move["n"]: move["text"] for move in view["moves"]}

    def settle(self):
        """Of games that were on their way back or out when the server went away, nothing is known."""
        for id in self.leaving:
            self.moves.pop(id, None)
        self.moves |= {id: {} for id in self.undoing & self.moves.keys()}
        self.undoing.clear()
        self.leaving.clear()


def check(folder, clients):
    """What was acknowledged is in the database. Returns how many answers were looked for."""
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
    """What is in the database can be played, and stands as it says. Returns how many games there are."""
    store = Store(folder)
    games = [store.find(entry.id) for entry in store.listed()]
    store.close()
    for kept, moves in games:
        game = carc_env.replay(kept.beginning | {"moves": moves, "scores": kept.scores})
        assert game.player == kept.asked and game.config == carc_env.GameConfig.from_dict(kept.beginning["config"])
    return len(games)
