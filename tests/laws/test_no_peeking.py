"""The law for every bot: its actions do not depend on what the player cannot know.

Two games differ only in the order of the stack and in the faces of hidden chips, which the player cannot know. The bot
must choose the same action in both.
"""

import random

import pytest

import carc_env
from carc_env.bots.bot import Bot
from tests import modes

PLAYERS = (
    "random",
    "greedy",
    "keen",
    "learned",
    "level:1",
    "rollout:playouts=24,depth=1",
    "mcts:playouts=24",
    "expectimax:width=2,draws=1",
    "ppo",
)
PRESETS = ("base", "carcassonne", modes.nightly("everything"))
POSITIONS = modes.sized(12, 4, 1)
SHORT = 8


class Peeking(Bot):
    """Looks at the tile that comes next."""

    def choose(self, game):
        legal = game.legal_actions()
        return int(legal[int(game._games[0]["deck"][int(game._games[0]["n_drawn"])]) % len(legal)])


class PeekingAtChips(Bot):
    """Looks at the face of the first chip that still lies face down."""

    def choose(self, game):
        legal, board = game.legal_actions(), game._games[0]["board"]
        hidden = board["chip"][(board["chip"] >= 0) & (board["tile"] < 0)]
        return int(legal[int(hidden[0]) % len(legal)]) if len(hidden) else int(legal[0])


def positions(preset, n=POSITIONS):
    """Yield positions of games between greedy bots, with some tiles left. Each comes with a twin in which the hidden
    things are reshuffled.
    """
    rng = random.Random(preset)
    for seed in range(n):
        game, greedy = carc_env.Game(preset, seed=seed), carc_env.make_bot("greedy")
        if modes.NAME == "uncompiled":  # a short stack, because search bots consider each kind of tile in it
            game = carc_env.Game(preset, seed=seed, deck=game.record()["deck"][:SHORT])
        for _ in range(rng.randrange(min(30, game.tiles_left))):
            game.play(greedy.choose(game))
        twin = game.clone()
        twin.reshuffle_hidden(seed)
        yield game, twin


def peeks(player, preset, n=POSITIONS):
    """True if a bot chooses different actions in two games that it should not be able to tell apart."""
    return any(player.choose(game) != player.choose(twin) for game, twin in positions(preset, n))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("spec", PLAYERS)
def test_no_bot_peeks(spec, preset):
    assert not peeks(carc_env.make_bot(spec, seed=5), preset)


@pytest.mark.parametrize(("peeking", "preset"), [(Peeking(), "base"), (PeekingAtChips(), "carcassonne")])
def test_a_bot_that_peeks_is_caught(peeking, preset):
    assert peeks(peeking, preset, 12)


def test_every_kind_of_bot_is_tried():
    """All built-in bots that a spec can name are tested. Programs and users' classes know only what they are given."""
    from carc_env.bots import SPECS

    ours = {spec.partition(":")[0] for spec in SPECS} - {"cmd", "<module>"}
    assert ours == {spec.partition(":")[0] for spec in PLAYERS}
