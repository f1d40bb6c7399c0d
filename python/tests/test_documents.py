"""What is written of the package: docstrings with examples, the pages, the notebook."""

from __future__ import annotations

import inspect
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import mercer

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the documents are not here: pages and notebook are NOT tested")

PUBLIC = [getattr(mercer, n) for n in mercer.__all__ if callable(getattr(mercer, n))]
FITS = [c for c in PUBLIC if isinstance(c, type) and hasattr(c, "fit")]


@pytest.mark.parametrize("thing", FITS, ids=lambda c: c.__name__)
def test_every_estimator_says_its_parameters_and_shows_itself(thing):
    doc = inspect.getdoc(thing)
    section = re.search(r"Parameters\n-+\n(.*?)(\n\n|\Z)", doc, re.S).group(1)
    said = {name.strip() for line in section.splitlines() if not line.startswith(" ") for name in line.split(" : ")[0].split(",")}
    assert said == {n for n in inspect.signature(thing).parameters}, "Parameters are not those of __init__"
    assert "Examples\n--------\n>>> " in doc
    for name in ("fit", "predict", "transform", "decision_function", "predict_proba", "score_samples"):
        if hasattr(thing, name):
            assert inspect.getdoc(getattr(thing, name)), name


@pytest.mark.parametrize("name", ["mmd_test", "hsic_test", "conditional_test", "density", "smooth", "compare", "load"])
def test_every_function_shows_itself(name):
    assert ">>> " in inspect.getdoc(getattr(mercer, name))


def test_the_page_names_every_estimator_and_function():
    page = (DOCS / "python.md").read_text()
    for thing in FITS:
        assert f"`{thing.__name__}`" in page, thing.__name__


def names():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    df = {"age": X[:, 0], "price": X[:, 1], "title": ["a b", "b c", "c d"] * 20}
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
    return {"X": X, "Y": X[:7], "y": y, "before": X, "after": X + 1, "df": df, "new": df, "t": X[:, 0] ** 2}


def test_the_lines_of_the_page_run(tmp_path, monkeypatch):
    """Each block of docs/python.md, in its order, with what it names."""
    monkeypatch.chdir(tmp_path)
    space = names()
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "python.md").read_text(), re.S)
    assert len(blocks) >= 5
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), space)


def test_the_notebook_runs(tmp_path, monkeypatch):
    """Its cells in their order, and what it prints is what stands in it."""
    monkeypatch.chdir(tmp_path)
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: the notebook is NOT run")
    matplotlib.use("agg")
    pytest.importorskip("pandas")
    book = json.loads((DOCS / "python.ipynb").read_text())
    space: dict = {}
    import contextlib
    import io

    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile("".join(cell["source"]), "docs/python.ipynb", "exec"), space)
        stands = "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")
        assert said.getvalue() == stands


def test_jupyter_runs_the_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed: the notebook is NOT run by Jupyter")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    book = nbformat.read(DOCS / "python.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o.data for c in book.cells if c.cell_type == "code" for o in c.outputs if o.output_type in ("display_data", "execute_result")]
    assert any("image/png" in d for d in shown) and any("text/html" in d and "iframe" in d["text/html"] for d in shown)


def test_the_reference_is_what_docstrings_say():
    import importlib.util

    spec = importlib.util.spec_from_file_location("reference", ROOT / "python" / "tools" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = DOCS / "python-reference.md"
    text = module.written()
    if os.environ.get("MERCER_UPDATE"):
        page.write_text(text)
    assert page.read_text() == text, "run MERCER_UPDATE=1 pytest python/tests/test_documents.py"
