"""Support vector machines."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _validation as check
from ._sklearn import OutlierMixin, available_if
from ._supervised import LinearWeights, OneVsRestScores, Supervised, TableClassifier, TableRegressor, coefficients, entries
from ._wire import Array


class _Machine(Supervised):
    """Attributes of a machine: support vectors and their coefficients."""

    _learner = "svm"
    max_iter: int

    def _check(self) -> None:
        if self.max_iter < -1 or self.max_iter == 0:
            raise ValueError(f"max_iter is {self.max_iter}; give a positive number, or -1 for no bound")
        if not self.tol > 0:  # type: ignore[attr-defined]
            raise ValueError(f"tol is {self.tol}; give a positive number")  # type: ignore[attr-defined]

    def _learner_args(self) -> dict[str, Any]:
        return {"max_iterations": max(int(self.max_iter), 0)}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        if "steps" in out:
            self.n_iter_ = out["steps"].astype(np.int32)
        self.shape_fit_ = X.shape
        self.fit_status_ = 0 if result["report"]["converged"] else 1
        places = out.get("support", np.empty(0, np.int64))  # none where a constant is the solution
        order = self._support_order(places)
        places = places[order]
        self.support_ = self._rows_of(places).astype(np.int32)
        self.dual_coef_ = self._dual(out, order, places)
        self.intercept_ = np.array(out["bias"])
        if not (self._pairwise_input() or self._computed_here()):
            kept = X[places]
            self.support_vectors_ = kept.raw if isinstance(kept, check.Objects) else kept
            if check.is_sparse(X):
                self.dual_coef_ = type(X)(self.dual_coef_)
        else:
            self.support_vectors_ = np.empty((0, 0))
        self._linear = result["kernel"] == "linear()"

    def _support_order(self, places: Array) -> Array:
        return np.argsort(places, kind="stable")

    def _dual(self, out: dict[str, Array], order: Array, places: Array) -> Array:
        return np.ascontiguousarray(coefficients(out)[order].T)

    @property
    def coef_(self) -> Array:
        """Weights of the columns, of a linear kernel: those of each machine in a row."""
        self._fitted()
        if not self._linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._weights()

    def _weights(self) -> Array:
        return self.dual_coef_ @ self.support_vectors_  # type: ignore[no-any-return]


class _Classifier(_Machine, TableClassifier):
    probability: bool
    decision_function_shape: str
    break_ties: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self._check()
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(f"decision_function_shape is {self.decision_function_shape!r}; give 'ovr' or 'ovo'")
        return super().fit(X, y, sample_weight)

    fit.__doc__ = TableClassifier.fit.__doc__

    def _learner_args(self) -> dict[str, Any]:
        return {**super()._learner_args(), "proba": bool(self.probability)}

    def _support_order(self, places: Array) -> Array:
        # as scikit-learn has them: the support vectors of a class stand together
        return np.lexsort((places, self._codes[self._rows_of(places)]))

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        # The probability of the first class of a pair is 1/(1 + exp(A·f + B)), where f is positive for it; of two classes alone
        # mercer's f is positive for the second.
        found = out.get("sigmoids", np.empty((0, 2)))
        self.probA_, self.probB_ = found[:, 0].copy(), found[:, 1] * (-1.0 if len(self.classes_) == 2 else 1.0)

    def _dual(self, out: dict[str, Array], order: Array, places: Array) -> Array:
        k = len(self.classes_)
        code = self._codes[self._rows_of(places)]
        self.n_support_ = np.bincount(code, minlength=k).astype(np.int32)
        if k == 2:
            return super()._dual(out, order, places)
        # Row o of a support vector is its coefficient against the o-th of the other classes; the columns of the pairs
        # are (0, 1), (0, 2), …, (1, 2), ….
        row, column, value = entries(out)
        at = np.empty(len(order), np.int64)
        at[order] = np.arange(len(order))
        place = at[row]
        first, second = (pair[column] for pair in np.triu_indices(k, 1))
        own = code[place]
        dual = np.zeros((k - 1, len(places)))
        dual[np.where(own == first, second - 1, first), place] = value
        return dual

    def _weights(self) -> Array:
        k = len(self.classes_)
        if k == 2:
            return super()._weights()
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        rows = []
        for i in range(k):
            for j in range(i + 1, k):
                a, b = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
                rows.append(self.dual_coef_[j - 1, a] @ self.support_vectors_[a] + self.dual_coef_[i, b] @ self.support_vectors_[b])
        return np.vstack([r.toarray() if check.is_sparse(r) else r for r in rows])

    def decision_function(self, X: Any) -> Array:
        """The decision values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Of two classes positive for the second; of more a score for each class with
            ``decision_function_shape='ovr'``, and with ``'ovo'`` that of each pair, positive for its first.
        """
        scores = self._scores(X)
        k = len(self.classes_)
        if k == 2:
            return scores.ravel()
        return scores if self.decision_function_shape == "ovo" else _votes(scores, k)

    @available_if(lambda self: bool(self.probability))
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, where ``probability=True``.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._proba(X)

    @available_if(lambda self: bool(self.probability))
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self._proba(X))


def _votes(scores: Array, k: int) -> Array:
    """A score for each class from those of pairs: votes, and less than half a vote by the sum of decision values."""
    votes, sums = np.zeros((len(scores), k)), np.zeros((len(scores), k))
    column = 0
    for i in range(k):
        for j in range(i + 1, k):
            s = scores[:, column]
            sums[:, i] += s
            sums[:, j] -= s
            votes[:, i] += s >= 0
            votes[:, j] += s < 0
            column += 1
    return votes + sums / (3 * (np.abs(sums) + 1))  # type: ignore[no-any-return]


class SVC(_Classifier):
    """Support vector classifier with a price ``C`` for a margin error.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin error.
    kernel : str, Kernel or callable, default='rbf'
        'linear', 'poly', 'rbf', 'sigmoid', 'precomputed', a kernel of :mod:`mercer.kernels`, a text in mercer's
        language such as ``'matern(nu=1.5) + linear()'``, or a callable that makes the matrix of two sets of rows.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float, default='scale'
        Of 'rbf', 'poly' and 'sigmoid'.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    shrinking : bool, default=True
        Taken, and without effect: the optimum is the same.
    probability : bool, default=False
        Whether ``predict_proba`` is to be there, by Platt's sigmoids.
    tol : float, default=1e-3
        KKT violation to reach.
    cache_size : float, default=200
        Taken, and without effect: memory is a quarter of the machine's at most.
    class_weight : dict or 'balanced', optional
        Multiplies C for a class.
    verbose : bool, default=False
        Taken, and without effect: what takes a second says how far it is.
    max_iter : int, default=-1
        Bound on the steps of the solver; -1 means none.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Of more than two classes.
    break_ties : bool, default=False
        Taken, and without effect: ties of votes are always broken by decision values.
    random_state : int, optional
        Taken, and without effect: the folds of ``probability`` have a seed of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_SV,)
        Rows that are support vectors, by class.
    support_vectors_ : ndarray of shape (n_SV, n_features)
    n_support_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
    intercept_ : ndarray of shape (n_machines,)
    coef_ : ndarray of shape (n_machines, n_features)
        Of a linear kernel.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of the solver.
    probA_, probB_ : ndarray of shape (n_machines,)
        Of Platt's sigmoids; empty without ``probability=True``.
    n_features_in_, feature_names_in_, shape_fit_, fit_status_, class_weight_

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> X = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]])
    >>> y = np.array([1, 1, 2, 2])
    >>> clf = SVC(gamma='auto').fit(X, y)
    >>> clf.predict([[-0.8, -1]]).tolist()
    [1]
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Optional[int] = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _learner_params(self) -> dict[str, Any]:
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; give a positive number")
        return {"C": float(self.C)}


