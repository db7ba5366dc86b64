"""The worked examples of the rulebook, played only through the public API. Each TOML file contains one example.

A file has an `id` (the number of the example; a variation adds a word, as in `B3-old-printing`), a `title`, the
`preset`, and the `settings` that differ from the preset. The path of a `sheet` is relative to the tests folder, and
`starts` are lists such as `["D", 1, 3, 0]`. A file also has the `players` in seat order, the dictated `deck`, and the
`steps`. On a map sheet, `chips` dictates the chips as lists such as `[5, 4, "orange", 2]`. With German castles,
`german_castles = [["GC1", "GC6"], ["GC2", "GC3"]]` dictates the castle tiles in each player's hand.

A step's `moves` are lines such as `Red: GM1@-1,0/0; ingot 0,1; pass`; `#` begins a comment in them. **The moves are the
full record**: forced actions, which the engine plays itself because no other action is legal, are listed like all
others. The runner plays an action only if the engine asks for one, and requires that the named player has to act. If
the engine has already played the action, the runner compares the two. After each step, `game.moves` must be exactly
what the file lists. A step may contain these checks of the position after the step, and of what happened in the step:

    scores, ingots   of each player
    chips            all chips in hand: { Red = "purple 1+2, orange 2" }
    goods            all goods tokens in hand: { Red = "wine 2, grain 1" }
    supply           how many figures are not on the table: { "Red meeple" = 6 }
    lying            all ingots on the table: { "0,1" = 2 }
    ferries          all ferries on the table: { "1,0" = "S-W" }
    castles          all castles on the table: "Red 0,-1 S lord", or "Red 0,-1 S" after the lord has returned
    castle_tokens    the castle tokens in each player's hand
    abbeys           the number of abbeys in each player's hand
    castle_tiles     the castle tiles in each player's hand
    figures          all figures on the table: "Red meeple road 0,1"
    features         some attributes of a feature, which is named by one of its spots, such as "road 0,1 E"
    scored           all points scored in the step: "Red 4 roads"
    returned         all figures that returned in the step: "Red meeple 0,1"
    taken            all ingots taken in the step, in order: "Red 0,1"
    discarded        all tiles removed from the game in the step
    set_aside        how many ingots were left over when the game ended
    final            the game is over; the points by source, and 0 from all other sources
    asked            the next decision: "Blue take_ingot"
    only             all legal actions
    offered          actions that are legal, among others
    not_offered      actions that are not legal
    refused          actions that raise IllegalAction and do not change the game

`outcomes` lists all possible results of the ingot draft after the last step. In `"Red m, Blue s" = [1, 1]`, the key
says who takes an ingot from which tile, and the list contains the ingots of each player. `cells` names the tiles.
"""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import carc_env
from carc_env import Phase
from carc_env.common import toml

HERE = Path(__file__).parent
TESTS = HERE.parent
FILES = sorted(HERE.glob("*/*.toml"))

# The rulebook has only one example of crop circles, C1. Rules without an example in the rulebook have the numbers that
# follow, such as C2, I7 and T6. The numbers AB6 and SR7 do not exist. MX2 to MX4 are the rules of G14, G15 and G19 in
# other positions.
EXAMPLES = (
    {f"B{n}" for n in range(1, 9)}
    | {f"G{n}" for n in range(1, 26)}
    | {f"A{n}" for n in range(1, 4)}
    | {f"I{n}" for n in range(1, 8)}
    | {f"T{n}" for n in range(1, 9)}
    | {f"C{n}" for n in range(1, 10)}
    | {f"P{n}" for n in range(1, 11)}
    | {f"M{n}" for n in range(1, 21)}
    | {f"FY{n}" for n in range(1, 16)}
    | {f"CT{n}" for n in range(1, 23)}
    | {f"AB{n}" for n in range(1, 17) if n != 6}
    | {f"SR{n}" for n in range(1, 15) if n != 7}
    | {f"SM{n}" for n in range(1, 10)}
    | {f"DT{n}" for n in range(1, 13)}
    | {f"BY{n}" for n in range(1, 9)}
    | {f"GB{n}" for n in range(1, 19)}
    | {f"GD{n}" for n in range(1, 12)}
    | {f"MX{n}" for n in range(1, 9)}
)

