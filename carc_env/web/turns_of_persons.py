"""Performs what people request in their games: moves, undo, changes of the players in seats, messages and rematches."""

import dataclasses

from carc_env.common.errors import IllegalAction
from carc_env.games.game import Game
from carc_env.web import real_games
from carc_env.web.company import Wish, message, turned
from carc_env.web.running_games import Tables
from carc_env.web.seats import EVERYTHING, Closed, Rights, Seat, new_token, seat_for
from carc_env.web.table import Conflict, NoSuchGame, Table
from carc_env.web.versions import Moment, before_last_answer, played, taken_back


class Persons:
    """Performs what people request in their games. The methods may be called from any thread."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def answer(self, table: Table, version: int, text: str, rights: Rights = EVERYTHING) -> Moment:
        """Play a move for the person who has to act. The move cancels a pending undo request. An error leaves the game
        unchanged.

        Raises:
            Conflict: if `version` belongs to an earlier decision than the current one.
            IllegalAction: if the move is not legal, or if a bot has to act.
            Closed: if the client is not allowed to act for this person.
        """
        with table.lock:
            now = table.present(version)
            if now.thinking is not None:
                raise IllegalAction(f"the bot {now.seats[now.thinking].name} has to act: wait for its action")
            rights.check(now.game.player)
            company = dataclasses.replace(now.company, wish=None)
            moment = table.change(now, played(now.game, text), company)
        self._tables.bots.go(table)
        return moment

    def undo(self, table: Table, version: int, rights: Rights = EVERYTHING) -> Moment:
        """Go back to the last decision that a person made. If other people play in the game, they must agree first,
        except in a game with cardboard tiles. The client must have the right to act for the person who made the
        decision. An error leaves the game unchanged.

        Raises:
            Conflict: if `version` belongs to an earlier decision than the current one.
            IllegalAction: if no person has made a decision.
            Closed: if the client is not allowed to act for the person who made the decision.
        """
        with table.lock:
            now = table.present(version)
            before = before_last_answer(now)
            rights.check(before.player)
            # with cardboard tiles, the person at the screen may correct entries without asking the others
            if isinstance(now.game, real_games.RealGame):
                moment = table.change(now, before, now.company)
            else:
                moment = self._wish(table, now, before, rights)
        self._tables.bots.go(table)
        return moment

    def _wish(self, table: Table, now: Moment, before: Game, rights: Rights) -> Moment:
        """Create a request to go back to an earlier position. The caller must hold `table.lock`."""
        assert before.player is not None  # `before` is a position in which a person had to act
        n_moves, agreed = int(before.state["n_moves"]), now.company.persons & rights.seats
        if now.company.wish and now.company.wish.moves == n_moves:
            return now  # the others have already been asked
        return self._wished(table, now, Wish(now.version + 1, before.player, n_moves, tuple(sorted(agreed))))

    def reply(self, table: Table, number: int, agree: bool, rights: Rights = EVERYTHING) -> Moment:
        """Accept, refuse or withdraw an undo request. Raises Conflict if the undo request is no longer open. Raises
        Closed if the client is not allowed to act for any person in the game.
        """
        with table.lock:
            now, mine = table.present(), table.now.company.persons & rights.seats
            wish = now.company.wish
            if wish is None or wish.number != number:
                raise Conflict("this undo request is no longer open; look at the game again")
            if not mine:
                raise Closed("only people who play in this game may reply to an undo request", True)
            if agree:
                wish = dataclasses.replace(wish, agreed=tuple(sorted(mine.union(wish.agreed))))
                moment = self._wished(table, now, wish)
            else:
                words = "withdrew the undo request" if wish.seat in mine else "refused the undo request"
                company = dataclasses.replace(now.company, wish=None)
                moment = table.note(now, company.telling(f"{company.names(mine)} {words}."))
        self._tables.bots.go(table)
        return moment

    def _wished(self, table: Table, now: Moment, wish: Wish) -> Moment:
        """Go back to the earlier position if all people have agreed. Otherwise, ask the people who have not agreed yet.
        The caller must hold `table.lock`.
        """
        company, name = now.company, now.seats[wish.seat].name
        others = company.persons.difference(wish.agreed)
        if others:
            if company.wish is None or company.wish.number != wish.number:
                company = company.telling(f"{name} asks {company.names(others)} to agree to an undo.")
            return table.note(now, dataclasses.replace(company, wish=wish))
        game, is_drawn_anew = taken_back(now.game, wish.moves)
        anew = (
            "  The tiles and chips that were revealed after this move go back and are drawn again at random."
            if is_drawn_anew
            else ""
        )
        company = dataclasses.replace(company, wish=None).telling(f"{name} undoes a move.{anew}")
        return table.change(now, game, company)

    def take_seat(
        self,
        table: Table,
        version: int | None,
        number: int,
        name: str | None,
        bot: str | None,
        rights: Rights = EVERYTHING,
    ) -> tuple[Moment, str | None]:
        """Hand a seat to a bot or a person. The person who began the game has the token `beginner`, and may hand over
        any seat. A client with the token for a person's seat may hand over this seat. A client that has the token for
        at least one seat may replace the bots.

        Returns:
            The new version of the game, and a new token for the seat. The token is None if no new token is needed.

        Raises:
            SeatError: if the bot is unknown, or if the name is invalid.
            Conflict: if `version` belongs to an earlier decision than the current one.
            Closed: if the client is not allowed to hand over the seat.
        """
        with table.lock:
            now = table.present(version)
            old = seat_at(now, number)
            if not rights.is_beginner:
                rights.check(number if old.bot is None else min(rights.seats, default=number))
            seat = seat_for(number, name, bot, self._tables.bots.names)
            company = dataclasses.replace(now.company.seated(number, seat), wish=None).telling(handed_over(old, seat))
            needs = self._tables.guarded and bot is None and (old.bot is not None or number not in rights.seats)
            token = new_token() if needs else None
            keys = table.keys.changed(number, token) if token else None
            moment = table.change(now, now.game, company.claimed(number) if token else company, keys=keys)
            table.dismiss(number)
        self._tables.bots.go(table)
        return moment, token

    def claim(self, table: Table, number: int, name: str | None, rights: Rights) -> tuple[Moment, str]:
        """Let a person use the token from a link to take a seat.

        Returns:
            The new version of the game, and a new token for the seat. The new token replaces the token in the link.

        Raises:
            SeatError: if the name is invalid.
            Conflict: if the server uses no tokens, or if the seat belongs to a bot.
            Closed: if the token is not valid for the seat.
        """
        with table.lock:
            now = table.present()
            seat = seat_at(now, number)
            if not self._tables.guarded:
                raise Conflict("this server uses no tokens: everybody at this machine can play all seats")
            rights.check(number)
            if seat.bot is not None:
                raise Conflict(f"the bot {seat.name} plays in this seat")
            token, seat = new_token(), seat_for(number, name or seat.name, None, self._tables.bots.names)
            company = now.company.seated(number, seat).claimed(number).telling(f"{seat.name} has sat down.")
            moment = table.note(now, company, table.keys.changed(number, token))
        return moment, token

    def say(self, table: Table, seat: int, text: str, rights: Rights = EVERYTHING) -> Moment:
        """Add a person's message to the chat of the game. Raises MessageError if the message is empty, too long or not
        printable. Raises Closed if the client is not allowed to act for the seat.
        """
        with table.lock:
            now = table.present()
            seat_at(now, seat)
            rights.check(seat)
            return table.note(now, now.company.telling(message(text), seat))

    def rematch(self, table: Table, rights: Rights = EVERYTHING) -> Table:
        """Begin a rematch with the seats rotated by one. The people use the tokens of the old game for their new seats.
        Returns the new game. If somebody else has already begun a rematch, returns the rematch that already exists.

        Raises:
            Conflict: if the game is not over, or if people play it with cardboard tiles.
            Closed: if the client is only allowed to watch the game.
            Full: if the server has no space for a new game.
        """
        now = table.present()
        if not rights.seats:
            raise Closed("this token only allows you to watch", True)
        if not now.game.is_over:
            raise Conflict("a rematch is possible only after the end of the game")
        if isinstance(now.game, real_games.RealGame):
            raise Conflict("a game with cardboard tiles has no rematch: begin a new game instead")
        if now.company.rematch is None:
            after = self._tables.add(Game(now.game.config), turned(now.company), table.keys.turned(), table.id)
            with table.lock:
                now = table.present()
                if now.company.rematch is None:
                    table.note(now, dataclasses.replace(now.company, rematch=after.id))
                    return after
            self._tables.delete(after)  # somebody else has begun a rematch first
        assert now.company.rematch is not None
        return self._tables.find(now.company.rematch)


def seat_at(moment: Moment, number: int) -> Seat:
    """Return a seat by its number. Raises NoSuchGame if the game has no seat with this number."""
    if not 0 <= number < len(moment.seats):
        raise NoSuchGame(f"there is no seat {number}; the seats are 0 to {len(moment.seats) - 1}")
    return moment.seats[number]


def handed_over(old: Seat, new: Seat) -> str:
    """Return the line that is added to the chat when the player in a seat changes."""
    if old.bot is None and new.bot is None:
        return f"{old.name} is now called {new.name}."
    if old.name == new.name:
        return f"A bot takes over from {old.name}." if new.bot else f"A person takes over from {old.name}."
    return f"{new.name} takes over from {old.name}."
