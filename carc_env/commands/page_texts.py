"""The text of the pages that `commands.docs` generates, with names in braces for what comes from the code."""

LAYOUT = """# Actions and observations

Generated from the code by `make docs`; do not edit.

An environment shows what its configuration can ever use (`spaces="game"`, the default). Each environment's page has its tables:
{environments}
This page has the common numbering. `Game`, game records, bots and agents use it for every preset and number of players, and so do
environments made with `spaces="common"`, for one network that plays several presets. `env.unwrapped.layout` names everything
that an environment shows, and translates its actions to common ids and back (`layout.common`, `layout.own`).

Layout version {version}. A checkpoint for planes names the hash of its layout and is refused by another one. Agents over candidates
depend on the columns of candidates alone (hash `{candidates_hash}`): they play on a table of any size.

Names, kinds and ranges are data in `carc_env.boxes.layout` (`PLANES`, `GLOBALS`, `COLUMNS`), and the bounds of the observation
space. A flag is 0 or 1, a category a number that names something, a count 0 or more, a share from 0 to 1, signed any number.
What is about a box is 0 in games without it.

## The table

The table has `size` rows and columns: `GameConfig.table_size`, see [the table](table.md). Rows and columns are those of a torus:
the tile at (x, y) lies in row `(y + size // 2) % size`, column `(x + size // 2) % size`; with {size} that is
`(y + {half}) % {size}` and `(x + {half}) % {size}`. **On a sheet** it lies in row y, column x: (0, 0) is the sheet's north-west corner.
With `spaces="game"` the planes of a sheet have its rows and columns only. An action that names a cell counts row by row:
`rotation * size * size + row * size + column`, in the game's own spaces `(rotation * rows + row) * columns + column`.
Spots are numbered {spots}.

| size | presets | actions | hash of the common layout |
|---|---|---|---|
{sizes}

## The common numbering on a table of {size}

On a larger table the planes have more rows and columns, and the ids that follow those of cells are larger; names and order are the same.

{tables}
## Candidates: float32 ({n_candidates}, {n_shown})

One row for each legal answer, ascending by action; `candidate_actions` holds the actions, -1 where there
are fewer. Should there be more than {n_candidates}, those with the best prices are kept. All numbers are in
points, tiles or pieces; how the prospects are estimated stands in `carc_env/observing/prospects.py`. All games have all columns.
The last two, `price` and `rank`, are shown only with `price=True`: they are what the bot `greedy` thinks of each answer.

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

Carcassonne: {what}. Two players by default, more with `config`. Rules and readings: {rules}.

## Action space

One action for every answer to every question that this game can ask; [the tables](#tables) are below. In every position only some
are legal: use the mask. `env.unwrapped.layout.common(action)` is the id that `Game` and bots use for it.

## Observation space

`planes` show the table cell by cell, `globals` the players, the tile in hand and the tiles left, `action_mask` the legal
answers; `observation="candidates"` gives a row of features for each legal answer instead of planes. Everything a player
may know is there and nothing else: neither the order of the deck nor a hidden chip ever changes an observation.

## Rewards

Points by default: `reward="margin"`. See the [arguments](index.md).

## Starting state

The start tiles lie, the deck is shuffled from the seed, and the agent's seat is drawn from it.

## Episode end

Terminated when the last tile was played and everything is scored, or by an illegal action with `illegal_action="lose"`.
Never truncated.

## Tables

What this environment shows with two players. More players have more globals. {where}
Spots are named {spots}, in this order.

{tables}
## Version history

- v0: first version. With layout version 4 the spaces have only what the game can use; `spaces="common"` shows all.
"""

GALLERY = """# Every tile

Generated from the code by `make pictures`; do not edit.

All tiles as the pictures of games show them, box by box, each with its id. The drawings are our own; nothing of the
publisher's artwork is used. What the boxes change stands in their [rules](rules).

"""