FILE_KEYS = {
    "id",
    "title",
    "preset",
    "settings",
    "players",
    "deck",
    "chips",
    "german_castles",
    "cells",
    "steps",
    "outcomes",
}
# The file names of these boxes have numbers with two digits, so that the files stay in order.
TWO_DIGITS = (
    "abbeys",
    "castles",
    "darmstadt",
    "ferries",
    "german_castles",
    "german_cathedrals",
    "goldmines",
    "map_chips",
    "shrines",
)
COLOURS = ("purple", "light_blue", "orange")  # the colours of chips
GOODS = ("wine", "grain", "cloth")


@cache
def read(path: Path) -> dict:
    """Return the contents of a scenario file. The result is cached, so the caller must not change it."""
    return toml.loads(path.read_text(encoding="utf-8"))


def answers(moves: str) -> list[tuple[str, str]]:
    """Return the pairs (name of the player, text of the action) in the lines of a step."""
    pairs = []
    for line in moves.splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, texts = line.split(": ", 1)
            pairs += [(name, text.strip()) for text in texts.split(";")]
    return pairs


class Table:
    """A scenario that is being played: the game, the names of the players, and the events of the current step."""

    def __init__(self, path: Path):
        self.path = path
        self.scenario = read(path)
        self.names = self.scenario["players"]
        settings = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in self.scenario.get("settings", {}).items()
        }
        if "sheet" in settings:
            settings["sheet"] = str(TESTS / settings["sheet"])
        preset = carc_env.preset(self.scenario["preset"])
        config = replace(preset, players=len(self.names), **settings)
        dictated = {
            key: [tuple(entry) for entry in self.scenario[key]]
            for key in ("chips", "german_castles")
            if key in self.scenario
        }
        self.game = carc_env.Game(config, deck=self.scenario["deck"].split(), **dictated)
        self.record: list[str] = []
        self.events: list = []
        self.where = "at the start"

    def message(self, text: str) -> str:
        """Return an error message that names the file, the step and the action, and describes the position."""
        game = self.game
        phase = Phase(game.phase).name.lower()
        asked = "nobody is asked" if game.is_over else f"{self.names[game.player]} is asked to {phase}"
        return (
            f"{self.path.relative_to(HERE)}, {self.where}: {text}\n"
            f"  now {asked}, tile in hand {game.tile}, legal: {self.legal()}\n"
            f"  record so far: {list(game.moves)}"
        )

    def expect(self, what: str, expected: object, actual: object) -> None:
        assert expected == actual, self.message(f"{what} should be\n    {expected}\n  but is\n    {actual}")

    def legal(self) -> list[str]:
        if self.game.is_over:
            return []
        return [self.game.text(action) for action in self.game.legal_actions()]

    def play(self, name: str, text: str) -> None:
        """Play one action of the file, or find it among the actions that the engine has played itself."""
        game = self.game
        if len(game.moves) == len(self.record):
            assert not game.is_over, self.message("the game is over")
            self.expect("the player asked", name, self.names[game.player])
            assert text in self.legal(), self.message(f"{text!r} should be legal")
            game.play(text)
            self.events += game.last_events
        assert len(game.moves) > len(self.record), self.message(f"{text!r} is not in the record")
        self.expect("the next answer in the record", text, game.moves[len(self.record)])
        self.record.append(text)

    def play_step(self, number: int, moves: str) -> None:
        self.events = []
        for name, text in answers(moves):
            self.where = f"step {number}, {name}: {text}"
            self.play(name, text)
        self.expect("the record", self.record, list(self.game.moves))

    def happened(self, kind: str) -> list:
        return [event for event in self.events if type(event).__name__ == kind]

    def taken(self, events: list) -> list[str]:
        return [f"{self.names[e.player]} {e.x},{e.y}" for e in events if type(e).__name__ == "IngotTaken"]


# Each function checks one key of a step. Its arguments are the table and the value in the file.


def check_scores(table: Table, scores: list) -> None:
    table.expect("scores", scores, list(map(int, table.game.scores)))


def check_ingots(table: Table, ingots: list) -> None:
    table.expect("ingots of the players", ingots, list(map(int, table.game.ingots)))


def check_chips(table: Table, chips: dict) -> None:
    hands = {}
    for name, hand in zip(table.names, table.game.chips.tolist(), strict=True):
        held = {colour: ["1"] * ones + ["2"] * twos for colour, (ones, twos) in zip(COLOURS, hand, strict=True)}
        hands[name] = ", ".join(f"{colour} {'+'.join(values)}" for colour, values in held.items() if values)
    table.expect("chips of the players", chips, {name: hand for name, hand in hands.items() if hand})


