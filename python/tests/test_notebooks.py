"""The notebooks run, and their pages have their code: `cargo xtask notebooks` writes the pages."""

import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.py"))


def code_cells(notebook):
    """The code of a notebook, cell by cell."""
    cells = re.split(r"^# %%(.*)\n", notebook.read_text(), flags=re.M)[1:]
    return [code.strip() for title, code in zip(cells[::2], cells[1::2]) if "[markdown]" not in title]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook, monkeypatch, capsys):
    if "import jax" in notebook.read_text():
        pytest.importorskip("jax")
    # What draws is not needed to compute.
    drawing = types.ModuleType("IPython.display")
    drawing.Image = bytes
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", drawing)
    names = {}
    for code in code_cells(notebook):
        exec(compile(code, notebook.name, "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_pages_are_those_of_the_notebooks(notebook):
    page = (ROOT / "docs/notebooks" / f"{notebook.stem}.md").read_text()
    cells = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert [written(code) for code in cells] == [written(code) for code in code_cells(notebook)]


def written(code):
    """The lines that are not empty."""
    return [line for line in code.splitlines() if line.strip()]
