"""Defines a naive game that counts how often each situation comes up, so that a test run can report what it has
covered.
"""

from collections import Counter

from .darmstadt import points_for_darmstadtium
from .german_cathedrals import count_of_road, leads_to_cathedral
from .naive import NaiveGame
from .points import coats_of_arms, completed_cities_beside, has_symbol, points_for_field
from .table import FOLLOWERS, around, is_complete, neighbour
from .tiles import BUILDINGS, EDGES, edge_terrain, has_gold_symbol


class WatchedGame(NaiveGame):
    """A naive game whose attribute `met` counts how often each situation has come up."""

    def __init__(self, *args, **settings):
        self.met = Counter(games=1)
        self.part, self.sales_this_turn = 0, 0
        self.castle_passed = self.offering = False
        super().__init__(*args, **settings)

    def answer(self, text):
        self.met["answers"] += 1
        self.met[self.question.phase + " asked"] += 1
        super().answer(text)

    def ask(self, player, phase, answers):
        if len(answers) == 1 and answers != ["pass"]:
            self.met[phase + " forced"] += 1
        if phase in ("CROP_ADD", "CROP_REMOVE") and answers != ["pass"]:
            self.met["crop circle, two places or figures"] += len(answers) > 1 + ("pass" in answers)
            self.met[f"{phase} {self.rules.crop_add}"] += 1
        if phase == "CASTLE_SCORE":
            self.met.update(f"castle may score with {what}" for what in {text.split()[4] for text in answers})
        return super().ask(player, phase, answers)

    # ------------------------------------------------------------------------------- the turn

    def turn(self):
        self.part, self.sales_this_turn = 0, 0
        return super().turn()

    def part_of_turn(self):
        self.part += 1
        self.met["double turn"] += self.part == 2
        return super().part_of_turn()

    def draw_tile(self):
        before = len(self.news)
        drawn = super().draw_tile()
        self.met["tile fits nowhere"] += sum(event[0] == "discarded" for event in self.news[before:])
        if not drawn:
            self.met["no tile for the second part"] += self.part == 1 and self.second_part_earned
        return drawn

    def place_tile(self):
        yield from super().place_tile()
        for edge in EDGES if self.table.sheet else ():
            beyond = neighbour(self.cell, edge)
            if self.table.is_large(beyond) and self.is_first_beside(beyond):
                is_open = self.table.wanted_on(self.cell, edge) == "C"
                self.met[f"large city connected by {'an open' if is_open else 'a closed'} edge"] += 1
            if not self.table.is_on_map(beyond):
                printed = self.table.sheet.wanted_at_border(self.cell, edge)
                place = self.table.board[self.cell]
                letter = edge_terrain(place["tile"], place["rotation"], edge)
                self.met[f"{letter} at a {'printed' if printed else 'neutral'} border"] += 1

    def is_first_beside(self, square):
        """Return True if the tile just placed is the only tile beside this large city."""
        sheet = self.table.sheet
        cells = {neighbour(s, edge) for s in sheet.squares_of(sheet.large[square]["city"]) for edge in EDGES}
        return not cells & (set(self.table.board) - {self.cell})

    # -------------------------------------------------------------------------- chips and wine

    def take_chip(self):
        self.chip_taken = self.chips_on.get(self.cell)
        self.met["chip taken"] += self.chip_taken is not None
        super().take_chip()

    def sell_wine(self):
        before = {chip: count for chip, count in self.chips[self.active].items()}
        could = self.sales()
        self.met["wine, but sold in part one"] += self.sold and bool(could)
        yield from super().sell_wine()
        gone = {c: n - self.chips[self.active][c] for c, n in before.items() if n > self.chips[self.active][c]}
        if not gone:
            return
        self.sales_this_turn += 1
        ((colour, value), count) = gone.popitem()
        paid = [event[-1] for event in self.news if event[:3] == ("points", self.active, "wine")]
        where = "in a town" if paid == [9] else "abroad"
        self.met[f"sale {where}"] += 1
        self.met[f"sale of {'one 2' if count == 1 else 'two 1s'}"] += 1
        self.met["sale with the chip just taken"] += self.chip_taken == (colour, value)
        self.met["sale, with a choice of compositions"] += len({text.split()[2] for text in could}) > 1
        self.met["sale, with a choice of destinations"] += len({text.split()[3] for text in could}) > 1
        self.met["sales in both parts of a turn"] += self.sales_this_turn == 2

    # --------------------------------------------------------------------------- nine systems

    def place_abbey(self):
        laid = yield from super().place_abbey()
        if laid:
            self.met["abbey laid"] += 1
            self.met["abbey laid in part two"] += self.part == 1 and self.second_part_earned
            self.met["abbey laid in the offer"] += self.offering
        return laid

    def offer_abbeys(self):
        self.part, self.offering = 0, True
        yield from super().offer_abbeys()

    def place_german_castle(self, may_pass):
        passed = self.castle_passed
        self.castle_passed = False
        laid = yield from super().place_german_castle(may_pass)
        self.castle_passed = not laid and may_pass and bool(self.castle_placements(self.active))
        if laid:
            self.met["German castle laid"] += 1
            self.met["German castle laid with an empty stack"] += not may_pass
            self.met["German castle laid as no tile fits"] += not may_pass and passed
            self.met["German castle laid in part two"] += self.part == 1 and self.second_part_earned
        return laid

    def extends_own_builder(self):
        extends = super().extends_own_builder()
        self.met["builder extended by a German castle"] += extends and self.is_castle_tile(self.cell)
        return extends

    def keeps_shrines_apart(self, tile, cell):
        apart = super().keeps_shrines_apart(tile, cell)
        self.met[f"no place for {'an abbey' if tile == 'abbey' else 'a tile'} because of shrines"] += not apart
        return apart

    def join_by_ferry(self, cell, pair):
        self.met["ferry put" if cell not in self.table.ferries else "ferry moved"] += 1
        super().join_by_ferry(cell, pair)

    def found_castle(self, player, city):
        self.met["castle founded"] += 1
        self.met["castle founded out of turn"] += player != self.active
        super().found_castle(player, city)

    def score_castles(self, completed):
        scored = yield from super().score_castles(completed)
        self.met["castles scored together"] += len(scored) > 1
        return scored

    def score_church_bonus(self, completed):
        before = len(self.news)
        super().score_church_bonus(completed)
        paid = [player for _, player, _, _ in self.news[before:]]
        churches = [church for church in completed if church["kind"] == "church"]
        self.met["church bonus"] += bool(paid)
        self.met["church bonus for several"] += len(churches) == 1 and len(paid) > 1
        self.met["church bonus, nobody in the church"] += any(not self.owners(church) for church in churches)

    def lost_challenges(self, completed):
        lost = super().lost_challenges(completed)
        self.met.update(f"challenge lost by a {building['kind']}" for building in lost)
        return lost

    # ------------------------------------------------------------------------- figures and gold

    def take_abbot_back(self):
        self.met["abbot taken back"] += 1
        self.met["lying abbot taken back"] += bool(self.own_figure("abbot").get("lying"))
        super().take_abbot_back()

    def put_figure(self, figure, player, kind, cell, spot):
        self.met[f"{figure} placed"] += 1
        super().put_figure(figure, player, kind, cell, spot)

    def send_lonely_home(self):
        before = len(self.news)
        super().send_lonely_home()
        self.met.update(f"{figure} left alone" for _, _, figure, _ in self.news[before:])

    def put_gold(self):
        if has_gold_symbol(self.tile_laid):
            self.met["gold tile, but no ingots left"] += self.plays("goldmines") and not self.ingots_left
            self.met["gold tile beside a large city only"] += self.ingots_left > 0 and not any(
                cell in self.table.board for cell in around(self.cell)
            )
        return super().put_gold()

    def score_completed_features(self, completed):
        super().score_completed_features(completed)
        scored = [feature for feature in completed if self.table.figures_in(feature)]
        elsewhere = [f for f in completed if f["kind"] == "road" and self.cell not in f["tiles"]]
        self.met[f"road completed by {'an abbey' if self.tile_laid == 'abbey' else 'a ferry moved'}"] += len(elsewhere)
        for feature in scored:
            self.met.update(f"completed {what}" for what in self.remarks(feature))
        for feature in self.table.features_on(self.cell):
            if is_complete(feature) and not self.table.figures_in(feature):
                self.met["gold in a completed feature of nobody"] += bool(self.with_gold(self.area(feature)))
                self.met["goods in a completed city of nobody"] += bool(feature["goods"])
            figures = [f for f in self.table.figures_in(feature) if f["figure"] == "builder"]
            if is_complete(feature) and self.second_part_earned and self.part == 1:
                own = any(f["player"] == self.active for f in figures)
                self.met["builder extended and completed in part one"] += own
            self.met["builder of another extended"] += any(f["player"] != self.active for f in figures)
        if self.part == 2 and self.second_part_earned:
            self.met["builder extended in part two"] += 1
        self.met["several features scored in a turn"] += len(scored) > 1

    def award_gold(self, claims):
        claimants = self.claimants(claims)
        rights = {tuple(self.right(player, claims)) for player in claimants}
        if claimants:
            self.met[f"gold claimed by {len(claimants)}"] += 1
            self.met["gold, not for the active player"] += self.active not in claimants
            self.met["draft with unlike rights"] += len(rights) > 1
            self.met["draft within one feature"] += len(claimants) > 1 and len(claims) == 1
            self.met["draft over several features"] += len(claimants) > 1 and len(claims) > 1
            self.met["draft before a second part"] += len(claimants) > 1 and self.second_part_earned
            areas = Counter(cell for _, area in claims for cell in self.with_gold(area))
            self.met["gold in two scored areas"] += max(areas.values()) > 1
            with_gold = [its_owners for its_owners, area in claims if self.with_gold(area)]
            awards = Counter(player for its_owners in with_gold for player in its_owners)
            self.met["two awards to one player"] += max(awards.values()) > 1
            self.met["two awards to one player and a rival"] += max(awards.values()) > 1 and len(awards) > 1
        yield from super().award_gold(claims)
        if claimants and self.claimants(claims):
            self.met["gold left over by the single pass"] += 1

    # -------------------------------------------------------------------------------- the end

    def score_at_the_end(self):
        for feature in self.features_with_figures():
            self.met.update(f"unfinished {what}" for what in self.remarks(feature))
        super().score_at_the_end()
        self.met["ten ingots or more"] += max(self.ingots) >= 10
        self.met["gold set aside"] += self.ingots_set_aside > 0
        for good in self.GOODS:
            tokens = [goods[good] for goods in self.goods]
            self.met["goods for the most tokens"] += max(tokens) > 0
            self.met["goods tied at the end"] += max(tokens) > 0 and tokens.count(max(tokens)) > 1
        self.met["unsold wine at the end"] += any(map(self.wines, range(self.rules.players)))
        self.met["empty squares at the end"] += bool(
            self.table.sheet and self.table.sheet.squares - set(self.table.board)
        )

    def has_no_ends(self, road):
        """Return True if every segment of the road touches exactly two edges of its tile."""
        return all(len(self.table.segment_with(*segment)["spots"]) == 2 for segment in road["segments"])

    def remarks(self, feature):
        """Yield the noteworthy properties of a feature that has figures and is scored."""
        kind, figures = feature["kind"], self.table.figures_in(feature)
        strengths = self.table.strengths(feature, self.rules.players)
        present = sum(strength > 0 for strength in strengths)
        owners = self.owners(feature)
        heads = Counter(figure["player"] for figure in figures if figure["figure"] in FOLLOWERS)
        yield kind
        if len(owners) > 1:
            yield f"{kind}, tied"
        elif present > 1:
            yield f"{kind}, majority"
        if {player for player in heads if heads[player] == max(heads.values())} != set(owners):
            yield "feature whose owners the large meeple decides"
        if len(feature["segments"]) > len(feature["tiles"]):
            yield f"{kind} twice on a tile"
        if feature["pennants"]:
            yield f"{kind} with pennant"
        if len(feature["tiles"]) == 2:
            yield f"{kind} of two tiles"
        if kind == "road" and is_complete(feature) and not feature["coats"] and self.has_no_ends(feature):
            yield "road in a loop"
        for symbol in ("inn", "cathedral"):
            if has_symbol(feature, symbol, self.rules):
                yield f"{kind} with {symbol}, {self.rules.unfinished_inn_cathedral}"
        if kind == "city" and feature["coats"]:
            yield f"city with coats at the border, {self.rules.border_city_coat_points}"
        if kind == "road" and feature["coats"]:
            yield f"road with coats at the border, {self.rules.border_road_coat_points}"
        if kind == "city" and has_symbol(feature, "cathedral", self.rules) and coats_of_arms(feature, self.rules):
            yield "cathedral city with coats of arms"
        if kind == "city" and self.table.has_large_city(feature):
            yield "large city"
        if kind in BUILDINGS and self.table.sheet and self.is_at_border(feature):
            yield f"{kind} at the border, {self.rules.border_monastery}"
        if kind == "field":
            yield from self.remarks_on_field(feature, figures, owners)
        yield from self.remarks_on_systems(feature, figures)
        if any(figure["figure"] == "abbot" for figure in figures):
            yield f"{kind} with abbot"
        if any(figure["figure"] == "builder" for figure in figures):
            yield f"{kind} with builder"

    def is_at_border(self, building):
        """Return True if some of the squares around a building do not exist on the map sheet."""
        (tile,) = building["tiles"]
        return not all(map(self.table.is_on_map, self.table.ring(tile)))

    def remarks_on_systems(self, feature, figures):
        """Yield the noteworthy properties that come from the nine systems."""
        kind, tiles = feature["kind"], len(feature["tiles"])
        if feature["castle_tiles"] and kind in ("road", "city"):
            yield f"{kind} with {min(len(feature['castle_tiles']), 2)} tiles of German castles"
        if kind == "road" and leads_to_cathedral(feature):
            yield "road to a German cathedral"
            if has_symbol(feature, "inn", self.rules):
                yield "road to a German cathedral, with inn"
            if count_of_road(feature) > tiles:
                yield "road with two segments at a German cathedral"
        if kind == "road" and any(cell in self.table.ferries for cell in feature["tiles"]):
            yield "road with ferry"
        if kind == "german_cathedral" and len(feature["roads"]) < len(
            [s for s in self.table.segments_on(min(feature["tiles"])) if s["kind"] == "road"]
        ):
            yield "german_cathedral, with a road that returns"
        if kind == "city" and points_for_darmstadtium(feature, self.rules):
            yield "city with Darmstadtium"
        if any(figure.get("lying") for figure in figures):
            yield "special_monastery with lying follower"

    def remarks_on_field(self, field, figures, owners):
        """Yield the noteworthy properties of a field at the end of the game."""
        points = points_for_field(field, self.table, None)
        if points >= 9:
            yield "field with three cities"
        pigs = {figure["player"] for figure in figures if figure["figure"] == "pig"}
        if any(city["kind"] == "castle" for city in completed_cities_beside(field, self.table)):
            yield "field beside a castle"
        if points and pigs & set(owners):
            yield "field where the pig pays four"
        if points and pigs and pigs - set(owners):
            yield "field where the pig's player has no majority"
        if points and pigs & set(owners) and set(owners) - pigs:
            yield "field with a pig of one of its owners"