def check_goods(table: Table, goods: dict) -> None:
    hands = {}
    for name, hand in zip(table.names, table.game.goods, strict=True):
        hands[name] = ", ".join(f"{good} {held}" for good, held in zip(GOODS, hand, strict=True) if held)
    table.expect("goods of the players", goods, {name: hand for name, hand in hands.items() if hand})


def check_supply(table: Table, supply: dict) -> None:
    for place, expected in supply.items():
        name, figure = place.split()
        held = int(table.game.meeples[figure][table.names.index(name)])
        table.expect(f"{place}s in supply", expected, held)


def check_lying(table: Table, lying: dict) -> None:
    on_table = {f"{p.x},{p.y}": int(p.ingots) for p in table.game.board() if p.ingots}
    table.expect("ingots on the table", lying, on_table)


def check_ferries(table: Table, ferries: dict) -> None:
    on_table = {f"{x},{y}": edges for x, y, edges in table.game.ferries}
    table.expect("ferries on the table", ferries, on_table)


def check_castles(table: Table, castles: list) -> None:
    standing = [
        f"{table.names[player]} {x},{y} {edge}" + (" lord" if has_lord else "")
        for x, y, edge, player, has_lord in table.game.castles
    ]
    table.expect("castles on the table", sorted(castles), sorted(standing))


def check_castle_tokens(table: Table, tokens: list) -> None:
    table.expect("castle tokens in hand", tokens, list(map(int, table.game.castle_tokens)))


def check_abbeys(table: Table, abbeys: list) -> None:
    table.expect("abbeys in hand", abbeys, list(map(int, table.game.abbeys)))


def check_castle_tiles(table: Table, hands: list) -> None:
    table.expect("German castles in hand", hands, [sorted(hand) for hand in table.game.german_castles])


def check_figures(table: Table, figures: list) -> None:
    standing = [
        f"{table.names[f.player]} {f.figure} {f.feature} {p.x},{p.y}" for p in table.game.board() for f in p.figures
    ]
    table.expect("figures on the table", sorted(figures), sorted(standing))


def check_scored(table: Table, scored: list) -> None:
    points = [f"{table.names[e.player]} {e.points} {e.source}" for e in table.happened("PointsScored")]
    table.expect("points scored in this step", sorted(scored), sorted(points))


def check_returned(table: Table, returned: list) -> None:
    home = [f"{table.names[e.player]} {e.figure} {e.x},{e.y}" for e in table.happened("FigureReturned")]
    table.expect("figures returned in this step", sorted(returned), sorted(home))


def check_taken(table: Table, taken: list) -> None:
    table.expect("ingots taken in this step", taken, table.taken(table.events))


def check_discarded(table: Table, tiles: list) -> None:
    table.expect("tiles discarded", tiles, [event.tile for event in table.happened("TileDiscarded")])


def check_set_aside(table: Table, count: int) -> None:
    table.expect("ingots set aside", [count], [e.count for e in table.happened("IngotsSetAside")])


def check_asked(table: Table, asked: str) -> None:
    game = table.game
    table.expect("the question", asked, f"{table.names[game.player]} {Phase(game.phase).name.lower()}")


def check_only(table: Table, texts: list) -> None:
    table.expect("the legal answers", sorted(texts), sorted(table.legal()))


def check_offered(table: Table, texts: list) -> None:
    table.expect("answers that are not offered", [], [text for text in texts if text not in table.legal()])


def check_not_offered(table: Table, texts: list) -> None:
    table.expect("forbidden answers that are offered", [], [text for text in texts if text in table.legal()])


def check_refused(table: Table, texts: list) -> None:
    before = table.game.to_bytes()
    for text in texts:
        try:
            table.game.play(text)
        except carc_env.IllegalAction as refusal:
            assert str(refusal), table.message(f"the refusal of {text!r} should say why")
        else:
            pytest.fail(table.message(f"{text!r} should have been refused"))
        assert table.game.to_bytes() == before, table.message(f"refusing {text!r} changed the game")


def check_features(table: Table, features: dict) -> None:
    by_place = {f"{f.kind} {x},{y} {spot}": f for f in table.game.features() for x, y, spot in f.segments}
    for place, attributes in features.items():
        assert place in by_place, table.message(f"there should be a feature {place!r}: {sorted(by_place)}")
        for name, expected in attributes.items():
            actual = getattr(by_place[place], name)
            if name == "strength":
                actual = list(map(int, actual))
            table.expect(f"{name} of {place}", expected, actual)


