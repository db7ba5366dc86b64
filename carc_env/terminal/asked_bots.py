"""Makes the bots for a game in the terminal, and reports their errors."""

from collections.abc import Sequence

from carc_env.arena.match import own_seed
from carc_env.bots import PLAIN, WITH_OPTIONS, ActionValue, Bot, level, make
from carc_env.common.errors import BotError, BotFault, CarcError, PlayerError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.setup.config import ConfigSource, GameConfig, as_config

DEFAULT = "greedy"
YOU = "you"  # the name of the person in the record of a game against bots


def table_for(source: ConfigSource, against: Sequence[str] | None) -> tuple[GameConfig, list[str]]:
    """Return the configuration and the bot specs for a game of one person against bots. If `against` is empty, all
    opponents of the person are `greedy` bots. Raises ConfigError for an invalid configuration.
    """
    config = as_config(source)
    specs = list(against) if against else [DEFAULT] * (config.players - 1)
    return as_config(config, 1 + len(specs)), specs


def is_safe(spec: str) -> bool:
    """Return True if a bot spec from a file is safe to use. A safe spec names a bot of this package, and does not refer
    to a program, a file or another module.
    """
    kind, _, rest = spec.partition(":")
    if spec in level.SPECS or spec in PLAIN or kind in WITH_OPTIONS:
        return True
    return kind in ("learned", "ppo") and not set(rest) & set("/\\.:")  # `rest` names a checkpoint and is not a path


def remembered(game: Game) -> dict[int, str] | None:
    """Return a dict with the spec of each bot in a saved game of one person against bots. The keys are the player
    numbers. The specs come from the player names in the record. Return None if the record does not have exactly one
    player named `you`, or if the name of another player does not give a safe spec (see `is_safe`).
    """
    found: dict[int, str] = {}
    names = game.notes.names or ()
    for player, name in enumerate(names):
        if name != YOU:
            alone = name.removesuffix(f" {player + 1}")  # if names are equal, `notes.told_apart` appends this number
            specs = [word.replace("level ", "level:") for word in (name, alone)]
            found[player] = next(filter(is_safe, specs), "")
    return found if len(found) == len(names) - 1 and all(found.values()) else None


def seated(specs: Sequence[str], seat: int | None) -> dict[int, str]:
    """Return a dict that gives the spec of each bot by its player number. The person is the player with the number
    `seat`, and all other players are bots. If `seat` is None, all players are bots. Raises PlayerError if the game has
    no player with this number.
    """
    players = len(specs) + (seat is not None)
    if seat is not None and not 0 <= seat < players:
        raise PlayerError(f"there is no seat {seat}; the seats of this game are 0 to {players - 1}")
    return dict(zip((player for player in range(players) if player != seat), specs))


class Seats:
    """The bots of a game. Raises BotError for an invalid spec, or for a bot that cannot play this game."""

    def __init__(self, specs: dict[int, str], game: Game):
        self.specs = dict(specs)
        self._seed = game.seed or 0
        self._bots: dict[int, Bot] = {player: self._made(spec, player) for player, spec in specs.items()}
        for bot in self._bots.values():
            bot.ask(Games(game.config, 1, [0]))  # so that all code is compiled and loaded before the first decision

    def _made(self, spec: str, player: int) -> Bot:
        return make(spec, own_seed(self._seed, player))

    def answer(self, game: Game) -> int:
        """Return the action of the bot that has to act. Raises BotFault if the bot fails or its action is illegal."""
        assert game.player is not None
        bot = self._bots[game.player]
        try:
            action = int(bot.ask(Games.view_of(game))[0])
        except Exception as error:  # a user's bot may raise any exception
            said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise BotFault(said if bot.name in said else f"{bot.name}: {said}") from error
        if action not in game.legal_actions():
            raise BotFault(f"{bot.name} played {action}, which is not legal")
        return action

    def replace(self, player: int, spec: str = DEFAULT) -> None:
        """Replace a player's bot with another bot."""
        self.specs[player], self._bots[player] = spec, self._made(spec, player)


def judged_by(spec: str, game: Game) -> list[ActionValue]:
    """Return the legal actions with the values that a bot gives them, best first. Raises BotFault if the bot fails."""
    try:
        return make(spec, own_seed(game.seed or 0, game.players)).action_values(game.clone())
    except CarcError as error:
        raise BotFault(str(error)) from None
    except Exception as error:  # a user's bot may raise any exception
        raise BotFault(f"{spec} raised {type(error).__name__}: {error}") from error


def check_judge(spec: str) -> None:
    """Raise BotError if a spec is invalid, or if the specified bot cannot compute action values."""
    bot = make(spec, 0)
    if type(bot).analyse is Bot.analyse and type(bot).action_values is Bot.action_values:
        raise BotError(f"{bot} cannot compute values of actions")
