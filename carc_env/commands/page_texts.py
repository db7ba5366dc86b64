"""The texts of the pages that `commands.docs` generates. `commands.docs` replaces each name in braces by a value."""

LAYOUT = """# Actions and observations

Generated from the code by `make docs`; do not edit.

An environment describes its actions and observations in `env.unwrapped.layout`:

```python
import gymnasium

import carc_env

env = gymnasium.make("carc_env/Base-v0", opponent="random")
layout = env.unwrapped.layout
print(layout.n_actions, list(layout.planes)[:3], layout.planes["city_N"].kind)
```
```text
2514 ['tile', 'rotation', 'city_N'] count
```

By default (`spaces="game"`), the action space and the observation space of an environment contain
only what its configuration can use. The page of each environment has tables of its actions and
observations:
{environments}

This page describes the common numbering of actions, planes and global features. The common
numbering is the same for all boxes and all numbers of players: it depends only on the size of the
table. `Game`, bots and agents use the common numbering. Game records contain actions as texts, not
as ids. Environments with `spaces="common"` also use the common numbering, so that one network can
play several presets on tables of the same size. `layout.to_common` translates an environment's
actions to common ids, and `layout.from_common` translates common ids to the environment's actions.

This page describes version {version} of the layout. Each layout has a hash. If an agent reads
planes, its checkpoint contains the hash of the agent's layout. The package refuses to use a
checkpoint with a layout that has a different hash. Agents that read candidates depend only on the
candidate columns, whose hash is `{candidates_hash}`. Agents that read candidates can play on a
table of any size.

The module `carc_env.boxes.layout` defines the name, kind and range of each value (`PLANES`,
`GLOBALS`, `COLUMNS`). The ranges are also the bounds of the observation space. There are five kinds
of values:

- a flag is 0 or 1;
- a category is a number that stands for one of several cases; the order of the numbers has no
  meaning;
- a count is a number of things, such as points, tiles or pieces, and is never negative;
- a share is a fraction or a probability from 0 to 1;
- a signed value can be negative.

Values that describe the pieces or rules of a box are 0 in games without this box.

## The table

The table has `size` rows and columns (`GameConfig.table_size`, see [The size of the
table](table.md)). The rows and columns wrap around at the edges of the table. The tile at (x, y)
lies in row `(y + size // 2) % size` and column `(x + size // 2) % size`. For example, on a table
of size {size}, the tile at (x, y) lies in row `(y + {half}) % {size}` and column `(x + {half}) % {size}`.

**On a map sheet**, the tile at (x, y) lies in row y and column x, and (0, 0) is the north-west
corner of the map sheet. With `spaces="game"`, the planes have only the rows and columns of the map
sheet.

Within the block `place_tile`, an action has the index
`rotation * size * size + row * size + column`. With `spaces="game"`, an action of this block has
the index `(rotation * rows + row) * columns + column`. For actions of the block `choose_cell`,
replace `rotation` by `choice` in these formulas.

A spot is a place on a tile where a figure can stand. The spots are numbered in this order:
{spots}.

| size | presets | actions | hash of the common layout |
|---|---|---|---|
{sizes}

## The common numbering on a table of {size}

On a larger table, the planes have more rows and columns. Each block of actions except the first
begins at a larger id. The planes, the global features and the blocks of actions have the same names
and the same order on tables of all sizes.

{tables}
## Candidates: float32 ({n_candidates}, {n_shown})

The candidates have one row for each legal action, in ascending order of the action ids. The array
`candidate_actions` contains the action of each row, and -1 for each unused row. If there are more
than {n_candidates} legal actions, only those with the highest heuristic values become candidates.
The *heuristic value* of an action is the bot `greedy`'s estimate of the action's value in points.
If an action places a tile or an ingot, its row also takes into account the best ingot and figure
actions that can follow in the same turn.

The columns are not normalized: points, tiles and pieces are given as plain numbers. Most columns
describe how an action changes a quantity, such as the expected points for unfinished roads. Each of
these quantities has two columns: one for the acting player, and one for the mean over the
opponents. The opponents are all other players. `carc_env/observing/prospects.py` computes the
quantities. The columns `own_farmers` and `others_farmers` count farmers together with followers
that lie on special monasteries, because both normally stay on the table until the end of the game.
All games have the same columns. The columns `price` and `rank` are included only with `price=True`.

| index | name | kind | range | meaning |
|---|---|---|---|---|
{columns}
"""

