"""What CandidateVecEnv asks of many games at once: to play answers, and to survey how the games stand."""

import numpy as np
from numpy import int64

from carc_env.candidates import WORK
from carc_env.jit import jit
from carc_env.layout import TABLE
from carc_env.prospects import N_PARTS, VIEW, look, value_all
from carc_env.rules.answers import ROOM, is_listed
from carc_env.rules.scoring import lead, score_now
from carc_env.rules.state import GAME, NONE
from carc_env.rules.turn import answer, legal_answers

_place = list(TABLE).index
MARGIN, TILES_LEFT, OWN_INGOTS, OTHERS_INGOTS = (_place(name) for name in ("margin", "tiles_left", "own_ingots", "others_ingots"))
OWN, OTHERS = _place("own_now"), _place("others_now")  # the prospects, part by part


@jit
def play(games, tiles, which, actions):
    """Play one answer in each of the games numbered `which`, none where the action is NONE.

    Returns how many were not legal; the first legal answer is played instead.
    """
    rooms = np.empty(1, ROOM)
    illegal = 0
    for k in range(len(which)):
        if actions[k] != NONE:
            game, action = games[which[k]], int(actions[k])
            n = legal_answers(game, tiles[0], rooms[0])
            if not is_listed(rooms[0].answers, n, action):
                illegal += 1
                action = int(rooms[0].answers[0])
            answer(game, tiles[0], action, rooms[0])
    return illegal


@jit
def survey(games, tiles, prices, seats, out):
    """Write how each game stands for the player in its seat, out[n, N_TABLE]."""
    view, trial, works = np.zeros(1, VIEW), np.zeros(1, GAME), np.zeros(1, WORK)
    view[0].prices = prices[0]
    for i in range(len(games)):
        trial[0] = games[i]
        game, seat, parts = trial[0], int64(seats[i]), works[0].parts
        look(view[0], game, tiles[0])
        value_all(view[0], game, tiles[0], parts)
        score_now(game, tiles[0])
        out[i] = 0.0
        out[i, TILES_LEFT] = view[0].n_left / game.n_deck
        out[i, OWN_INGOTS] = game.players[seat].ingots
        out[i, OWN:OWN + N_PARTS] = parts[seat]
        share = 1.0 / (game.n_players - 1)
        for other in range(int64(game.n_players)):
            if other != seat:
                out[i, OTHERS_INGOTS] += share * game.players[other].ingots
                for part in range(N_PARTS):
                    out[i, OTHERS + part] += share * parts[other, part]
        out[i, MARGIN] = lead(game, seat)
