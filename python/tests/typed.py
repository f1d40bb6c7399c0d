"""What mypy --strict must accept of people who use the package: names that it exports, with their types."""

from __future__ import annotations

import numpy as np

import mercer
from mercer import SVC, Auto, Comparison, Gaussian, Kernel, Linear, TestResult, compare, mmd_test
from mercer.kernels import Matern, parse


def used() -> None:
    """Never called: looked at alone."""
    X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
    kernel: Kernel = Gaussian(2.0) + 0.5 * Linear()
    kernel = Matern(nu=1.5) @ ["a", "b"] + parse("linear()")
    first = SVC(kernel=kernel, C=10).fit(X, y)
    result: TestResult = mmd_test(X, X + 1)
    compared: Comparison = compare(first, SVC().fit(X, y), X, y)
    p: float = result.p + compared["accuracy"].p
    print(p, first.predict(X), Auto(time=1).fit({"x": [1.0, 2.0]}, [0, 1]).predict(X), mercer.__version__)
