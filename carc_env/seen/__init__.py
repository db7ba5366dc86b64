"""What learners and bots see of each box: its planes and globals, its part of the prospects, and what it adds to candidates.

`encode`, `prospects` and `candidates` call these functions where they write a game, and ask nothing about the boxes in play. Where the numbers
stand is said by `layout`. Functions of several boxes that do the same have the same name:

- `write_planes`, `write_turn`, `write_player`: planes; globals of the turn; globals of a player, whose place is `at` behind the observer's;
- `add_hand`: what a player holds, in parts[player, Part].

What most games do not have is asked for in a function of its own, short enough to become part of its callers: they go by it without a call.
"""
