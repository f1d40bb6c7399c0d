"""Perceptrons."""

from __future__ import annotations

from typing import Any, Optional

from ._supervised import LinearWeights, OneVsRestScores


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


class Perceptron(LinearWeights, OneVsRestScores):
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
    penalty : None, default=None
        The only one there is.
    class_weight : dict or 'balanced', optional
        Multiplies the steps of a class.
    verbose, n_jobs, random_state
        Taken, and without effect: the order of the rows has a seed of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        With ``voted`` the votes of all weights on the way, added up.
    intercept_ : ndarray of shape (1,) or (n_classes,)

    Examples
    --------
    >>> from mercer import Perceptron
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> Perceptron().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "linear-perceptron"
    _alone = {"penalty": None}

    def __init__(
        self,
        *,
        max_iter: int = 10,
        fit_intercept: bool = True,
        shuffle: bool = True,
        voted: bool = True,
        penalty: None = None,
        class_weight: Any = None,
        verbose: int = 0,
        n_jobs: Optional[int] = None,
        random_state: Any = 0,
    ) -> None:
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.voted = voted
        self.penalty = penalty
        self.class_weight = class_weight
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learner_params(self) -> dict[str, Any]:
        return {
            "passes": float(self.max_iter), "intercept": "yes" if self.fit_intercept else "no",
            "order": "shuffled" if self.shuffle else "given", "rule": "voted" if self.voted else "plain",
        }  # fmt: skip


__all__ = ["KernelPerceptron", "Perceptron"]