ON_SHEET = "The planes have the rows and columns of the map sheet: the tile at (x, y) lies in row y and column x."
ON_TORUS = (
    "**The table** of the game has {size} x {size} cells. Rows and columns wrap around at the edges of the table.\n"
    "The tile at (x, y) lies in row `(y + {half}) % {size}` and column `(x + {half}) % {size}`."
)

ENVIRONMENT = """# `carc_env/{name}-v0`

Generated from the code by `make docs`; do not edit.

| | |
|---|---|
| Action space | `Discrete({n_actions})` |
| Observation space | `Dict(planes: uint8 ({shape}), globals: float32 ({n_globals},), action_mask: int8 ({n_actions},))` |
| with `spaces="common"` | `Discrete({common_n_actions})`, {common_n_planes} planes of {common_cells} cells, and {common_n_globals} global features |
| import | `gymnasium.make("carc_env/{name}-v0")` (after `import carc_env`) |
| many games at once | `gymnasium.make_vec("carc_env/{name}-v0", n, "vector_entry_point")`, see [arguments](index.md#many-games-at-once) |
| other libraries | `carc_env.aec_env("{preset}")` (PettingZoo), `carc_env.envs.sb3.make_vec_env("carc_env/{name}-v0", n)`, see [libraries](../libraries.md) |

## Description

The game is {what}. By default, a game has two players; the argument `players` sets another number.
For the rules and our interpretation of them, see these pages of the section
[Rules](../rules/index.md): {rules}.

## Action space

The action space contains every action that can be legal in this game; see [the tables](#tables).
The action mask marks the actions that are legal in the current position.
`env.unwrapped.layout.to_common(action)` translates an action of the environment to the id that
`Game` and bots use.

## Observation space

The array `planes` describes every cell of the playing table. The array `globals` describes the
players, the tile in hand and the tiles that have not been drawn yet. `action_mask` marks the legal
actions. With `observation="candidates"`, an observation has no planes and does not show the whole
table. Instead, the array `candidates` has one row of numbers for each legal action. With
`observation="both"`, an observation has both `planes` and `candidates`. No observation contains
hidden information, such as the order of the tiles in the stack or the faces of hidden chips. The
page [Environments](index.md#the-arrays-of-an-observation) lists the arrays of each kind of
observation.

## Rewards

By default (`reward="margin"`), the reward is the change in the margin. The margin is the agent's
score minus the score of the best opponent. The page [Environments](index.md) lists the other rewards.

## Starting state

The start tiles lie on the table. The seed determines the order of the tiles and the agent's seat.

## Episode end

An episode terminates when the last tile has been played and the final scoring is done. With
`illegal_action="lose"`, an illegal action also terminates the episode. Episodes are never
truncated.

## Tables

The tables below are for a game with two players. Each further player adds global features. A spot
is a place on a tile where a figure can stand. The order of the spots is {spots}.

{where}

{tables}
## Version history

- v0: first version. By default, the action space and the observation space contain only what the
  game can use. `spaces="common"` selects the spaces that are the same for all games on tables of
  the same size.
"""

RATINGS = """# Ratings on all ladders

Generated from the ladders by `make docs`; do not edit.

The table shows the ratings of the bots on each [ladder](../ladder.md). On each ladder, the bot
`greedy` has the rating 1000. Ratings from different ladders cannot be compared, because the same
difference in skill gives a larger difference in rating in games with less luck. The pages of the
ladders give the intervals, the margins and the time per action.

{table}
"""

GALLERY = """# Every tile

Generated from the code by `make pictures`; do not edit.

This page shows all tiles, box by box, as they appear in pictures of games. The id of each tile is
below its picture. The drawings are original and use nothing of the publisher's artwork. The pages
of the [rules](rules) say what each box adds to the game.

"""
