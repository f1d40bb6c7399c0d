"""How long work says how far it is: one line, in a terminal or under a cell of a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any, Optional

AFTER = 1.0  # seconds before anything is said


def _notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


class Progress:
    """The line of one call."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._step: dict[str, Any] = {}
        self._shown = 0
        self._display: Optional[Any] = None
        self._notebook = _notebook()
        stream = sys.stderr
        self._terminal = stream is not None and hasattr(stream, "isatty") and stream.isatty()
        self.wanted = self._terminal or self._notebook

    def step(self, step: dict[str, Any]) -> None:
        """Takes in what the worker says."""
        self._step = step

    def text(self) -> str:
        """What the line says now."""
        out = f"{self._what}: {time.monotonic() - self._begun:.0f} s"
        if self._step.get("iteration"):
            out += f", step {self._step['iteration']:,}"
        if self._step.get("residual"):
            out += f", residual {self._step['residual']}"
        if self._step.get("text"):
            out += ", " + str(self._step["text"])
        return out

    def show(self) -> None:
        """Draws the line, once the work has taken a second."""
        if not self.wanted or time.monotonic() - self._begun < AFTER:
            return
        text = self.text()
        if self._notebook:
            display: Any = importlib.import_module("IPython.display").display  # whose types depend on its version
            if self._display is None:
                self._display = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._display.update({"text/plain": text}, raw=True)
            self._shown = len(text)
            return
        sys.stderr.write("\r" + text.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(text)

    def done(self) -> None:
        """Takes the line away again."""
        if not self._shown:
            return
        if self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)
        else:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
        self._shown = 0
