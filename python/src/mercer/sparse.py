"""Logistic regression and machines that keep few rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._supervised import OneVsRestScores, ProbaClassifier, Supervised, TableRegressor, coefficients
from ._wire import Array


class KernelLogistic(ProbaClassifier, OneVsRestScores):
    """Logistic regression in feature space: probabilities by maximum likelihood.

    Parameters
    ----------
    C : float, default=1.0
        Price of a row, beside ½‖f‖².
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
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
    >>> from mercer import KernelLogistic
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> m = KernelLogistic(kernel='linear').fit(X, y)
    >>> m.predict_proba([[0, 0]]).round(2).tolist()
    [[0.5, 0.5]]
    """

    _learner = "logistic"

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; give a positive number")
        return {"lambda": 1.0 / float(self.C), "intercept": "yes" if self.fit_intercept else "no"}


class _Relevance(Supervised):
    """Relevance vectors, as attributes."""

    _learner = "rvm"
    fit_intercept: bool

    def _learner_params(self) -> dict[str, Any]:
        return {"intercept": "yes" if self.fit_intercept else "no"}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        places = out.get("support", np.empty(0, np.int64))
        self.relevance_ = self._rows_of(places)
        self.dual_coef_ = np.ascontiguousarray(coefficients(out)[: len(places)].T)


class RVC(_Relevance, ProbaClassifier):
    """Relevance vector classifier: very few rows, chosen by evidence.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
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
    relevance_ : ndarray of shape (n_relevance,)
        Rows that were kept.
    dual_coef_ : ndarray of shape (n_functions, n_relevance)

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RVC
    >>> X = np.linspace(-2, 2, 40)[:, None]
    >>> m = RVC(gamma=1.0).fit(X, X[:, 0] > 0)
    >>> len(m.relevance_) < 10, m.predict([[-1.0], [1.0]]).tolist()
    (True, [False, True])
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0



class RVR(_Relevance, TableRegressor):
    """Relevance vector regression: very few rows, chosen by evidence, with standard deviations.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
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
    relevance_ : ndarray of shape (n_relevance,)
        Rows that were kept.
    dual_coef_ : ndarray of shape (1, n_relevance)

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> m = RVR(gamma=0.5).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(m.predict([[2.0]])[0] - np.sin(2.0)) < 0.05)
    True
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The value of each row, and with ``return_std`` the standard deviation of the function there.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.
        return_std : bool, default=False
            Whether deviations are wanted, too.

        Returns
        -------
        ndarray, or a pair of them
        """
        if not return_std:
            return super().predict(X)
        out = self._each(X, ["std"], "values", "std")
        return out["values"], out["std"]


__all__ = ["RVC", "RVR", "KernelLogistic"]
