"""The texts of the pages that `commands.docs` generates. Names in braces are filled in from the code."""

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

By default (`spaces="game"`) an environment shows only what its configuration can ever use. The
pages of the environments have these tables:
{environments}

This page has the common numbering, for every preset and number of players. `Game`, game records,
bots and agents use it. Environments made with `spaces="common"` use it too, so that one network can
play several presets. `layout.common` translates an environment's actions to common ids, and
`layout.own` translates them back.

This is version {version} of the layout. A checkpoint for planes stores the hash of its layout, and
carc_env refuses to use it with another layout. Agents that read candidates depend only on the
columns of the candidates (hash `{candidates_hash}`). They play on a table of any size.

Names, kinds and ranges are data in `carc_env.boxes.layout` (`PLANES`, `GLOBALS`, `COLUMNS`). The
ranges are also the bounds of the observation space. There are five kinds of numbers:

- a flag is 0 or 1;
- a category is a number that stands for a name;
- a count is 0 or more;
- a share is from 0 to 1;
- a signed number is any number.

Numbers that belong to a box are 0 in games without this box.

## The table

The table has `size` rows and columns (`GameConfig.table_size`, see [the table](table.md)). It is a
torus: the tile at (x, y) lies in row `(y + size // 2) % size` and column `(x + size // 2) % size`.
With size {size} these are `(y + {half}) % {size}` and `(x + {half}) % {size}`.

**On a sheet** the tile at (x, y) lies in row y and column x, and (0, 0) is the north-west corner of
the sheet. With `spaces="game"` the planes have only the rows and columns of the sheet.

The ids of actions that name a cell count row by row:
`rotation * size * size + row * size + column`. With `spaces="game"` they are
`(rotation * rows + row) * columns + column`.

Spots are numbered in this order:
{spots}.

| size | presets | actions | hash of the common layout |
|---|---|---|---|
{sizes}

## The common numbering on a table of {size}

On a larger table the planes have more rows and columns, and the ids after those of cells are
larger. Names and order stay the same.

{tables}
## Candidates: float32 ({n_candidates}, {n_shown})

The candidates have one row for each legal action, in ascending order of the actions.
`candidate_actions` holds the actions, and -1 in the rows after the last one. If there are more than
{n_candidates} legal actions, the candidates are those with the best prices.

All numbers are in points, tiles or pieces. `carc_env/observing/prospects.py` says how the prospects
are estimated. All games have all columns. The last two, `price` and `rank`, are shown only with
`price=True`: they say what the bot `greedy` thinks of each action.

| index | name | kind | range | meaning |
|---|---|---|---|---|
{columns}
"""

ON_SHEET = "The planes have the rows and columns of the sheet: the tile at (x, y) lies in row y, column x."
ON_TORUS = (
    "The table is a torus of {size} x {size} cells: the tile at (x, y) lies in row `(y + {half}) % {size}`, "
    "column `(x + {half}) % {size}`."
)

ENVIRONMENT = """# `carc_env/{name}-v0`

Generated from the code by `make docs`; do not edit.

| | |
|---|---|
| Action space | `Discrete({n_actions})` |
| Observation space | `Dict(planes: uint8 ({shape}), globals: float32 ({n_globals},), action_mask: int8 ({n_actions},))` |
| with `spaces="common"` | `Discrete({common_n_actions})`, {common_n_planes} planes of {common_cells}, {common_n_globals} globals |
| import | `gymnasium.make("carc_env/{name}-v0")` (after `import carc_env`) |
| many games at once | `gymnasium.make_vec("carc_env/{name}-v0", n, "vector_entry_point")`, see [arguments](index.md#many-games-at-once) |
| other libraries | `carc_env.aec_env("{preset}")` (PettingZoo), `carc_env.envs.sb3.make_vec_env("carc_env/{name}-v0", n)`, see [libraries](../libraries.md) |

## Description

Carcassonne: {what}. There are two players by default; `config` can set another number. These pages
describe the rules and our readings of them: {rules}.

## Action space

The action space contains every answer to every question of this game; see [the tables](#tables). In
any position only some of them are legal, and the action mask marks these.
`env.unwrapped.layout.to_common(action)` is the id that `Game` and bots use for an action.

## Observation space

`planes` show the table cell by cell. `globals` show the players, the tile in hand and the tiles
left. `action_mask` marks the legal actions. `observation="candidates"` gives a row of features for
each legal action instead of planes. An observation contains everything that a player may know, and
nothing else: neither the order of the deck nor a hidden chip ever changes it.

## Rewards

By default the reward is the change of the margin in points (`reward="margin"`). See the
[arguments](index.md).

## Starting state

The start tiles lie on the table. The seed decides the order of the deck and the agent's seat.

## Episode end

An episode terminates when the last tile has been played and everything is scored. With
`illegal_action="lose"`, an illegal action also terminates it. Episodes are never truncated.

## Tables

These tables are for two players. Each further player adds globals. {where}
Spots have this order: {spots}.

{tables}
## Version history

- v0: first version. Since layout version 4 the spaces have only what the game can use, and
  `spaces="common"` shows all.
"""

GALLERY = """# Every tile

Generated from the code by `make pictures`; do not edit.

This page shows all tiles, box by box, as they appear in pictures of games. Each has its id below.
The drawings are our own; nothing of the publisher's artwork is used. The pages of the
[rules](rules) say what each box adds to the game.

"""
