"""Defines the window for render_mode="human". The window uses pygame, as the windows of Gymnasium's own environments
do.
"""

from carc_env.games.game import Game


class Window:
    """A window with the picture of a game. Each call of `show` waits for the duration of one frame."""

    def __init__(self, fps: int):
        try:
            import pygame
        except ImportError:
            raise ImportError('render_mode="human" needs pygame: pip install pygame-ce') from None
        self._pygame, self._fps = pygame, fps
        pygame.display.init()
        pygame.display.set_caption("carc_env")
        self._screen: pygame.Surface | None = None
        self._clock = pygame.time.Clock()

    def show(self, game: Game) -> None:
        """Draw the table in the window."""
        from carc_env import render

        picture = render.rgb_array(game).swapaxes(0, 1)
        if self._screen is None:
            self._screen = self._pygame.display.set_mode(picture.shape[:2])
        self._pygame.surfarray.blit_array(self._screen, picture)
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window."""
        self._pygame.display.quit()
