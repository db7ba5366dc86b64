"""The bots of a game in the terminal: they are made from specs and act for their seats. Faults of a bot are
reported.
"""

from collections.abc import Sequence

from carc_env.arena.match import own_seed
from carc_env.bots import ActionValue, Bot, make
from carc_env.common.errors import BotError, BotFault, CarcError, PlayerError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.setup.config import ConfigSource, GameConfig, as_config

DEFAULT = "greedy"


def table_for(source: ConfigSource, against: Sequence[str] | None) -> tuple[GameConfig, list[str]]:
    """A configuration for one person and these bots. Without any, `greedy` plays all other seats. Raises
    ConfigError.
    """
    config = as_config(source)
    specs = list(against) if against else [DEFAULT] * (config.players - 1)
    return as_config(config, 1 + len(specs)), specs


def seated(specs: Sequence[str], seat: int | None) -> dict[int, str]:
    """The bots around the person on `seat`: specs by player. Raises PlayerError."""
    players = len(specs) + (seat is not None)
    if seat is not None and not 0 <= seat < players:
        raise PlayerError(f"seat {seat}: the seats of this table are 0 to {players - 1}")
    return dict(zip((player for player in range(players) if player != seat), specs))


class Seats:
    """The bots of a game. Raises BotError for an invalid spec, or for a bot that cannot play this game."""

    def __init__(self, specs: dict[int, str], game: Game):
        self.specs = dict(specs)
        self._seed = game.seed or 0
        self._bots: dict[int, Bot] = {player: self._made(spec, player) for player, spec in specs.items()}
        for bot in self._bots.values():
            bot.ask(Games(game.config, 1, [0]))  # what it compiles and loads is ready before the first question

    def _made(self, spec: str, player: int) -> Bot:
        return make(spec, own_seed(self._seed, player))

    def answer(self, game: Game) -> int:
        """The legal action of the bot that has to act. Raises BotFault for any fault of the bot."""
        assert game.player is not None
        bot = self._bots[game.player]
        try:
            action = int(bot.ask(Games.view_of(game))[0])
        except Exception as error:  # it may be anybody's code
            said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise BotFault(said if bot.name in said else f"{bot.name}: {said}") from error
        if action not in game.legal_actions():
            raise BotFault(f"{bot.name} played {action}, which is not legal")
        return action

    def replace(self, player: int, spec: str = DEFAULT) -> None:
        """Replace the bot of a seat."""
        self.specs[player], self._bots[player] = spec, self._made(spec, player)


def judged_by(spec: str, game: Game) -> list[ActionValue]:
    """A bot's values of the legal actions, best first. Raises BotFault for any fault of the bot."""
    try:
        return make(spec, own_seed(game.seed or 0, game.players)).action_values(game.clone())
    except CarcError as error:
        raise BotFault(str(error)) from None
    except Exception as error:  # it may be anybody's code
        raise BotFault(f"{spec}: {type(error).__name__}: {error}") from error


def check_judge(spec: str) -> None:
    """Raise BotError if a spec names no bot, or a bot that cannot value actions."""
    bot = make(spec, 0)
    if type(bot).analyse is Bot.analyse and type(bot).action_values is Bot.action_values:
        raise BotError(f"{bot} cannot value actions")