def check_final(table: Table, final: dict) -> None:
    assert table.game.is_over, table.message("the game should be over")
    by_source = table.game.final_scores()
    nothing = [0] * len(table.names)
    for source in final.keys() | by_source.keys():
        actual = list(map(int, by_source.get(source, nothing)))
        table.expect(f"final points for {source}", final.get(source, nothing), actual)


CHECKS = {
    "scores": check_scores,
    "ingots": check_ingots,
    "chips": check_chips,
    "goods": check_goods,
    "supply": check_supply,
    "lying": check_lying,
    "ferries": check_ferries,
    "castles": check_castles,
    "castle_tokens": check_castle_tokens,
    "abbeys": check_abbeys,
    "castle_tiles": check_castle_tiles,
    "figures": check_figures,
    "scored": check_scored,
    "returned": check_returned,
    "taken": check_taken,
    "discarded": check_discarded,
    "set_aside": check_set_aside,
    "asked": check_asked,
    "only": check_only,
    "offered": check_offered,
    "not_offered": check_not_offered,
    "refused": check_refused,
    "features": check_features,
    "final": check_final,
}


def drafts(table: Table, game: carc_env.Game, taken: list[str]) -> list[tuple[str, list[int]]]:
    """Return all ways to play the rest of the draft, as pairs: who took an ingot from which tile, and the ingots of
    each player at the end.
    """
    if game.phase != Phase.TAKE_INGOT:
        names = {cell: name for name, cell in table.scenario["cells"].items()}
        takes = [take.split() for take in taken]
        way = ", ".join(f"{player} {names.get(cell, cell)}" for player, cell in takes)
        return [(way, list(map(int, game.ingots)))]
    ways = []
    for action in game.legal_actions():
        after = game.clone()
        after.play(action)
        ways += drafts(table, after, taken + table.taken(after.last_events))
    return ways


def check_outcomes(table: Table, outcomes: dict) -> None:
    game = table.game
    table.where = "the draft"
    assert game.phase == Phase.TAKE_INGOT, table.message("an ingot draft should be going on")
    table.expect("ingots taken before the first choice", [], table.taken(game.last_events))
    before = game.to_bytes()
    ways = drafts(table, game, [])
    assert game.to_bytes() == before, table.message("playing on clones changed the game")
    table.expect("the number of different ways", len(ways), len(dict(ways)))
    table.expect("ways to play the draft and ingots", outcomes, dict(ways))


@pytest.mark.parametrize("path", FILES, ids=[read(path)["id"] for path in FILES])
def test_example(path: Path) -> None:
    table = Table(path)
    for number, step in enumerate(table.scenario["steps"], start=1):
        table.play_step(number, step["moves"])
        for key, expected in step.items():
            if key in CHECKS:
                CHECKS[key](table, expected)
    if "outcomes" in table.scenario:
        check_outcomes(table, table.scenario["outcomes"])


def test_all_examples_are_there_once() -> None:
    ids = [read(path)["id"] for path in FILES]
    twice = [name for name, times in Counter(ids).items() if times > 1]
    assert not twice, f"more than one file has the id {twice}"
    plain = {name for name in ids if "-" not in name}
    assert plain == EXAMPLES, f"missing {sorted(EXAMPLES - plain)}, unknown {sorted(plain - EXAMPLES)}"
    strays = [name for name in ids if name.split("-")[0] not in EXAMPLES]
    assert not strays, f"variations of no example: {strays}"


@pytest.mark.parametrize("path", FILES, ids=[read(path)["id"] for path in FILES])
def test_file_says_what_it_expects(path: Path) -> None:
    """A key with a spelling mistake would not be checked, so all keys must be known."""
    scenario = read(path)
    assert scenario.keys() <= FILE_KEYS, f"unknown keys {sorted(scenario.keys() - FILE_KEYS)}"
    assert scenario["title"].endswith("."), "the title is a sentence"
    expectations = 0
    for step in scenario["steps"]:
        unknown = step.keys() - CHECKS.keys() - {"moves"}
        assert not unknown, f"unknown keys {sorted(unknown)}"
        expectations += len(step.keys() & CHECKS.keys())
    assert expectations, "no step expects anything"
    name, _, word = scenario["id"].partition("-")
    letters = name.rstrip("0123456789")
    two_digits = path.parent.name in TWO_DIGITS
    number = f"{letters}{int(name.removeprefix(letters)):02d}" if two_digits else name
    assert path.stem == number + (f"-{word}" if word else ""), "the file is named after the id"
