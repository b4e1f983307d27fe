"""The examples of the documentation and the notebooks run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "python/README.md", "docs/how-to/python.md"]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    """All examples of a page run as one program."""
    pytest.importorskip("pandas")
    text = (ROOT / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert "import gpusched" in code
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_program_of_ones_own_is_an_algorithm(tmp_path):
    """The heuristic of the page runs in the study of the page, with the stated result."""
    text = (ROOT / "docs/how-to/experiments.md").read_text(encoding="utf-8")
    text = text[text.index("### A program of your own"):]
    for name, language in [("mine.py", "python"), ("mine.toml", "toml study")]:
        block = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
        assert block
        (tmp_path / name).write_text(block[1], encoding="utf-8")
    table = re.search(r"```\n(  variant .*?)```", text, re.DOTALL)
    assert table
    command = [str(Path(sys.executable).parent / "gpusched"), "study", "run", "mine.toml", "-o", "mine", "-q"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert table[1] in run.stdout


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebooks_run(notebook):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(cells, timeout=300, resources={"metadata": {"path": str(notebook.parent)}}).execute()


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3
