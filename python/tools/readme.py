"""Runs the Python lines of the README files, with nothing installed but the wheel and numpy."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent.parent
rng = np.random.default_rng(0)

count = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for page in (HERE / "README.md", HERE.parent / "README.md"):
        if not page.exists():
            continue
        X = rng.normal(size=(60, 3))
        y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
        names = {"X": X, "y": y, "before": X, "after": X + 1, "df": {"a": X[:, 0], "b": X[:, 1], "price": X[:, 0] * 2}}
        for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
            if "sklearn" in block:
                print(f"{page.name}: a block needs scikit-learn and is left to the tests", file=sys.stderr)
                continue
            exec(compile(block, str(page), "exec"), names)
            count += 1
if count == 0:
    sys.exit("there were no lines to run")
print(f"{count} blocks of README ran")
