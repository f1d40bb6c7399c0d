"""Gaussian processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _validation as check
from ._kernel_text import kernel_text
from ._supervised import ProbaClassifier, Supervised, TableRegressor
from ._wire import Array
from .kernels import parse


class _Process(Supervised):
    """Kernel and search of a process."""

    _weighted = False
    gamma = None
    optimizer: Any
    n_restarts_optimizer: int
    random_state: Any

    def _kernel_args(self, X: Any) -> dict[str, Any]:
        if self.kernel is None:
            return {"kernel": "1*gaussian(lengthscale=1)"}
        if self._pairwise_input() or self._computed_here():
            raise ValueError("the parameters of a process are those of its kernel; give a kernel of mercer.kernels, or a text")
        if self._of_objects():
            return super()._kernel_args(X)
        return {"kernel": kernel_text(self.kernel, X, None)}

    def _search(self) -> dict[str, Any]:
        seed = self.random_state if isinstance(self.random_state, int) else 0
        return {"fixed": self.optimizer is None, "restarts": int(self.n_restarts_optimizer), "seed": seed}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.kernel_ = parse(result["kernel"])
        self.log_marginal_likelihood_value_ = result["told"]["log_marginal"]


class GaussianProcessRegressor(_Process, TableRegressor):
    """Gaussian process regression: a prior over functions, and the posterior given data.

    Parameters
    ----------
    kernel : object, default=None
        A kernel of :mod:`mercer.kernels`, a text or a name; None is 1*Gaussian(1), with parameters found, as in scikit-learn 1.9.1 (1.4 keeps them).
    alpha : float, ndarray of shape (n_samples,) or None, default=1e-10
        Variance of the noise, of all rows or of each; None finds it with the parameters of the kernel.
    optimizer : object, default="fmin_l_bfgs_b"
        None keeps the parameters of the kernel; anything else finds those of largest marginal likelihood.
    n_restarts_optimizer : int, default=0
        Further searches, from random places.
    normalize_y : bool, default=False
        Whether targets are taken around their mean in units of their deviation.
    copy_X_train : bool, default=True
        Taken, and without effect: what the model knows is a copy.
    n_targets : int, optional
        How many targets the prior has, before there are any.
    random_state : object, default=None
        Seed of the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        With the parameters that were found; of several targets a list, as the next two.
    log_marginal_likelihood_value_ : float
    noise_ : float
        Variance of the noise.
    X_train_ : array of shape (n_samples, n_features)
        The rows fitted to.
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Their values, with ``normalize_y`` as they were scaled.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The weights of kernel values with the rows in the mean.
    L_ : ndarray of shape (n_samples, n_samples)
        Cholesky's factor of the kernel matrix with the noise on its diagonal, of one target; computed when it is asked for.

    Examples
    --------
    >>> from mercer import Gaussian, GaussianProcessRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> m = GaussianProcessRegressor(Gaussian(1.0), alpha=0.01, optimizer=None).fit(X, y)
    >>> mean, std = m.predict([[1.5], [99.0]], return_std=True)
    >>> mean.round(2).tolist(), std.round(2).tolist()
    ([1.45, 0.0], [0.13, 1.0])
    """

    _learner = "gp"
    _several = True

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        """Fits to rows and their values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their values.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _learner_args(self) -> dict[str, Any]:
        if self.alpha is None:
            return {"process": {**self._search(), "noise": None}}
        noise = np.asarray(self.alpha, dtype=float)
        if not (np.all(noise >= 0) and np.all(np.isfinite(noise))):
            raise ValueError(f"alpha is {self.alpha}; give a variance, one for each row, or None")
        return {"process": {**self._search(), "noise": float(noise) if noise.ndim == 0 else 0.0}}

    def _known_noise(self, X: Any) -> dict[str, Array]:
        """The variance of each row, where ``alpha`` has one for each."""
        noise = np.asarray(0.0 if self.alpha is None else self.alpha, dtype=float)
        if noise.ndim == 0:
            return {}
        if noise.shape != (X.shape[0],):
            raise ValueError(f"alpha must be a scalar or an array with same number of entries as y. ({noise.size} != {X.shape[0]})")
        return {"noise": noise}

    def _learn(self, X: Any, targets: Array, w: Any, task: dict[str, Any]) -> Any:
        if self.normalize_y:
            center, spread = float(targets.mean()), float(targets.std()) or 1.0
            targets, task = (targets - center) / spread, {**task, "target_scale": [center, 1 / spread]}
        self._scaled = targets[0].copy()
        return super()._learn(X, targets, w, task)

    @property
    def L_(self) -> Array:  # noqa: N802 - scikit-learn's name
        """Cholesky's factor of the kernel matrix with the noise on its diagonal, of one target."""
        self._fitted()
        if not self._flat:
            raise AttributeError("each target has a process of its own, and so a factor")
        noise = self.noise_ if self.alpha is None else np.asarray(self.alpha, dtype=float)
        return np.linalg.cholesky(self.kernel_(self.X_train_) + noise * np.eye(len(self.y_train_)))

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.noise_ = result["told"].get("noise", 0.0)
        self.X_train_ = X.raw if isinstance(X, check.Objects) else X
        self._weights = out["coef"][:, 0]
        self._found_here = {"kernel_": self.kernel_, "log_marginal_likelihood_value_": self.log_marginal_likelihood_value_, "noise_": self.noise_}

    def _found(self) -> dict[str, Any]:
        return {"_model": self._model, "weights": self._weights, "target": self._scaled, **self._found_here}

    def _gather(self, found: list[dict[str, Any]]) -> None:
        del self._found_here, self._weights, self._scaled
        weights, targets = [f.pop("weights") for f in found], [f.pop("target") for f in found]
        self.alpha_ = weights[0] if self._flat else np.column_stack(weights)
        self.y_train_ = targets[0] if self._flat else np.column_stack(targets)
        if not self._flat:  # each target has a process of its own
            for name in found[0]:
                setattr(self, name, [f[name] for f in found])

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The mean of each row, and with ``return_std`` or ``return_cov`` how far the function is known there.

        Before ``fit`` it is the prior that speaks, as in scikit-learn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        return_std : bool, default=False
            Whether the standard deviation of the function at each row is wanted, too.
        return_cov : bool, default=False
            Whether the covariance of the function at all pairs of rows is wanted, too.

        Returns
        -------
        ndarray, or a pair of them
            The covariance has shape (n_samples, n_samples), and a third axis for several targets.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not self.__sklearn_is_fitted__():
            return self._prior(X, return_std, return_cov)
        if return_std:
            out = self._each(X, ["std"], "values", "std")
            return out["values"], out["std"]
        if not return_cov:
            return super().predict(X)
        args, arrays = self._new_rows(X)
        said = [m.call("predict", {"want": ["covariance"], **args}, arrays, f"{type(self).__name__}.predict")[1] for m in self._models]
        if self._flat:
            return said[0]["values"], said[0]["covariance"]
        return np.column_stack([s["values"] for s in said]), np.stack([s["covariance"] for s in said], axis=-1)

    def _prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        X = check.rows(self, X, reset=True, sparse=False)
        count = self.n_targets or 1
        mean = np.zeros(X.shape[0] if count == 1 else (X.shape[0], count))
        if not (return_std or return_cov):
            return mean
        k = parse(self._kernel_args(X)["kernel"])
        spread = k(X) if return_cov else np.sqrt(k.diag(X))
        return mean, spread if count == 1 else np.repeat(spread[..., None], count, axis=-1)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draws functions from the process, at rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.
        n_samples : int, default=1
            How many functions.
        random_state : int, RandomState or None, default=0
            Seed of the draws.

        Returns
        -------
        ndarray of shape (n_rows, n_samples) or (n_rows, n_targets, n_samples)
        """
        draw = random_state if hasattr(random_state, "multivariate_normal") else np.random.RandomState(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return np.asarray(draw.multivariate_normal(mean, covariance, n_samples).T)
        of_each = [draw.multivariate_normal(mean[:, t], covariance[..., t], n_samples).T[:, None] for t in range(mean.shape[1])]
        return np.hstack(of_each)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False  # the prior answers
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "requires_fit": False}


class GaussianProcessClassifier(_Process, ProbaClassifier):
    """Gaussian process classification by Laplace's approximation; more than two classes have a softmax.

    Parameters
    ----------
    kernel : object, default=None
        A kernel of :mod:`mercer.kernels`, a text or a name; None is 1*Gaussian(1), with parameters found, as in scikit-learn 1.9.1 (1.4 keeps them).
    optimizer : object, default="fmin_l_bfgs_b"
        None keeps the parameters of the kernel; anything else finds those of largest marginal likelihood.
    n_restarts_optimizer : int, default=0
        Further searches, from random places.
    max_iter_predict : int, default=100
        Taken, and without effect: Newton's method goes on to the mode.
    warm_start : bool, default=False
        Only False.
    copy_X_train, n_jobs
        Taken, and without effect.
    random_state : object, default=None
        Seed of the restarts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    kernel_ : Kernel
        With the parameters that were found.
    log_marginal_likelihood_value_ : float

    Examples
    --------
    >>> from mercer import GaussianProcessClassifier
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> m = GaussianProcessClassifier(optimizer=None).fit(X, y)
    >>> m.predict_proba([[0, 0]]).round(2).tolist()
    [[0.5, 0.5]]
    """

    _learner = "gp"
    _alone = {"warm_start": False}

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        n_jobs: Any = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        """Fits to rows and their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _learner_args(self) -> dict[str, Any]:
        return {**super()._learner_args(), "process": self._search()}


class SGPR(TableRegressor):
    """Gaussian process regression by few inducing points, for many rows: parameters and points by a bound on the marginal likelihood.

    Parameters
    ----------
    n_inducing : int, default=0
        Points that the process is known by; 0 means 2√n, at least 50.
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
    kernel_ : Kernel
        With the parameters that were found.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SGPR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> m = SGPR(n_inducing=15).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(m.predict([[2.0]])[0] - np.sin(2.0)) < 0.01)
    True
    """

    _learner = "sgpr"

    def __init__(
        self,
        *,
        n_inducing: int = 0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _learner_params(self) -> dict[str, Any]:
        return {"inducing": float(self.n_inducing)}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.kernel_ = result["kernel"] if self._computed_here() or self._pairwise_input() else parse(result["kernel"])

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of each row, and with ``return_std`` the standard deviation of the function there.

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


__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor", "SGPR"]
