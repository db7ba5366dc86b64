"""Ferries: each joins two of the roads that end at its lake. After a new tile, a player may move the nearest ones."""

from itertools import combinations

from .table import FOLLOWERS, neighbour, row_by_row
from .tiles import ACROSS, EDGES, is_lake


class Ferries:
    """The part of a game that is about ferries."""

    def put_ferry(self):
        """After the figure, the active player must put a ferry on a new lake, where it joins any two road segments.

        With the setting `ferry_requires_highwayman`, this happens only if the player has just placed a follower on a
        road of this lake. Otherwise the lake never gets a ferry.
        """
        if not self.plays("ferries") or not is_lake(self.tile_laid):
            return
        if self.rules.ferry_requires_highwayman and not self.has_new_highwayman():
            return
        answers = [f"ferry {pair}" for pair in self.pairs_at_lake(self.cell)]
        text = yield from self.ask(self.active, "PLACE_FERRY", answers)
        self.join_by_ferry(self.cell, text.split()[1])

    def has_new_highwayman(self):
        """True if a follower has been placed on a road of the tile just laid."""
        return any(
            f["cell"] == self.cell and f["kind"] == "road" and f["figure"] in FOLLOWERS for f in self.table.figures
        )

    def pairs_at_lake(self, cell):
        """Return every pair of the roads that meet at a lake, such as `E-S`."""
        roads = [segment["spots"][0] for segment in self.table.segments_on(cell) if segment["kind"] == "road"]
        return [f"{one}-{other}" for one, other in combinations(sorted(roads, key=EDGES.index), 2)]

    def join_by_ferry(self, cell, pair):
        """Lay the ferry of a lake between these two roads."""
        self.table.ferries[cell] = tuple(pair.split("-"))
        self.table.found.clear()  # roads anywhere may have been joined or parted

    def move_ferries(self):
        """Then the player may move the nearest ferries one after another, each once, or pass.

        A builder that a move separates from all own followers goes home at once.
        """
        while True:
            answers = {}
            for x, y in row_by_row(self.nearest_ferries() - self.lakes_moved):
                lies = "-".join(self.table.ferries[x, y])
                for pair in self.pairs_at_lake((x, y)):
                    if pair != lies:
                        answers[f"ferry {x},{y} {pair}"] = (x, y), pair
            text = yield from self.ask(self.active, "MOVE_FERRY", [*answers, "pass"])
            if text == "pass":
                return
            lake, pair = answers[text]
            self.parted_or_joined |= {(lake, edge) for edge in self.table.ferries[lake]}
            self.join_by_ferry(lake, pair)
            self.parted_or_joined |= {(lake, edge) for edge in self.table.ferries[lake]}
            self.lakes_moved.add(lake)
            self.send_lonely_home()

    def nearest_ferries(self):
        """Return the first ferry on each way along a road from the tile just laid, not counting a ferry on that tile.

        A way ends where the road meets a lake at a segment that its ferry does not join.
        """
        to_visit = [s for s in self.table.segments_of_tile(self.cell) if s[1]["kind"] == "road"]
        seen, nearest = [], set()
        while to_visit:
            here, road = to_visit.pop()
            if (here, road) in seen:
                continue
            seen.append((here, road))
            for edge in road["spots"]:
                there = neighbour(here, edge)
                beyond = self.table.segment_with(there, ACROSS[edge]) if there in self.table.board else None
                if beyond and (not self.is_lake_with_ferry(there) or there == self.cell):
                    to_visit.append((there, beyond))
                elif beyond and ACROSS[edge] in self.table.ferries[there]:
                    nearest.add(there)
        return nearest

    def is_lake_with_ferry(self, cell):
        """True if a ferry lies on this tile."""
        return cell in self.table.ferries

    def roads_at_moved_ferries(self):
        """Return the roads that a moved ferry has left or joined. Those that are closed are completed now."""
        return [self.table.feature(lake, edge) for lake, edge in self.parted_or_joined]
