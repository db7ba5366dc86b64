"""Tests of the shipped networks: their symmetries, observation spaces, masks and training. All algorithms learn with
the networks without playing an illegal action.
"""

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO

import carc_env
from carc_env import networks
from carc_env.boxes.tiles import FIGURES, HALVES, SIDES, SPOTS, tile_kinds, tile_table
from carc_env.common.errors import ArgumentError
from carc_env.envs.sb3 import make_vec_env
from carc_env.envs.wrappers import RescaleObservation, VectorWindowObservation, WindowObservation
from carc_env.networks.cells import BESIDE
from carc_env.networks.layers import LOWEST, Choices, pad, sorts, values
from carc_env.networks.neighborhood_scorer import NeighborhoodScorer, columns, turned, turned_spot
from carc_env.networks.spots import OF_BUILDINGS, edge_groups, example
from carc_env.networks.tile_knowledge import BUILT, Holes, Tiles, listed
from carc_env.networks.torus import TorusScorer
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.spaces import layout_of
from tests.modes import nightly

PLANES_ENV = {"opponent": "random", "reward": "potential"}
ROWS_ENV = PLANES_ENV | {"observation": "candidates", "actions": "candidates", "table": True, "rows": 40}
ENVS = {"Answers": PLANES_ENV, "Torus": PLANES_ENV, "Candidates": ROWS_ENV}
SMALL = {
    "Answers": {"width": 16},
    "Torus": {"channels": 4, "blocks": 1},
    "Candidates": {"width": 16, "measured_on": "base"},
}
JOINING = [("base", "game"), nightly("base", "common"), nightly("expansions", "game"), ("expansions", "common")]


def policy(name, kind=""):
    return getattr(networks, f"{name}{kind}Policy")


def positions(name="Base", every=5, n=12, seed=1, spaces="game"):
    """Return an environment, and a batch of n observations from random play: one observation every `every` steps."""
    env, rng, found = (
        gymnasium.make(f"carc_env/{name}-v0", opponent="random", spaces=spaces),
        np.random.default_rng(seed),
        [],
    )
    observation, info = env.reset(seed=seed)
    for step in range(every * n):
        if step % every == every - 1:
            found.append(observation)
        observation, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        if over:
            observation, info = env.reset()
    return env, {name: torch.as_tensor(np.stack([one[name] for one in found])) for name in found[0]}


def lively(scorer):
    """Give all weight matrices of a network large random values, so that its outputs are not close to 0. Return the
    network in evaluation mode.
    """
    torch.manual_seed(3)
    for parameter in scorer.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    return scorer.eval()


def naming(layout):
    """Return the number of actions that name a cell. These actions have the lowest ids."""
    return sum(block.size for block in layout.blocks if "row" in block.axes)


def laying(layout):
    """Return the number of actions that place a tile. These actions have the lowest ids."""
    return layout.blocks[0].size


def on_ids(scorer, obs):
    """Return the scores of all action ids, [n, ids], with LOWEST for illegal actions, and the values."""
    scores, values = scorer(obs)
    return pad(scores[:, 0], obs["action_mask"] == 1), values


# --- choices ----------------------------------------------------------------------------------------------------------
def test_choices_are_the_distribution_over_all_ids_without_those_that_are_not_legal():
    """Compares `Choices` with torch's `Categorical`, in which illegal actions have a very low score."""
    torch.manual_seed(4)
    legal = torch.rand(50, 300) < 0.1
    legal[7] = torch.arange(300) == 299
    scores = torch.randn(int(legal.sum()), requires_grad=True)
    choices, full = Choices(scores, legal), torch.distributions.Categorical(logits=pad(scores, legal))
    ids = choices.sample()
    assert legal[torch.arange(50), ids].all() and ids[7] == 299 and torch.equal(choices.best(), full.probs.argmax(1))
    assert torch.allclose(choices.log_prob(ids), full.log_prob(ids), atol=1e-5)
    assert torch.allclose(choices.entropy(), full.entropy(), atol=1e-4) and choices.entropy()[7].abs() < 1e-6
    assert (choices.log_prob((~legal).byte().argmax(1)) == LOWEST).all()
    some, others = (
        torch.autograd.grad(choices.log_prob(ids).sum() + choices.entropy().sum(), scores)[0],
        torch.autograd.grad(full.log_prob(ids).sum() + full.entropy().sum(), scores)[0],
    )
    assert torch.allclose(some, others, atol=1e-4)


def test_choices_are_drawn_as_often_as_their_probabilities_say():
    torch.manual_seed(5)
    legal = torch.tensor([[0, 1, 1, 0, 1]]).bool().expand(40_000, 5)
    drawn = Choices(torch.tensor([0.1, 0.3, 0.6]).log().repeat(40_000), legal).sample()
    assert torch.allclose(drawn.bincount(minlength=5) / 40_000, torch.tensor([0.0, 0.1, 0.3, 0.0, 0.6]), atol=0.01)


