"""A program that uses carc_env. It is only checked by mypy, and never run.

A comment `type: ignore` marks each line that mypy must reject. mypy also reports such a comment on a correct line.
"""

from typing_extensions import assert_type

import carc_env
from carc_env.arena import analysis
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv

game = carc_env.Game("goldmines", seed=7)
assert_type(game.player, int | None)
assert_type(game.is_over, bool)
assert_type(game.board(), list[carc_env.Placed])
assert_type(game.clone(), carc_env.Game)
game.play("pass")
game.play(3)
game.play(3.5)  # type: ignore[arg-type]
game.colour  # type: ignore[attr-defined]
for event in game.last_events:
    if isinstance(event, carc_env.PointsScored):
        assert_type(event.points, int)
assert_type(carc_env.replay(game.record()), carc_env.Game)
config = carc_env.GameConfig(players=3, boxes=("base", "abbot"))
carc_env.Game(config, deck=["U", "E"])
carc_env.Game({"boxes": ["base"]})
carc_env.Game(12)  # type: ignore[arg-type]

many = carc_env.Games(config, 2, seeds=[1, 2])
many.step(many.legal_mask().argmax(1))
many.step([0, 1])
many.step("all")  # type: ignore[arg-type]
assert_type(many.game(0), carc_env.Game)


class Mine(carc_env.Bot):
    name = "mine"

    def choose(self, game: carc_env.Game) -> int:
        return int(game.legal_actions()[0])


bot = carc_env.make_bot("greedy", seed=0)
assert_type(bot, carc_env.Bot)
assert_type(bot.choose(game), int)
assert_type(carc_env.play_match(bot, Mine(), "base", pairs=1).win_rate_a, float)
assert_type(analysis.analyse_game(game), list[analysis.Judged])
carc_env.play_match(bot, Mine(), "base", pears=1)  # type: ignore[call-arg]

env = CarcassonneEnv("goldmines", opponent=bot)
observation, info = env.reset(seed=7)
assert_type(observation["planes"].ndim, int)
observation, reward, over, truncated, info = env.step(4)
assert_type(reward, float)
assert_type(over, bool)
vector = CarcassonneVectorEnv(3, "base", opponent="self")
assert_type(vector.games, carc_env.Games)
