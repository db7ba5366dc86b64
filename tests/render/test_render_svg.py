"""Tests of the drawing of a whole game."""

import re

import pytest

import carc_env
from carc_env.common import palette
from carc_env.common.lettering import GLYPHS, text_path, text_width
from carc_env.games.game import Figure, Placed
from carc_env.render import svg
from carc_env.render.svg import asked_cells, figures, fit, ingots, panel_height
from tests.render.helpers import marked, parse, small_game, texts


def test_every_tile_is_shown_where_it_lies():
    root = parse(svg(small_game()))
    shown = {
        (e.get("data-tile"), e.get("data-x"), e.get("data-y"), e.get("data-rotation"), e.get("href"))
        for e in marked(root, class_="tile")
    }
    assert shown == {
        ("D", "0", "0", "0", "#tile-D-0"),
        ("V", "1", "0", "0", "#tile-V-0"),
        ("GM2", "0", "-1", "180", "#tile-GM2-180"),
    }
    assert all(len(marked(root, id=href[1:])) == 1 for *_, href in shown)


def test_everything_used_is_defined_in_the_picture_itself():
    drawing = svg(small_game())
    root = parse(drawing)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert {e.get("href") for e in root.iter() if e.get("href")} <= {"#" + i for i in ids}
    assert re.findall(r"https?://[^\"]*", drawing) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<text|<image|font|<script|<style", drawing)


def test_names_may_contain_characters_that_have_a_meaning_in_xml(tmp_path):
    game = carc_env.replay({**carc_env.Game("base", seed=1).record(), "names": ["Tom & Jerry", "<greedy>"]})
    assert parse(svg(game))[0].text == "2 tiles on the table. Tom & Jerry: place figure"
    game.save(tmp_path / "game.png")


def test_figures_stand_in_the_colours_of_their_players():
    root = parse(svg(small_game()))
    (red,) = marked(root, class_="figure", data_player=0)
    (blue,) = marked(root, class_="figure", data_player=1)
    assert (red.get("data-feature"), red.get("data-x"), red.get("data-y")) == ("road", "1", "0")
    assert (blue.get("data-feature"), blue.get("data-x"), blue.get("data-y")) == ("monastery", "0", "-1")
    assert (red.get("fill"), blue.get("fill")) == (palette.PLAYERS[0][1], palette.PLAYERS[1][1])
    assert "rotate" not in red.get("transform")


def test_a_farmer_lies_and_a_pig_stands():
    def drawn(figure, feature, spot):
        return parse(figures([Placed("U", 3, 2, 0, 0, (Figure(figure, 0, feature, spot),))]))

    assert "rotate(90)" in drawn("meeple", "field", "Nw").get("transform")
    assert "rotate(90)" in drawn("big", "field", "Nw").get("transform")
    assert "rotate" not in drawn("pig", "field", "Nw").get("transform")
    assert "rotate" not in drawn("meeple", "road", "E").get("transform")


def test_a_figure_turns_with_its_tile():
    def place(rotation, spot):
        one = parse(figures([Placed("E", 0, 0, rotation, 0, (Figure("meeple", 1, "city", spot),))]))
        return [float(c) for c in re.search(r"translate\((\S+) (\S+)\)", one.get("transform")).groups()]

    north, east = place(0, "N"), place(90, "E")
    assert north[1] < 30 and abs(north[0] - 50) < 10
    assert east == pytest.approx([100 - north[1], north[0]])


def test_two_figures_on_one_segment_stand_beside_each_other():
    pair = (Figure("meeple", 0, "road", "E"), Figure("builder", 0, "road", "E"))
    root = parse(f"<g>{figures([Placed('U', 0, 0, 0, 0, pair)])}</g>")
    assert [e.get("href") for e in root] == ["#meeple", "#builder"]
    assert len({e.get("transform").split(")")[0] for e in root}) == 2


def test_every_figure_has_a_shape_of_its_own():
    root = parse(svg(small_game()))
    drawn = {
        name: "".join(e.get("d") for e in marked(root, id=name)[0].iter() if e.get("d"))
        for name in ("meeple", "abbot", "builder", "pig")
    }
    assert len(set(drawn.values())) == 4
    big = parse(figures([Placed("U", 0, 0, 0, 0, (Figure("big", 0, "road", "E"),))]))
    meeple = parse(figures([Placed("U", 0, 0, 0, 0, (Figure("meeple", 0, "road", "E"),))]))

    def scale(e):
        return float(re.search(r"scale\((\S+)\)", e.get("transform"))[1])

    assert scale(big) > 1.2 * scale(meeple)


