"""Fits without targets, and smoothers: what is in mercer no learner of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _validation as check
from ._estimator import Estimator, KernelEstimator
from ._wire import Array


def seed_of(random_state: Any) -> int:
    """A seed from scikit-learn's ``random_state``: None is 0, so that the same call is the same result."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(random_state.randint(2**31 - 1))


class Shape(Estimator):
    """A fit of one kind."""

    _sparse_rows = False
    _kind: str

    def _shape(self, X: Any, args: dict[str, Any], arrays: dict[str, Array]) -> tuple[dict[str, Any], dict[str, Array]]:
        return self._begin(X, {"kind": self._kind, **args}, {**check.points("x", X), **arrays}, "shape")

    def _columns(self, X: Any, **args: Any) -> Array:
        """What the fitted thing makes of rows, a column for each number."""
        return self._use(X, [], "transform", **args)["columns"]


class KernelShape(KernelEstimator, Shape):
    """A fit with a kernel that the file can name, or with a matrix of kernel values where that will do."""

    _matrix_will_do = False

    def _by_matrix(self) -> bool:
        return self._pairwise_input() or self._computed_here() or self._of_objects()

    def _kernel_args(self, X: Any) -> dict[str, Any]:
        if not self._by_matrix():
            return super()._kernel_args(X)
        if not self._matrix_will_do:
            raise ValueError(
                f"{type(self).__name__} keeps its kernel in the model file; give a name, a kernel of mercer.kernels on numbers or a text, "
                "not 'precomputed' or a callable"
            )
        return {"kernel": ""}

    def _shape(self, X: Any, args: dict[str, Any], arrays: dict[str, Array]) -> tuple[dict[str, Any], dict[str, Array]]:
        return self._begin(X, {"kind": self._kind, **args}, {**self._fit_rows(X), **arrays}, "shape")

    def _fit_rows(self, X: Any) -> dict[str, Array]:
        if not self._of_objects():
            return super()._fit_rows(X)
        self._seen = X  # texts, graphs, ...: their matrix is made by the kernel itself
        return {"x.gram": self.kernel(X.raw)}

    def _new_rows(self, X: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        self._fitted()
        if not self._of_objects():
            return super()._new_rows(X)
        return {}, {"x.gram": self.kernel(check.rows(self, X, reset=False).raw, self._seen.raw)}
