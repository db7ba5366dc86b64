"""The notebooks of the quickstart and of the tutorials. The cells of docs/quickstart.md run here, those of
docs/tutorial.md run in test_tutorial.py. The code of the other tutorials runs in test_pages.py.
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
    assert any("```sh .noeval\n" in text for text in texts)
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
    assert "points of the agent:" in out and "4 players, " in out and "hasty wins " in out and "ppo (" in out
    assert (tmp_path / "table.svg").stat().st_size > 1000


def test_a_page_becomes_one_program():
    whole, short = notebooks.program("tutorial"), notebooks.program("tutorial", short=True)
    for text in (notebooks.program("quickstart"), whole, short):
        compile(text, "program.py", "exec")
    assert "write_text" in whole and "subprocess.run('python learn.py', shell=True, check=True)" in whole
    assert "python learn.py" not in short and short.count("--pairs 1'") == whole.count("carc match") == 3


def test_the_short_programs_belong_to_files_of_the_tutorial():
    assert notebooks.SHORT.keys() < {file for magic, file, _ in notebooks.parts("tutorial") if magic == "writefile"}