def test_ingots_lie_on_their_tiles_with_a_number_if_several():
    root = parse(svg(small_game()))
    assert {(e.get("data-x"), e.get("data-y"), e.get("data-count")) for e in marked(root, class_="ingots")} == {
        ("0", "-1", "1"),
        ("0", "0", "1"),
    }
    board = [Placed("U", 0, 0, 0, 3, ()), Placed("V", 1, 0, 0, 1, ()), Placed("V", 2, 0, 0, 0, ())]
    several = parse(f"<g>{ingots(board)}</g>")
    assert texts(several) == ["3"]
    assert [e.get("data-count") for e in several] == ["3", "1"]


def test_the_panel_shows_question_tile_in_hand_and_players():
    game = small_game()
    root = parse(svg(game))
    assert texts(marked(root, class_="panel")[0])[:4] == ["Red: place tile", "1", "tiles left", "K"]
    assert marked(root, class_="hand", data_tile="K")
    assert [e.get("data-player") for e in marked(root, class_="player", data_score=0)] == ["0", "1"]
    red = texts(marked(root, class_="player", data_player=0)[0])
    assert red == ["Red", "6", "0", "0"]  # meeples in the supply, ingots, points


def test_without_gold_in_the_box_no_ingots_are_listed():
    root = parse(svg(carc_env.Game("base", deck=["U"])))
    assert not marked(marked(root, class_="panel")[0], href="#ingot")


def test_places_for_the_tile_in_hand_are_hinted():
    game = small_game()
    answers = [re.search(r"@(.*),(.*)/", game.text(action)) for action in game.legal_actions()]
    cells = {(int(answer[1]), int(answer[2])) for answer in answers}
    assert set(asked_cells(game)) == cells
    assert len(marked(parse(svg(game)), class_="hint")) == len(cells) > 1


def test_tiles_an_ingot_may_lie_on_are_framed():
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    for answer in ("V@1,0/0", "meeple road S", "GM2@0,-1/180"):
        game.play(answer)
    assert game.phase == carc_env.Phase.PLACE_INGOT
    root = parse(svg(game))
    strokes = [e.get("stroke") for e in marked(root, class_="mark")]
    assert strokes == [palette.LAST, palette.GOLD, palette.GOLD]
    assert not marked(root, class_="hint")
    assert marked(root, class_="placed", data_tile="GM2")  # no tile is in hand, so the tile just placed is shown


def test_coordinates_stand_at_the_margin():
    root = parse(svg(small_game()))
    game = small_game()
    layout = fit(game, asked_cells(game), None)
    assert texts(marked(root, class_="coordinates")[0]) == [str(c) for c in (*layout.columns, *layout.rows)]
    assert {0, 1} <= set(layout.columns) and {-1, 0} <= set(layout.rows)


def test_the_end_shows_who_won_and_where_points_came_from():
    game = carc_env.Game("base", deck=["V"])
    game.play("V@1,0/0")
    game.play("meeple road S")
    assert game.is_over
    words = texts(marked(parse(svg(game)), class_="panel")[0])
    assert words[:4] == ["Game over: Red wins", "roads", "2", "0"]
    assert not marked(parse(svg(game)), class_="hand")


def test_same_game_same_drawing():
    assert svg(small_game()) == svg(small_game()) == svg(small_game().clone())
    assert svg(small_game()) != svg(small_game("K@1,1/180"))


def test_drawing_changes_nothing_in_the_game():
    game = small_game()
    before = game.to_bytes()
    svg(game)
    assert game.to_bytes() == before


@pytest.mark.parametrize("size", [(1080, 810), (700, 700)])
def test_size_can_be_fixed_and_the_board_then_fits_in(size):
    game = small_game()
    root = parse(svg(game, size=size))
    assert (float(root.get("width")), float(root.get("height"))) == size
    layout = fit(game, asked_cells(game), size)
    assert layout.left + layout.cell * len(layout.columns) <= size[0]
    assert layout.top + layout.cell * len(layout.rows) <= size[1]


def test_five_players_fit_beside_a_small_board():
    game = carc_env.Game(carc_env.GameConfig(players=5), deck=["U"])
    assert panel_height(game) < float(parse(svg(game)).get("height"))
    assert len(marked(parse(svg(game)), class_="player")) == 5


def test_text_is_made_of_strokes_and_unknown_letters_show_as_boxes():
    assert text_path("U") == "M0 0" + GLYPHS["U"][1]
    assert text_path("\N{SNOWMAN}") and text_path(" ") == ""
    assert text_width("UU", 10) > 2 * GLYPHS["U"][0] and text_width("", 10) == 0
