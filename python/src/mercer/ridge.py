"""Ridge regression in feature space."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _validation as check
from ._supervised import TableRegressor
from ._wire import Array


class KernelRidge(TableRegressor):
    """Ridge regression in feature space: minimise Σ wᵢ(yᵢ - f(xᵢ))² + alpha·‖f‖².

    Parameters
    ----------
    alpha : object, default=1
        Weight of the penalty; of several targets a list has one for each.
    kernel : str, Kernel or callable, default='linear'
        As in :class:`SVC`; a callable may also make a number of two rows.
    gamma : {'scale', 'auto'} or float, default=None
        Of 'rbf', 'poly' and 'sigmoid'.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        Further parameters of a callable.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Weight of each row.
    X_fit_ : array or CSR matrix of shape (n_samples, n_features)
        The rows fitted to.

    Examples
    --------
    >>> from mercer import KernelRidge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> KernelRidge(alpha=1e-6).fit(X, y).predict([[1.5]]).round(2).tolist()
    [1.5]
    """

    _learner = "ridge"
    _several = True
    _of_pairs = True

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Optional[dict[str, Any]] = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    def _learner_params(self) -> dict[str, Any]:
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=float))
        a = alpha[self._target if len(alpha) > 1 else 0]
        if not a > 0:
            raise ValueError(f"alpha is {self.alpha}; give a positive number")
        return {"lambda": float(a), "intercept": "no"}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.X_fit_ = X.raw if isinstance(X, check.Objects) else X
        rows = self._rows_of(out["support"]) if "support" in out else self._rows_of(np.arange(X.shape[0]))
        self._dual = None
        if len(out["coef"]) == len(rows):
            self._dual = np.zeros(self._n_rows)
            self._dual[rows] = out["coef"][:, 0]

    def _learn(self, X: Any, targets: Array, w: Optional[Array], task: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
        learnt = super()._learn(X, targets, w, task)
        if self._dual is None:  # the model has weights of features: at the optimum a coefficient is what is left, over alpha
            args, arrays = self._new_rows(X)
            said = self._model.call("predict", {"want": [], **args}, arrays, "KernelRidge.fit")[1]["values"]
            self._dual = (targets[0] - said) * (1.0 if w is None else w) / self._learner_params()["lambda"]
        return learnt

    def _found(self) -> dict[str, Any]:
        return {"_model": self._model, "dual": self._dual}

    def _gather(self, found: list[dict[str, Any]]) -> None:
        del self._dual
        self.dual_coef_ = found[0]["dual"] if self._flat else np.column_stack([f["dual"] for f in found])


__all__ = ["KernelRidge"]
