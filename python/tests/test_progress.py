"""What takes long says how far it is: in a terminal, and under a cell of a notebook."""

from __future__ import annotations

import os
import subprocess
import sys
import types

import numpy as np
import pytest

from mercer import _progress

LONG = """if True:
    import mercer, mercer._progress, mercer._worker, numpy as np
    mercer._progress.AFTER = mercer._worker.AFTER = 0.0
    rng = np.random.default_rng(0)
    mercer.SVC(C=1e4, tol=1e-6).fit(rng.normal(size=(1500, 10)), rng.integers(0, 2, 1500))
    print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_line_in_a_terminal_that_goes_away():
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=theirs) as python:
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            said += more
        assert python.stdout.read() == b"done\n"
    os.close(ours)
    text = said.decode()
    assert "\rfitting SVC: " in text and "step" in text and "residual" in text
    assert text.endswith("\r")  # the line is taken away again


def test_nothing_is_said_where_nobody_looks():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True)
    assert done.stdout == "done\n" and done.stderr == ""


class Display:
    """What IPython hands back for a display with a name."""

    def __init__(self, first):
        self.said = [first]

    def update(self, content, raw):
        self.said.append(content["text/plain"])


def test_a_line_under_a_cell(monkeypatch):
    shown = []

    def display(content, raw, display_id):
        shown.append(Display(content["text/plain"]))
        return shown[0]

    class ZMQInteractiveShell:
        pass

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    module = types.ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(_progress, "AFTER", 0.0)
    p = _progress.Progress("fitting SVC")
    assert p.wanted
    p.show()
    p.step({"iteration": 1200, "residual": "0.01"})
    p.show()
    p.done()
    assert shown[0].said[0].startswith("fitting SVC: ") and "step 1,200, residual 0.01" in shown[0].said[1] and shown[0].said[-1] == ""


def test_a_kernel_of_jupyter_shows_it():
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed: progress in Jupyter is NOT tested with a kernel")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG)])
    seen = []
    client = nbclient.NotebookClient(book, timeout=300, kernel_name="python3", on_notebook_start=None)
    original = client.process_message

    def listen(message, cell, index):
        if message["msg_type"] in ("display_data", "update_display_data"):
            seen.append(message["content"]["data"].get("text/plain", ""))
        return original(message, cell, index)

    client.process_message = listen
    client.execute()
    assert any(text.startswith("fitting SVC: ") for text in seen) and seen[-1] == ""
    assert np.any([o.get("text") == "done\n" for o in book.cells[0].outputs])