class NuSVC(_Classifier):
    """Support vector classifier with a share ``nu`` of margin errors in place of a price.

    Parameters
    ----------
    nu : float, default=0.5
        The largest share of margin errors and the least of support vectors, in (0, 1].
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, max_iter
        As in :class:`SVC`.
    decision_function_shape, break_ties, random_state
        As in :class:`SVC`.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, probA_, probB_
        As in :class:`SVC`.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> NuSVC().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Optional[int] = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _learner_params(self) -> dict[str, Any]:
        if not 0 < self.nu <= 1:
            raise ValueError(f"nu is {self.nu}; give a number in (0, 1]")
        return {"nu": float(self.nu)}


class _Regressor(_Machine, TableRegressor):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self._check()
        return super().fit(X, y, sample_weight)

    fit.__doc__ = TableRegressor.fit.__doc__

    @property
    def n_support_(self) -> Array:
        """The number of support vectors."""
        return np.array([len(self.support_)], dtype=np.int32)


class SVR(_Regressor):
    """Support vector regression: errors within ``epsilon`` are free.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter
        As in :class:`SVC`.
    C : float, default=1.0
        Price of an error beyond epsilon.
    epsilon : float, default=0.1
        Half width of the tube in which errors are free.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in :class:`SVC`.

    Examples
    --------
    >>> from mercer import SVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> SVR(kernel='linear', C=10, epsilon=0.01).fit(X, y).predict([[1.5]]).round(2).tolist()
    [1.5]
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _learner_params(self) -> dict[str, Any]:
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; give a positive number")
        return {"C": float(self.C), "epsilon": float(self.epsilon)}


