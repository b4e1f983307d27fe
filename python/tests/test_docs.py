"""The examples of the documentation and the notebooks run."""

import os
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


def cleaned(cells):
    """Removes the parts of a notebook that depend on the machine: names of temporary files, and the version of Python."""
    cells["metadata"]["language_info"] = {"name": "python"}
    for output in (output for cell in cells["cells"] for output in cell.get("outputs", [])):
        if "text" in output:
            output["text"] = re.sub(r"\S*ipykernel_\S*\.py:", "line ", output["text"])
    return cells


def shown(cells):
    """Returns the text that each cell prints to each stream, and the figures and texts of its results."""
    pages = []
    for cell in cells["cells"]:
        page = {}
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            kind = output.get("name") or output["output_type"]
            page[kind] = page.get(kind, "") + (data.get("image/svg+xml") or data.get("text/plain") or output.get("text", ""))
        pages.append(page)
    return pages


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebooks_show_their_outputs(notebook):
    """A notebook runs, with the stored outputs. With GPUSCHED_UPDATE=1, the test stores them."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = nbformat.read(notebook, as_version=4)
    stored = shown(cells)
    options = {"resources": {"metadata": {"path": str(notebook.parent)}}, "record_timing": False}
    nbclient.NotebookClient(cells, timeout=300, **options).execute()
    cleaned(cells)
    if os.environ.get("GPUSCHED_UPDATE"):
        nbformat.write(cells, notebook)
        return
    assert any(stored)
    assert shown(cells) == stored


def test_the_page_names_each_notebook():
    page = (ROOT / "docs/how-to/python.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 4
    assert all(f"(../notebooks/{notebook.name})" in page for notebook in NOTEBOOKS)
