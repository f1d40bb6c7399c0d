"""Discriminants."""

from __future__ import annotations

from typing import Any

from ._supervised import OneVsRestScores


class KernelFisher(OneVsRestScores):
    """Fisher's discriminant in feature space.

    Parameters
    ----------
    mu : float, default=1e-3
        Regulariser, as a share of the variance of the features.
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
    >>> from mercer import KernelFisher
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> KernelFisher().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "fisher"

    def __init__(
        self,
        *,
        mu: float = 1e-3,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.mu = mu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        if not self.mu > 0:
            raise ValueError(f"mu is {self.mu}; give a positive number")
        return {"mu": float(self.mu)}


__all__ = ["KernelFisher"]