def test_without_a_legal_answer_the_choice_is_0():
    legal = torch.tensor([[True, True], [False, False]])
    choices = Choices(torch.tensor([0.0, 1.0]), legal)
    assert choices.best().tolist() == [1, 0] and choices.sample()[1] == 0 and torch.isfinite(choices.entropy()).all()


def test_masks_that_allow_less_than_the_observation_hold():
    env, obs = positions()
    torch.manual_seed(2)
    made = policy("Answers")(env.observation_space, env.action_space, lambda left: 1e-3, width=16)
    mask = obs["action_mask"].numpy().copy()
    for row in mask:
        row[np.flatnonzero(row)[2:]] = 0
    with torch.no_grad():
        for _ in range(20):
            actions, values, log_probs = made(obs, action_masks=mask)
            assert (mask[np.arange(len(mask)), actions] == 1).all()
        both = torch.stack(
            [
                made.evaluate_actions(obs, torch.as_tensor(mask.argmax(1)), torch.as_tensor(mask))[1],
                made.evaluate_actions(
                    obs, torch.as_tensor(mask.shape[1] - 1 - mask[:, ::-1].argmax(1)), torch.as_tensor(mask)
                )[1],
            ]
        )
    several = mask.sum(1) > 1
    assert several.sum() > 3 and torch.allclose(both.exp().sum(0)[several], torch.ones(int(several.sum())), atol=1e-5)
    assert torch.allclose(made.get_distribution(obs, mask).log_prob(actions), log_probs, atol=1e-5)


# --- symmetries of the networks ---------------------------------------------------------------------------------------
def turn_table(obs, layout):
    """Return the observations on a rotated table, and the new id of each action. A free table is rotated clockwise by a
    quarter turn about its middle cell, and a map sheet by a half turn.
    """
    (rows, columns), turns = (
        np.divmod(np.arange(layout.rows * layout.columns), layout.columns),
        1 if layout.is_torus else 2,
    )
    if layout.is_torus:
        middle = layout.size // 2
        to = columns * layout.columns + (2 * middle - rows) % layout.columns
    else:
        to = (layout.rows - 1 - rows) * layout.columns + layout.columns - 1 - columns
    names = list(layout.planes)
    planes = obs["planes"].flatten(2).numpy()
    out = np.zeros_like(planes)
    for k, name in enumerate(names):
        numbers = planes[:, k].copy()
        if name == "rotation":
            numbers = np.where(planes[:, names.index("tile")] > 0, (numbers + turns) % 4, 0)
        if name == "figure_spot":
            numbers = np.array([0, *(turned_spot(spot, turns) + 1 for spot in range(len(SPOTS)))])[numbers]
        out[:, names.index(turned(name, turns)), to] = numbers
    gone = np.arange(layout.n_actions)
    for block in layout.blocks:
        for action in range(block.start, block.start + block.size):
            place = block.index(action)
            if "row" in block.axes:
                first = (place[0] + turns) % 4 if block.name == "place_tile" else place[0]
                place = (first, *divmod(to[place[1] * layout.columns + place[2]], layout.columns))
            if block.name == "place_figure":
                spots = layout.labels[block.name][1]
                place = (place[0], spots.index(turned_spot(spots[place[1]], turns)))
            gone[action] = block.start + np.ravel_multi_index(place, block.shape)
    mask = np.zeros_like(obs["action_mask"].numpy())
    mask[:, gone] = obs["action_mask"].numpy()
    return {
        "planes": torch.as_tensor(out.reshape(obs["planes"].shape)),
        "globals": obs["globals"],
        "action_mask": torch.as_tensor(mask),
    }, gone


@pytest.mark.parametrize(
    "name, spaces",
    [
        ("Base", "game"),
        nightly("Base", "common"),
        ("France", "game"),
        nightly("Carcassonne", "game"),
        nightly("Expansions", "game"),
        ("Everything", "common"),
    ],
)
def test_a_turned_table_is_the_same_to_the_scorer_of_answers(name, spaces):
    env, obs = positions(name, spaces=spaces)
    layout = env.unwrapped.layout
    scorer = lively(NeighborhoodScorer(env.observation_space, width=16))
    other, gone = turn_table(obs, layout)
    with torch.no_grad():
        (scores, values), (scores_there, values_there) = on_ids(scorer, obs), on_ids(scorer, other)
    assert torch.allclose(scores_there[:, gone], scores, atol=1e-4) and torch.allclose(values, values_there, atol=1e-4)
    legal, figures = (
        scores[obs["action_mask"] == 1],
        next(block for block in layout.blocks if block.name == "place_figure"),
    )
    assert legal.std() > 0.03 and obs["action_mask"][:, : naming(layout)].any(1).sum() > 2
    assert obs["action_mask"][:, figures.start : figures.start + figures.size].any()


