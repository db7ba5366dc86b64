"""Tests of movies of games: a GIF has one picture for each state, and an SVG shows each state at its time."""

import importlib
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import carc_env
from carc_env import Game, make_bot
from carc_env.arena.movie import HOLD, frames, movie_kind, save_movie
from carc_env.games.replay import retrace
from carc_env.render import rasterise, svg
from carc_env.render.animation import CLOCK, in_order, note, timed
from tests.render.helpers import SVG, parse


def played(config, seed: int, answers: int = 1000) -> Game:
    game, bot = Game(config, seed=seed), make_bot("random", seed=seed)
    while not game.is_over and answers:
        game.play(bot.choose(game))
        answers -= 1
    return game


@pytest.fixture(scope="module")
def game() -> Game:
    return played("goldmines", 2, 30)


def test_a_gif_has_a_picture_for_each_state(game, tmp_path):
    told = []
    made = save_movie(game, tmp_path / "game.gif", 0.5, told.append)
    states = [frame for frame in frames(game)]
    assert made == len(states) == told[-1] and told == list(range(1, made + 1))
    with Image.open(tmp_path / "game.gif") as movie:
        assert (movie.format, movie.size, movie.n_frames, movie.info["loop"]) == ("GIF", (800, 600), made, 0)
        for number, frame in enumerate(states):
            movie.seek(number)
            shown = np.array(movie.convert("RGB"))
            assert np.abs(shown.astype(int) - frame).mean() < 2, number
            assert movie.info["duration"] == (500 if number < made - 1 else 1000 * HOLD)


def test_the_states_of_a_movie_are_of_one_scale(game):
    """Checks that the first and the last picture have the same size and the same coordinates at the top."""
    first, *_, last = frames(game)
    assert first.shape == last.shape == (600, 800, 3)
    assert (first[:40] == last[:40]).all()  # the coordinates at the top


def test_a_whole_game_is_a_small_file(tmp_path):
    whole = played("base", 3)
    save_movie(whole.record(), tmp_path / "game.gif")
    assert (tmp_path / "game.gif").stat().st_size < 2_000_000
    save_movie(whole, tmp_path / "game.svg")
    assert (tmp_path / "game.svg").stat().st_size < 1_000_000


def seconds(text: str) -> float:
    """Return the seconds in a time such as `clock.begin+1.5s`."""
    return float(re.fullmatch(rf"{CLOCK}\.begin\+([\d.]+)s", text)[1])


def at(root: ElementTree.Element, time: float) -> str:
    """Return the SVG as it looks at a time, without the elements that are hidden then."""
    root = ElementTree.fromstring(ElementTree.tostring(root))
    for parent in list(root.iter()):
        for child in list(parent):
            sets = child.findall(f"{SVG}set")
            now = [s.get("to") for s in sets if seconds(s.get("begin")) <= time < seconds(s.get("end"))]
            if (now[-1] if now else child.get("visibility", "visible")) == "hidden":
                parent.remove(child)
            else:
                child.attrib.pop("visibility", None)
    return ElementTree.tostring(root, encoding="unicode")


def pixels(drawing: str) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(rasterise(drawing, 900))).convert("RGB")).astype(int)


@pytest.mark.parametrize(("config", "answers"), [("goldmines", 40), ("carcassonne", 60), ("everything", 70)])
def test_an_svg_shows_each_state_at_its_time(config, answers, tmp_path, monkeypatch):
    """Checks that states, each drawn alone with the layout of the last state, look like the movie at their times."""
    game = played(config, 5, answers)
    count = save_movie(game, tmp_path / "game.svg", 0.25)
    root = parse((tmp_path / "game.svg").read_text())
    drawing = importlib.import_module("carc_env.render.svg")  # carc_env.render.svg is also a function
    layout = drawing.fit(game, [], None)
    monkeypatch.setattr(drawing, "fit", lambda *_: layout)
    monkeypatch.setattr(drawing, "hints", lambda *_: "")
    shown = 0
    for number, (_, state) in enumerate(retrace(game.record())):
        if number % 13 == 3 or number == count - 1:
            difference = np.abs(pixels(at(root, 0.25 * number + 0.1)) - pixels(svg(state))).max(2)
            assert difference.mean() < 0.5 and (difference > 40).mean() < 1e-3, number
            shown += 1
    assert shown > 3


def test_an_svg_that_does_not_move_shows_the_end(tmp_path):
    game = played("goldmines", 6, 25)
    save_movie(game, tmp_path / "game.svg")
    root = parse((tmp_path / "game.svg").read_text())
    assert (pixels((tmp_path / "game.svg").read_text()) == pixels(at(root, 1e6))).all()
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    assert {e.get("href")[1:] for e in root.iter() if e.get("href")} <= ids and CLOCK in ids


def test_elements_are_shown_while_they_are_there():
    spans = {}
    for state, now in enumerate(["ab", "b", "ac", "c"]):
        note(spans, state, (((0,), letter) for letter in now))
    assert {text: of for (_, text), of in in_order(spans)} == {"a": [(0, 1), (2, 3)], "b": [(0, 2)], "c": [(2, None)]}
    assert timed("<a/>", [(0, None)], 4, 1.0) == "<a/>"
    late = parse(timed("<a/>", [(2, None)], 4, 1.5))
    assert late.get("visibility") == "visible" and [
        (s.get("to"), seconds(s.get("begin")), seconds(s.get("end"))) for s in late.findall("set")
    ] == [("hidden", 0.0, 3.0)]
    passing = parse(timed("<a/>", [(0, 1), (2, 3)], 4, 1.0))
    assert passing.get("visibility") == "hidden" and [s.get("to") for s in passing.findall("set")] == ["visible"] * 2


@pytest.mark.parametrize("name", ["game.mp4", "game", "", ".svg", "game.png"])
def test_another_kind_of_movie_is_refused(game, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(carc_env.PictureError, match=r"the name should end in \.gif or \.svg"):
        save_movie(game, name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("delay", [0, -1, float("nan"), 61])
def test_a_delay_that_cannot_be_shown(game, tmp_path, delay):
    with pytest.raises(carc_env.PictureError, match="should be from"):
        save_movie(game, tmp_path / "game.gif", delay)


def test_a_movie_that_cannot_be_written(game, tmp_path):
    with pytest.raises(carc_env.FileError, match="No such file or directory"):
        save_movie(game, tmp_path / "no" / "game.svg")
    assert movie_kind("GAME.GIF") == ".gif"