class NuSVR(_Regressor):
    """Support vector regression that finds the width of its tube from a share ``nu`` of rows outside.

    Parameters
    ----------
    nu : float, default=0.5
        The largest share of rows outside of the tube, in (0, 1].
    C : float, default=1.0
        Price of an error beyond the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter
        As in :class:`SVC`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in :class:`SVC`.

    Examples
    --------
    >>> from mercer import NuSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> NuSVR(kernel='linear', C=10).fit(X, y).predict([[1.5]]).round(2).tolist()
    [1.5]
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _learner_params(self) -> dict[str, Any]:
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; give a positive number")
        if not 0 < self.nu <= 1:
            raise ValueError(f"nu is {self.nu}; give a number in (0, 1]")
        return {"C": float(self.C), "nu": float(self.nu)}


class OneClassSVM(OutlierMixin, _Machine):
    """Where the data live: all but a share ``nu`` of the rows lie inside.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter
        As in :class:`SVC`.
    nu : float, default=0.5
        The largest share of rows outside and the least of support vectors, in (0, 1].

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_, coef_
        As in :class:`SVC`.
    offset_ : ndarray of shape (1,)
        What is taken from ``score_samples`` for ``decision_function``.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> m = OneClassSVM(gamma='auto').fit([[0], [0.44], [0.45], [0.46], [1]])
    >>> m.predict([[0.45], [5]]).tolist()
    [1, -1]
    """

    _learner = "one-class"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Finds where rows live.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.
        y : None
            Not looked at.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs.

        Returns
        -------
        self
        """
        self._check()
        if not 0 < self.nu <= 1:
            raise ValueError(f"nu is {self.nu}; give a number in (0, 1]")
        X = check.rows(self, X, reset=True)
        self._learn(X, np.empty((0, X.shape[0])), check.weights(sample_weight, X), {"task": ""})
        self.offset_ = -self.intercept_
        return self

    @property
    def n_support_(self) -> Array:
        """The number of support vectors."""
        return np.array([len(self.support_)], dtype=np.int32)

    def _learner_params(self) -> dict[str, Any]:
        return {"nu": float(self.nu)}

    def decision_function(self, X: Any) -> Array:
        """Positive inside, negative outside.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._use(X, ["scores"])["scores"].ravel()

    def score_samples(self, X: Any) -> Array:
        """``decision_function`` before the offset is taken from it."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> Array:
        """+1 inside, -1 outside.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)


class LinearSVC(LinearWeights, OneVsRestScores):
    """Linear support vector classifier that keeps weights of columns: many rows, many mostly empty columns.

    Parameters
    ----------
    penalty : {'l2'}, default='l2'
        The only one there is.
    loss : {'squared_hinge', 'hinge'}, default='squared_hinge'
        What a margin error costs.
    dual : bool or 'auto', default='auto'
        Taken, and without effect: the problem is the same.
    tol : float, default=1e-4
        Range of the projected gradient to reach.
    C : float, default=1.0
        Price of a margin error.
    multi_class : {'ovr'}, default='ovr'
        The only one there is.
    fit_intercept : bool, default=True
        Whether there is a constant. It is penalised as a weight is.
    intercept_scaling : float, default=1
        Only 1.
    class_weight : dict or 'balanced', optional
        Multiplies C for a class.
    verbose, random_state
        Taken, and without effect.
    max_iter : int, default=1000
        Passes over the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)

    Examples
    --------
    >>> from mercer import LinearSVC
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> LinearSVC().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()
    [0, 1]
    """

    _learner = "linear-svm"
    _alone = {"penalty": "l2", "multi_class": "ovr", "intercept_scaling": 1}

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Optional[int] = None,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _learner_params(self) -> dict[str, Any]:
        losses = {"squared_hinge": "squared", "hinge": "hinge"}
        if self.loss not in losses:
            raise ValueError(f"loss is {self.loss!r}; give 'squared_hinge' or 'hinge'")
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; give a positive number")
        return {"C": float(self.C), "loss": losses[self.loss], "bias": "yes" if self.fit_intercept else "no"}

    def _learner_args(self) -> dict[str, Any]:
        return {"max_iterations": int(self.max_iter)}


__all__ = ["SVC", "SVR", "LinearSVC", "NuSVC", "NuSVR", "OneClassSVM"]
