"""The notebooks of docs/quickstart.md and docs/tutorial.md. The cells of the first are run here, those of the second in
test_tutorial.py.
"""

import pytest

from carc_env.compiling import jit
from tests.test_pages import run

jupytext = pytest.importorskip("jupytext", reason="the extra `docs` is not installed")

from tests import notebooks


def test_all_notebooks_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path / "notebooks")
    notebooks.main()
    for page in notebooks.PAGES:
        written = jupytext.read(tmp_path / "notebooks" / f"{page}.ipynb")
        assert [cell.source for cell in written.cells if cell.cell_type == "code"] == notebooks.cells(page)
        assert written.metadata["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("page", notebooks.PAGES)
def test_what_needs_a_terminal_stays_text_and_links_lead_to_the_pages(page):
    texts = [cell.source for cell in notebooks.notebook(page).cells if cell.cell_type == "markdown"]
    assert sum("```sh .noeval\n" in text for text in texts) == 2
    assert any("](../../docs/" in text for text in texts) and not any("](training.md" in text for text in texts)


@pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
def test_the_cells_of_the_quickstart_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    for cell in notebooks.cells("quickstart"):
        if cell.startswith("%%sh\n"):
            for line in cell.splitlines()[1:]:
                run(line)
        else:
            exec(compile(cell, "quickstart.ipynb", "exec"), names)
    out = capsys.readouterr().out
    assert "points of both players:" in out and "4 players, " in out and "hasty wins " in out and "ppo (" in out
    assert (tmp_path / "table.svg").stat().st_size > 1000
