"""Learners for many rows, on few centres."""

from __future__ import annotations

from typing import Any

from ._supervised import OneVsRestScores, TableRegressor


class Falkon(TableRegressor):
    """Ridge regression on few centres, for many rows: time grows as their number.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty ‖f‖².
    n_centers : int, default=0
        Rows that the function is made of; 0 means 2√n, at least 50.
    kernel : str, Kernel or callable, default='rbf'
        As in :class:`SVC`.
    gamma : {'scale', 'auto'} or float, default='scale'
        Of 'rbf', 'poly' and 'sigmoid'.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Falkon
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> m = Falkon(n_centers=20, alpha=1e-4).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(m.predict([[2.0]])[0] - np.sin(2.0)) < 0.01)
    True
    """

    _learner = "nystrom"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        n_centers: int = 0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.n_centers = n_centers
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        if not self.alpha > 0:
            raise ValueError(f"alpha is {self.alpha}; give a positive number")
        return {"lambda": float(self.alpha), "centres": float(self.n_centers)}


class FalkonClassifier(OneVsRestScores):
    """Ridge classification on few centres, for many rows: one class against the rest.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty ‖f‖².
    n_centers : int, default=0
        Rows that the function is made of; 0 means 2√n, at least 50.
    class_weight : object, default=None
        Weights of classes, or 'balanced'.
    kernel : str, Kernel or callable, default='rbf'
        As in :class:`SVC`.
    gamma : {'scale', 'auto'} or float, default='scale'
        Of 'rbf', 'poly' and 'sigmoid'.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from mercer import FalkonClassifier
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> FalkonClassifier().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "nystrom"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        n_centers: int = 0,
        class_weight: Any = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.n_centers = n_centers
        self.class_weight = class_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        if not self.alpha > 0:
            raise ValueError(f"alpha is {self.alpha}; give a positive number")
        return {"lambda": float(self.alpha), "centres": float(self.n_centers)}


__all__ = ["Falkon", "FalkonClassifier"]
