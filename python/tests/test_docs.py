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


def test_a_heuristic_of_ones_own_runs(tmp_path):
    """The heuristic of the page runs in the study of the page, here with few task sets. GPUSCHED_TESTS=full runs all of them, and
    compares the results with the page."""
    pytest.importorskip("pandas")
    text = (ROOT / "docs/how-to/own-algorithm.md").read_text(encoding="utf-8")
    study, code = (re.search(rf"```{language}\n(.*?)```", text, re.DOTALL) for language in ("toml study", "python"))
    assert study and code
    lines = [line for line in code[1].splitlines() if line.strip() and '"""' not in line]
    assert len(lines) <= 25
    full = os.environ.get("GPUSCHED_TESTS") == "full"
    (tmp_path / "mine.toml").write_text(study[1] if full else study[1].replace("sets = 200", "sets = 6"), encoding="utf-8")
    (tmp_path / "mine.py").write_text(code[1], encoding="utf-8")
    run = subprocess.run([sys.executable, "mine.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "results/mine.svg").is_file()
    pairs = (tmp_path / "results/mine.paired.csv").read_text(encoding="utf-8").splitlines()
    assert len(pairs) == 7
    if full:
        assert all(line.rstrip() in text for line in run.stdout.splitlines())
        assert pairs[3] in text and pairs[5] in text


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