@pytest.mark.parametrize("name, spaces", [("Base", "game"), nightly("Base", "common"), ("Everything", "game")])
@pytest.mark.parametrize("scorer_class", [NeighborhoodScorer, TorusScorer])
def test_a_table_moved_on_the_torus_is_the_same(scorer_class, name, spaces):
    env, obs = positions(name, spaces=spaces)
    scorer, n, size = (
        lively(scorer_class(env.observation_space)),
        naming(env.unwrapped.layout),
        env.unwrapped.layout.size,
    )

    def rolled(cells):
        return cells.reshape(len(cells), -1, size, size).roll((4, 9), (2, 3)).flatten(1)

    moved = dict(obs, planes=obs["planes"].roll((4, 9), (2, 3)), action_mask=obs["action_mask"].clone())
    moved["action_mask"][:, :n] = rolled(obs["action_mask"][:, :n])
    with torch.no_grad():
        (scores, values), (there, values_there) = on_ids(scorer, obs), on_ids(scorer, moved)
    scale = scores[scores > LOWEST].abs().max()
    assert torch.allclose(there[:, :n], rolled(scores[:, :n]), atol=float(1e-4 * scale), rtol=1e-4)
    assert torch.allclose(there[:, n:], scores[:, n:], atol=float(1e-4 * scale), rtol=1e-4)
    assert torch.allclose(values, values_there, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("scorer_class", [NeighborhoodScorer, TorusScorer])
def test_the_mask_forbids_and_is_no_feature(scorer_class):
    env, obs = positions()
    scorer = lively(scorer_class(env.observation_space))
    fewer = obs["action_mask"].clone()
    first = fewer.argmax(1)
    fewer[torch.arange(len(fewer)), first] = 0
    fewer[fewer.sum(1) == 0, -1] = 1
    with torch.no_grad():
        scores, there = on_ids(scorer, obs)[0], on_ids(scorer, dict(obs, action_mask=fewer))[0]
    both = (fewer == 1) & (obs["action_mask"] == 1)
    assert both.sum() > 20 and torch.allclose(scores[both], there[both], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["tile", "road_N", "control_W", "placed"])
def test_what_lies_around_is_seen(name):
    env, obs = positions()
    at = list(env.unwrapped.layout.planes).index(name)
    for scorer_class in (NeighborhoodScorer, TorusScorer):
        scorer = lively(scorer_class(env.observation_space))
        other = obs["planes"].clone()
        other[:, at] = 1 - other[:, at].clamp(max=1)
        with torch.no_grad():
            before, after = scorer(obs), scorer(dict(obs, planes=other))
        assert not torch.allclose(before[0], after[0]) or not torch.allclose(before[1], after[1])


# --- spaces -----------------------------------------------------------------------------------------------------------
def in_both_spaces(preset, n=12):
    """Return the observation spaces of two environments, with `spaces="game"` and with `spaces="common"`. Also return a
    batch of observations from the same game of random play for each of the two.
    """
    envs = [gymnasium.make("carc_env/Base-v0", config=preset, spaces=spaces) for spaces in ("game", "common")]
    game, rng, found = carc_env.Game(preset, seed=4), np.random.default_rng(4), ([], [])
    for step in range(7 * n):
        if game.is_over:
            break
        if step % 7 == 6:
            for seen, env in zip(found, envs):
                seen.append(game.observe(None, ObservationSpec(env.unwrapped.layout)))
        game.play(int(rng.choice(game.legal_actions())))
    return [env.observation_space for env in envs], [
        {name: torch.as_tensor(np.stack([one[name] for one in seen])) for name in seen[0]} for seen in found
    ]


def labels_of_inputs(labelled):
    """Return the label of each input that `Inputs` makes of labelled entries."""
    return [(label, value) for label, entry in labelled for value in values(entry)] + [
        label for label, entry in labelled if entry.kind != "category"
    ]


def labels(scorer, layout):
    """Return two things: a dict from the name of each weight matrix that depends on the layout to the labels of its
    inputs, and the row of `kind` for each rotation and action.
    """
    spots = [
        ("spot", label)
        for label in labels_of_inputs(
            [
                *((group, example(layout, group)) for group in edge_groups(layout)),
                *((name, layout.planes[name]) for name in OF_BUILDINGS),
            ]
        )
    ]
    globals_ = [name for name in layout.globals if not name.startswith("hand_")] + [("tile", k) for k in range(32)]
    figures = [*spots, *(figure for figure in FIGURES if f"figure_{figure}" in layout.planes), "other"]
    found = {
        "context.net.0.weight": globals_,
        "value.standing.net.0.weight": globals_,
        "value.figures.first.weight": figures,
    }
    if isinstance(scorer, TorusScorer):
        inputs = labels_of_inputs(
            [(name, entry) for name, entry in layout.planes.items() if name not in ("tile", "rotation")]
        )
        table = [("table", k) for k in range(scorer.table.out_channels)] + [
            ("tile", k) for k in range(scorer.tile.width)
        ]
        return found | {"table.weight": inputs, "first.weight": table + spots}, sorts(layout)[None]
    inputs = labels_of_inputs([((row, column, name), layout.planes[name]) for row, column, name in columns(layout)])
    more = [("holes", k) for k in range(scorer.holes.width)] + [("learned", k) for k in range(scorer.widths[1])]
    joins = [
        *range(14),
        *(group for group in ("extras", "bonus") if f"{group}_N" in layout.planes),
        "met",
        "there",
        "laid",
    ]
    return found | {"joins.first.weight": joins, "first.weight": inputs + spots + more}, scorer.kinds.numpy()


@pytest.mark.parametrize(
    "scorer_class, preset",
    [
        *((NeighborhoodScorer, preset) for preset in ("base", "france", "everything")),
        *(nightly(NeighborhoodScorer, preset) for preset in ("goldmines", "carcassonne", "expansions")),
        (TorusScorer, "base"),
        nightly(TorusScorer, "everything"),
    ],
)
def test_in_the_spaces_of_a_game_it_computes_what_it_does_in_those_of_all_games(scorer_class, preset):
    """Checks that a network for the spaces of one game computes the same as a network for the common spaces with the
    same weights. The network for one game lacks only the weights of inputs that are always 0. On a map sheet, the
    network for the common spaces sees empty cells beyond the border.
    """
    (space, common_space), (obs, common_obs) = in_both_spaces(preset)
    scorer, common = scorer_class(space), lively(scorer_class(common_space))
    (own, own_kinds), (every, kinds) = labels(scorer, space.layout), labels(common, common_space.layout)
    weights = common.state_dict()
    for name, wanted in own.items():
        assert len(every[name]) == weights[name].shape[1] and len(set(every[name])) == len(every[name]), name
        weights[name] = weights[name][:, [every[name].index(label) for label in wanted]]
    rows = np.full(own_kinds.max() + 1, -1)
    for mine, theirs in zip(own_kinds, kinds):
        rows[mine] = theirs[space.layout.action_ids]
    weights["kind.weight"] = weights["kind.weight"][rows]
    scorer.load_state_dict(weights)
    with torch.no_grad():
        (scores, values), (there, values_there) = scorer.eval()(obs), common(common_obs)
    assert len(scores) > 50 and scores.std() > 0.03
    assert torch.allclose(scores, there, atol=1e-4, rtol=1e-4) and torch.allclose(
        values, values_there, atol=1e-4, rtol=1e-4
    )
    assert sum(tensor.numel() for tensor in scorer.parameters()) < sum(tensor.numel() for tensor in common.parameters())


@pytest.mark.parametrize("scorer_class", [NeighborhoodScorer, TorusScorer])
def test_beyond_the_border_of_a_sheet_lies_nothing(scorer_class):
    """A tile in one corner of France changes the score of the action that places a tile beside it. The scores of the
    actions that place a tile in the three other corners do not change.
    """
    env = gymnasium.make("carc_env/France-v0")
    scorer, names, (observation, _) = (
        lively(scorer_class(env.observation_space)),
        list(env.unwrapped.layout.planes),
        env.reset(seed=1),
    )
    obs = {name: torch.as_tensor(array)[None].repeat(2, *[1] * array.ndim) for name, array in observation.items()}
    obs["action_mask"][:] = 0
    obs["action_mask"][:, [1, 12, 13 * 13, 13 * 13 + 12]] = 1  # of 14 x 13 cells: place the tile there
    for name in ("tile", "city_E", "road_S", "open_W", "building", "neighbours"):
        obs["planes"][1, names.index(name), 0, 0] = 1
    with torch.no_grad():
        beside, *corners = scorer(obs)[0].reshape(2, 4).T
    assert not torch.allclose(*beside, rtol=1e-3) and all(torch.allclose(*corner, rtol=1e-5) for corner in corners)


# --- inputs that describe tiles and empty squares ---------------------------------------------------------------------
def test_tiles_look_turned_as_they_lie():
    """If a tile is rotated by n quarter turns, the descriptions of its four sides are shifted by n places. The last
    numbers, which describe buildings, do not change.
    """
    looks = Tiles(4).table
    sides, middle = looks[..., :20].unflatten(-1, (4, 5)), looks[..., -3:]
    for turns in range(4):
        assert torch.equal(sides[turns], sides[0].roll(turns, 1)) and torch.equal(middle[turns], middle[0])
    assert sides[0].any((1, 2)).sum() > 100 and not torch.equal(looks[1], looks[0])


def test_weights_of_tiles_fit_those_that_were_saved():
    """Saved weights can still be loaded: the numbers of weights do not change, and the kinds of buildings keep their
    order.
    """
    tiles = Tiles(4)
    assert (tiles.own.num_embeddings, tiles.looks.in_features) == (209, 95)
    assert [kind.name.lower() for kind in BUILT] == (
        [
            "monastery",
            "garden",
            "abbey",
            "shrine",
            "special_monastery",
            "church",
            "hut",
            "german_castle",
            "german_cathedral",
        ]
    )


def test_a_tile_that_looks_the_same_turned_scores_the_same():
    """Checks `TorusScorer` after the learned vectors of the four rotations are set to 0. A tile that looks the same
    after a half turn then has the same score in both rotations.
    """
    env, obs = positions(every=2, n=40)
    n = laying(env.unwrapped.layout)
    laid = obs["action_mask"][:, :n].reshape(-1, 4, 625)
    obs["action_mask"][:, :n] = laid.amax(1, keepdim=True).expand_as(laid).flatten(1)  # legal in all rotations
    scorer, same, others, differ = lively(TorusScorer(env.observation_space, channels=8, blocks=1)), 0, 0, 0
    with torch.no_grad():
        scorer.kind.weight[:4] = 0
        scores = on_ids(scorer, obs)[0][:, :n].reshape(-1, 4, 625)
    looks, hand = scorer.tile.table, scorer.places.hand(obs["globals"])
    for question, cell in laid.any(1).nonzero().tolist():
        is_same = torch.equal(looks[0, hand[question]], looks[2, hand[question]])
        is_close = torch.allclose(scores[question, 0, cell], scores[question, 2, cell], rtol=1e-4, atol=1e-5)
        assert is_close or not is_same
        same, others, differ = same + is_same, others + (not is_same), differ + (not is_close)
    assert same > 10 and others > 10 and differ > 0.9 * others, (same, others, differ)  # some are close by chance


@pytest.mark.parametrize(
    "preset, spaces",
    [
        ("base", "game"),
        ("france", "game"),
        ("everything", "common"),
        nightly("base", "common"),
        nightly("france", "common"),
        nightly("everything", "game"),
    ],
)
def test_the_tile_in_hand_is_known(preset, spaces):
    game, rng, layout = (
        carc_env.Game(preset, seed=3),
        np.random.default_rng(3),
        layout_of(carc_env.preset(preset), spaces),
    )
    scorer, seen = (
        TorusScorer(
            gymnasium.make("carc_env/Base-v0", config=preset, spaces=spaces).observation_space, channels=4, blocks=1
        ),
        set(),
    )
    while len(seen) < 20:
        tile = int(game.state["tile"])
        assert (
            int(scorer.places.hand(torch.as_tensor(game.observe(None, ObservationSpec(layout))["globals"])[None]))
            == tile + 1
        )
        seen.add(tile)
        game.play(int(rng.choice(game.legal_actions())))
    assert -1 in seen or not any("phase_place_figure" in name for name in layout.globals)


def holes_of(game, cell, layout):
    """Return what the network is told of the squares beside the tile on a cell of a layout, and the rotation of this
    tile. The numbers have the shape [4, 3]; the first axis is the side of the unrotated tile.
    """
    seen, names = (
        {name: torch.as_tensor(array)[None] for name, array in game.observe(0, ObservationSpec(layout)).items()},
        list(layout.planes),
    )
    tile, turns = (seen["planes"][0, names.index(name)].flatten()[cell].long()[None] for name in ("tile", "rotation"))
    return Holes(layout)(
        seen["planes"], seen["globals"], torch.zeros(1, dtype=torch.long), torch.tensor([cell]), turns, tile
    ).reshape(4, 3), int(turns)


def left_in(game):
    """Return how many tiles of each land kind are left."""
    return game.observe(0)["globals"][listed(layout_of(game.config, "common"), "left_")[0]]


@pytest.mark.parametrize(
    "preset, spaces",
    [
        ("base", "game"),
        nightly("base", "common"),
        nightly("carcassonne", "game"),
        ("carcassonne", "common"),
        nightly("expansions", "game"),
    ],
)
def test_tiles_that_fit_a_hole_are_counted_as_the_rules_place_them(preset, spaces):
    """Compares the counts with the edges that the engine's state requires for each empty square."""
    game, rng, counted, edge = carc_env.Game(preset, seed=6), np.random.default_rng(6), 0, 0
    layout, size = layout_of(game.config, spaces), game.config.table_size
    while game.tiles_left > 10:
        game.play(rng.choice(game.legal_actions()))
        if rng.random() > 0.1 or game.is_over:
            continue
        board, left = game.state["board"], left_in(game)
        row, column = divmod(int(rng.choice(np.flatnonzero(board["tile"] >= 0))), size)
        found, turns = holes_of(game, row * layout.columns + column, layout)
        edge += row in (0, layout.rows - 1) or column in (0, layout.columns - 1)
        for side in range(4):
            way = (side + turns) % 4
            hole = board[(row + (-1, 0, 1, 0)[way]) % size * size + (column + (0, 1, 0, -1)[way]) % size]
            assert found[side, 0] == (hole["tile"] < 0 and hole["is_square"])
            if found[side, 0]:
                fit = sum(
                    n
                    for n, tile in zip(left, tile_table()[0]["kinds"])
                    if n and any((edges ^ hole["need"]) & hole["need_mask"] == 0 for edges in tile["edges"])
                )
                assert torch.expm1(4 * found[side, 1]) == pytest.approx(fit, abs=0.01)
                counted += 1
    assert counted > 8 and (edge or spaces == "common" or layout.is_torus)


@pytest.mark.parametrize("spaces", ["game", "common"])
def test_tiles_that_end_a_city_are_counted(spaces):
    """The first tile has an open city in the north, and no other tile is near. Every tile of `base` that has a city
    with only one edge can complete the city there.
    """
    game = carc_env.Game("base", seed=1)
    found, turns = holes_of(game, 12 * 25 + 12, layout_of(game.config, spaces))
    assert turns == 0 and game.board()[0].tile == "D"
    left = left_in(game)
    ends = sum(
        n for n, kind in zip(left, tile_kinds()) if any(s.kind == "city" and len(s.spots) == 1 for s in kind.segments)
    )
    fit = sum(n for n, kind in zip(left, tile_kinds()) if "C" in kind.edges)
    assert 10 < ends < fit
    assert torch.allclose(torch.expm1(4 * found[0]), torch.tensor([np.expm1(4), fit, ends]).float(), atol=0.01)


@pytest.mark.parametrize("preset, spaces", JOINING)
def test_what_a_tile_joins_is_what_the_rules_make_of_it(preset, spaces):
    """Compares the predicted open ends, size and completion with the planes after actions that place a tile."""
    seen, found = np.random.default_rng(2), np.zeros(3, int)
    scorer, layout = scorer_of(preset, spaces)
    game = carc_env.Game(preset, seed=2)
    while not game.is_over:
        actions = [int(action) for action in layout.from_common(game.legal_actions()) if action < laying(layout)]
        if actions and seen.random() < 0.2:
            found += sum(joined_rightly(scorer, layout, game, action) for action in actions)
        game.play(int(seen.choice(game.legal_actions())))
    right, closed, as_large = found
    assert right > 200 and closed > 10 and as_large > 0.9 * right, found


def scorer_of(preset, spaces):
    """Return a `NeighborhoodScorer` for a preset, and its layout."""
    space = gymnasium.make("carc_env/Base-v0", config=preset, spaces=spaces).observation_space
    return NeighborhoodScorer(space, width=16), space.layout


def seen_after(layout, game, action):
    """Return the planes after an action of a layout, as a dict from the name of each plane to its cells."""
    after = game.clone()
    after.play(layout.to_common(action))
    return dict(zip(layout.planes, after.observe(0, ObservationSpec(layout))["planes"].reshape(len(layout.planes), -1)))


def known_of(scorer, layout, game, action):
    """Return what `Joins` and `Fields` are told of an action that places a tile: the view, the empty squares beside the
    tile, the tile, and a flag that the tile is placed. Also return the cell and the rotation.
    """
    seen = {name: torch.as_tensor(array)[None] for name, array in game.observe(0, ObservationSpec(layout)).items()}
    question = torch.zeros(1, dtype=torch.long)
    cell, turns, tile, _ = scorer.places(seen["planes"], seen["globals"], question, torch.tensor([action]))
    view = scorer.view(seen["planes"], question, cell, turns)
    holes = scorer.holes(seen["planes"], seen["globals"], question, cell, turns, tile)
    return (view, holes, tile, torch.ones(1, dtype=torch.bool)), int(cell), int(turns)


def joined_rightly(scorer, layout, game, action):
    """Check the predictions for the roads and cities of a placed tile. Return how many are checked, how many of these
    are completed, and how many are as large as predicted. If a road or city touches the tile on two sides, nothing is
    checked.

    The function is only for free tables, because on a map sheet, coats of arms at the border also count.
    """
    known, cell, turns = known_of(scorer, layout, game, action)
    planes, right = seen_after(layout, game, action), np.zeros(3, int)
    if is_met_twice(game, cell):
        return right
    for side in scorer.joins.is_first[int(known[2])].nonzero()[:, 0]:
        way = SIDES[(int(side) + turns) % 4]
        row = scorer.joins.joined(*known, side[None])[0]
        size, _, _, left = np.expm1(row[4:8].numpy() * np.log1p(32)).round()
        city, road, ends = (int(planes[f"{name}_{way}"][cell]) for name in ("city", "road", "open"))
        if max(size, left) >= 32:
            continue
        assert ends == left and row[13] == (left == 0), (game, action, way)
        assert city + road <= size + 1 + row[2], (game, action, way)  # smaller if segments of this tile are joined
        right += 1, int(left == 0), int(city + road == size + 1 + row[2])
    return right


@pytest.mark.parametrize("preset, spaces", JOINING)
def test_what_a_field_of_a_tile_joins_is_what_the_rules_make_of_it(preset, spaces):
    """Checks which cities beside a field are completed. If the tile completes no city, the test also checks who leads
    in the field, and the bounds of its worth.
    """
    rng, seen = np.random.default_rng(5), np.zeros(3, int)
    scorer, layout = scorer_of(preset, spaces)
    game = carc_env.Game(preset, seed=5)
    while not game.is_over:
        for action in [
            int(action)
            for action in layout.from_common(game.legal_actions())
            if action < laying(layout) and rng.random() < 0.2
        ]:
            seen += field_joined_rightly(scorer, layout, game, action)
        game.play(int(rng.choice(game.legal_actions())))
    assert seen.min() > 5, seen


def field_joined_rightly(scorer, layout, game, action):
    """Check the predictions for the fields of a placed tile. Return how many fields the observer leads, how many the
    other player leads, and how many border on a city that the tile completes. The first two numbers count only if the
    tile completes no city.
    """
    known, cell, turns = known_of(scorer, layout, game, action)
    planes, tile, seen = seen_after(layout, game, action), int(known[2]), np.zeros(3, int)
    closes = scorer.joins(*known, torch.tensor([-1]))[1]
    for half in scorer.fields.is_first[tile].nonzero()[:, 0]:
        way, row = HALVES[(int(half) + 2 * turns) % 8], scorer.fields.looked_at(*known, closes, half[None])[0].numpy()
        low, high = np.expm1(row[[1, 0]] * np.log1p(32)).round()
        leads, done = row[2:5] > 0, row[8]
        worth, control = int(planes[f"worth_{way}"][cell]), int(planes[f"field_{way}"][cell])
        beside = [side for side in range(4) if scorer.fields.cities[tile, half, side]]
        ends = [planes[f"open_{SIDES[(side + turns) % 4]}"][cell] for side in beside]
        assert is_met_twice(game, cell) or done == sum(end == 0 for end in ends), (game, action, way)
        if not closes.any():
            assert low <= worth and (worth <= high or high == 32), (game, action, way)
            assert leads.sum() != 1 or control == 1 + leads.argmax(), (game, action, way)
            assert leads.any() or control == 0
            seen += control == 1, control == 3, 0
        seen[2] += done > 0
    return seen


def is_met_twice(game, cell):
    """Return True if the same road or city touches a cell of a free table from two neighbouring cells."""
    state, found, size = game.state, [], game.config.table_size
    for side, (down, right) in enumerate(BESIDE):
        square = state["board"][(cell // size + down) % size * size + (cell + right) % size]
        segment = tile_table()[0]["kinds"]["side_segment"][square["tile"], square["rotation"], (side + 2) % 4]
        if square["tile"] >= 0 and segment >= 0:
            found.append(int(state["segments"]["feature"][square["first_segment"] + segment]))
    return len(set(found)) < len(found)


def test_they_are_small():
    env, rows = (gymnasium.make("carc_env/Base-v0", **arguments) for arguments in (PLANES_ENV, ROWS_ENV))
    found = {}
    for name in ENVS:
        space = rows if name == "Candidates" else env
        made = policy(name)(
            space.observation_space,
            space.action_space,
            lambda left: 1e-3,
            **SMALL["Candidates"] if name == "Candidates" else {},
        )
        found[name] = sum(parameter.numel() for parameter in made.parameters())
    print(found)
    assert max(found.values()) < 350_000 and found["Candidates"] < 20_000


# --- learning ---------------------------------------------------------------------------------------------------------
def learned(algorithm, name, kind="", env_settings=None, env_id="Base", **settings):
    """Train an algorithm for a few steps. Return the model and its environments."""
    env = make_vec_env(f"carc_env/{env_id}-v0", 4, seed=1, **(env_settings or ENVS[name]))
    model = algorithm(policy(name, kind), env, seed=1, device="cpu", policy_kwargs=SMALL[name], **settings)
    before = {key: tensor.clone() for key, tensor in model.policy.state_dict().items()}
    model.learn(96)
    changed = [key for key, tensor in model.policy.state_dict().items() if not torch.equal(tensor, before[key])]
    assert changed and all(torch.isfinite(tensor).all() for tensor in model.policy.state_dict().values())
    return model, env


def play_on(model, env, masks=False, steps=60):
    """Play some steps, with deterministic and with sampled actions by turns."""
    obs = env.reset()
    for step in range(steps):
        more = {"action_masks": env.action_masks()} if masks else {}
        obs, *_ = env.step(model.predict(obs, deterministic=step % 2 == 0, **more)[0])


@pytest.mark.parametrize(
    "algorithm, name",
    [
        *((MaskablePPO, name) for name in ENVS),
        (PPO, "Torus"),
        (A2C, "Answers"),
        *(nightly(PPO, name) for name in ("Answers", "Candidates")),
        *(nightly(A2C, name) for name in ("Torus", "Candidates")),
    ],
)
def test_policy_gradients_learn_and_answer_legally(algorithm, name):
    settings = {"n_steps": 12} | ({} if algorithm is A2C else {"batch_size": 24, "n_epochs": 2})
    model, env = learned(algorithm, name, **settings)
    play_on(model, env)
    if algorithm is MaskablePPO:
        play_on(model, env, masks=True)
    assert env.get_attr("illegal")[0] == 0


@pytest.mark.parametrize("name", ENVS)
@pytest.mark.parametrize("algorithm, kind", [(networks.LegalDQN, "Q"), nightly(networks.LegalQRDQN, "Quantile")])
def test_value_based_ones_learn_and_answer_legally(algorithm, kind, name):
    model, env = learned(algorithm, name, kind, buffer_size=200, learning_starts=32, batch_size=8, train_freq=4)
    play_on(model, env)
    model.exploration_rate = 1.0
    play_on(model, env)
    assert env.get_attr("illegal")[0] == 0


@pytest.mark.parametrize(
    "env_id, spaces, name",
    [
        ("Base", "common", "Torus"),
        ("France", "game", "Answers"),
        ("Everything", "game", "Candidates"),
        *(nightly("Base", "common", name) for name in ("Answers", "Candidates")),
        *(nightly("France", "game", name) for name in ("Torus", "Candidates")),
        *(nightly("France", "common", name) for name in ENVS),
        *(nightly("Everything", "game", name) for name in ("Answers", "Torus")),
    ],
)
def test_they_learn_whatever_is_played_and_seen(env_id, spaces, name):
    """Checks games on a map sheet, games on a larger table, and the common spaces."""
    settings = ENVS[name] | {"spaces": spaces}
    for algorithm, kind, more in (
        (MaskablePPO, "", {"n_steps": 12, "batch_size": 24, "n_epochs": 1}),
        (networks.LegalQRDQN, "Quantile", {"buffer_size": 60, "learning_starts": 32, "batch_size": 8}),
    ):
        model, env = learned(algorithm, name, kind, settings, env_id, **more)
        play_on(model, env, steps=20)
        assert env.get_attr("illegal")[0] == 0


@pytest.mark.parametrize("name", ENVS)
@pytest.mark.parametrize("kind", ["", "Q", "Quantile"])
def test_a_policy_is_saved_and_read_again(kind, name, tmp_path):
    env = gymnasium.make("carc_env/Base-v0", **ENVS[name])
    made = policy(name, kind)(
        env.observation_space,
        env.action_space,
        lambda left: 1e-3,
        **SMALL[name],
        **{"n_quantiles": 7} if kind == "Quantile" else {},
    )
    made.save(tmp_path / "policy")
    again = policy(name, kind).load(tmp_path / "policy", device="cpu")
    found = again.state_dict()
    assert found and all(torch.equal(tensor, found[key]) for key, tensor in made.state_dict().items())
    observation, _ = env.reset(seed=4)
    assert made.predict(observation, deterministic=True)[0] == again.predict(observation, deterministic=True)[0]


@pytest.mark.parametrize("env_id", [nightly("Base"), nightly("Everything"), "France"])
def test_the_torus_takes_a_window_too(env_id):
    settings = PLANES_ENV | {"wrapper_class": VectorWindowObservation, "wrapper_kwargs": {"size": 9}}
    model, env = learned(
        MaskablePPO, "Torus", env_settings=settings, env_id=env_id, n_steps=12, batch_size=24, n_epochs=1
    )
    play_on(model, env)
    assert env.get_attr("illegal")[0] == 0


def test_refusals():
    env = gymnasium.make("carc_env/Base-v0", observation="candidates")
    for name in ENVS:
        with pytest.raises(ArgumentError, match="planes" if name != "Candidates" else "table=True"):
            policy(name)(env.observation_space, env.action_space, lambda left: 1e-3)
    env = gymnasium.make("carc_env/Base-v0", observation="both", actions="candidates")
    for name in ("Answers", "Torus"):
        with pytest.raises(ArgumentError, match="leave out actions='candidates'"):
            policy(name)(env.observation_space, env.action_space, lambda left: 1e-3)
    env = gymnasium.make("carc_env/Base-v0")
    with pytest.raises(ArgumentError, match="the observation space should have a `layout`"):
        TorusScorer(gymnasium.spaces.Dict(env.observation_space.spaces))
    with pytest.raises(ArgumentError, match="raw planes"):
        NeighborhoodScorer(RescaleObservation(env).observation_space)
    with pytest.raises(ArgumentError, match="leave out the window"):
        NeighborhoodScorer(WindowObservation(env, 9).observation_space)
