"""Perceptrons."""

from __future__ import annotations

from typing import Any

from ._supervised import OneVsRestScores


class KernelPerceptron(OneVsRestScores):
    """Perceptron in feature space: one step for every mistake.

    Parameters
    ----------
    max_iter : int, default=10
        Times through the rows.
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
    shuffle : bool, default=True
        Whether rows come in another order each time.
    voted : bool, default=True
        Whether all functions on the way vote, or the last one decides.
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
    >>> from mercer import KernelPerceptron
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> KernelPerceptron().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "perceptron"

    def __init__(
        self,
        *,
        max_iter: int = 10,
        fit_intercept: bool = True,
        shuffle: bool = True,
        voted: bool = True,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.voted = voted
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        return {
            "passes": float(self.max_iter), "intercept": "yes" if self.fit_intercept else "no",
            "order": "shuffled" if self.shuffle else "given", "rule": "voted" if self.voted else "plain",
        }  # fmt: skip


class Perceptron(OneVsRestScores):
    """Perceptron that keeps weights of columns.

    Parameters
    ----------
    max_iter : int, default=10
        Times through the rows.
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
    shuffle : bool, default=True
        Whether rows come in another order each time.
    voted : bool, default=True
        Whether all functions on the way vote, or the last one decides.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from mercer import Perceptron
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> Perceptron().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "linear-perceptron"
    kernel = "linear"

    def __init__(
        self,
        *,
        max_iter: int = 10,
        fit_intercept: bool = True,
        shuffle: bool = True,
        voted: bool = True,
    ) -> None:
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.voted = voted

    def _learner_params(self) -> dict[str, Any]:
        return {
            "passes": float(self.max_iter), "intercept": "yes" if self.fit_intercept else "no",
            "order": "shuffled" if self.shuffle else "given", "rule": "voted" if self.voted else "plain",
        }  # fmt: skip


__all__ = ["KernelPerceptron", "Perceptron"]
