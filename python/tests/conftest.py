"""Tests look at the installed package, with the worker that it starts itself."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Draws that are the same every time."""
    return np.random.default_rng(0)
