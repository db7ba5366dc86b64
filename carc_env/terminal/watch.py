"""Implements `carc watch`, which shows a game between bots. The person can change the speed with keys."""

import sys
import time
from dataclasses import dataclass, field

from carc_env.common.errors import BotFault
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, ended_by
from carc_env.games.game import Game
from carc_env.terminal.asked_bots import Seats
from carc_env.terminal.frame import Display, Frame, drawn_with, last_cell, pictures_of
from carc_env.terminal.keys import Keys
from carc_env.terminal.leaving import HungUp, fallen_silent, heard_signals
from carc_env.terminal.play import scrolling
from carc_env.terminal.words import Names, begun, final_table, played, question, title

FASTEST, SLOWEST = 1 / 64, 60.0  # seconds between two actions
MOST_NEWS = 40
KEYS = "+ faster  - slower  space pause  . step  q quit"


def tell(game: Game, seats: Seats, display: Display, delay: float) -> int:
    """Play a game, and print every action and its events as lines. Returns the exit status."""
    names = Names(seats.specs, game.players)
    display.say([title(game), *(names.long(player) for player in range(game.players)), *begun(game, names)])
    while not game.is_over:
        before = int(game.state["n_moves"])
        try:
            game.play(seats.answer(game))
        except BotFault as fault:
            return failed(fault)
        display.say(played(game, before, names))
        time.sleep(delay)
    display.say(["", title(game), "", *final_table(game, names)], wrap=False)
    return GOOD


def failed(fault: BotFault) -> int:
    """Print why a bot did not choose a legal action. Returns the exit status."""
    print(f"carc: {fault}", file=sys.stderr)
    return FAILED


@dataclass
class Show:
    """A game that is watched, with its speed and its last events."""

    game: Game
    seats: Seats
    display: Display
    delay: float
    is_paused: bool = False
    has_left: bool = False
    news: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = Names(self.seats.specs, self.game.players)
        self.news = begun(self.game, self.names)

    def run(self, keys: Keys) -> None:
        """Play and show the game until the person presses `q`."""
        while not self.has_left:
            self._follow()
            self.draw()
            if self._is_time(keys) and not self.game.is_over:
                self.step()

    def _is_time(self, keys: Keys) -> bool:
        """Wait until the next action is due. Meanwhile, execute the commands that the person gives with keys. Returns
        False if the person ends the session.
        """
        began = time.monotonic()
        while not self.has_left:
            rests = self.is_paused or self.game.is_over
            key = keys.next(None if rests else max(0.0, began + self.delay - time.monotonic()))
            if key in (None, "."):
                self.is_paused |= key == "."
                return True
            self.press(key)
            self.draw()
        return False

    def press(self, key: str) -> None:
        """Execute the command that is assigned to a key."""
        if key in ("q", "Q", "\x04"):
            self.has_left = True
        elif key == " ":
            self.is_paused = not self.is_paused
        elif key in ("+", "="):
            self.delay = max(FASTEST, self.delay / 2)
        elif key == "-":
            self.delay = min(SLOWEST, 2 * max(FASTEST, self.delay))
        elif move := scrolling(key):
            self.display.look().move(drawn_with(self.game, False), *move)

    def step(self) -> None:
        """Play one action. Raises BotFault if the bot fails."""
        before = int(self.game.state["n_moves"])
        self.game.play(self.seats.answer(self.game))
        self.news = [*self.news, *played(self.game, before, self.names)][-MOST_NEWS:]

    def _follow(self) -> None:
        self.display.look().follow(drawn_with(self.game, False), last_cell(self.game), ())

    def draw(self) -> None:
        """Show the current position."""
        game, colour = self.game, self.display.colour
        news = [*self.news, "", *final_table(game, self.names)] if game.is_over else self.news
        pace = "over" if game.is_over else "paused" if self.is_paused else f"{self.delay:.2g} s"
        self.display.show(
            Frame(
                game,
                self.names,
                drawn_with(game, colour),
                last_cell(game),
                title(game),
                "The game is over." if game.is_over else question(game, self.names),
                news,
                pictures=[] if game.is_over else pictures_of(game, colour, None, None),
                keys=f"[{pace}]  {KEYS}",
            )
        )


def watch(game: Game, seats: Seats, display: Display, delay: float) -> int:
    """Show a game on a full screen. Returns the exit status."""
    show, status = Show(game, seats, display, delay), GOOD
    fault: BotFault | None = None
    with heard_signals():
        try:
            with display, Keys() as keys:
                show.run(keys)
        except BotFault as said:
            fault = said
        except KeyboardInterrupt:
            status = INTERRUPTED
        except HungUp as closed:
            fallen_silent()
            status = ended_by(closed.number)
    if game.is_over:
        display.say(["", title(game), "", *final_table(game, show.names)], wrap=False)
    elif status == INTERRUPTED:
        print("carc: interrupted", file=sys.stderr)
    return status if fault is None else failed(fault)
