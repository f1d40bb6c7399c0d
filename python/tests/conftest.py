"""Tests look at the installed package, with the worker that it starts itself."""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn leaves a check out without it

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Draws that are the same every time."""
    return np.random.default_rng(0)
