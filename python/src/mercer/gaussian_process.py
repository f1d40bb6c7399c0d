"""Gaussian processes."""

from __future__ import annotations

from typing import Any

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
    alpha : object, default=1e-10
        Variance of the noise; None finds it with the parameters of the kernel.
    optimizer : object, default="fmin_l_bfgs_b"
        None keeps the parameters of the kernel; anything else finds those of largest marginal likelihood.
    n_restarts_optimizer : int, default=0
        Further searches, from random places.
    normalize_y : bool, default=False
        Whether targets are taken around their mean in units of their deviation.
    copy_X_train : bool, default=True
        Taken, and without effect.
    n_targets : object, default=None
        Taken, and without effect.
    random_state : object, default=None
        Seed of the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        With the parameters that were found; of several targets a list, as the next two.
    log_marginal_likelihood_value_ : float
    noise_ : float
        Variance of the noise.
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
        noise = None if self.alpha is None else float(self.alpha)
        if noise is not None and noise < 0:
            raise ValueError(f"alpha is {self.alpha}; give a variance, or None")
        return {"process": {**self._search(), "noise": noise}}

    def _learn(self, X: Any, targets: Array, w: Any, task: dict[str, Any]) -> Any:
        if self.normalize_y:
            center, spread = float(targets.mean()), float(targets.std()) or 1.0
            targets, task = (targets - center) / spread, {**task, "target_scale": [center, 1 / spread]}
        return super()._learn(X, targets, w, task)

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.noise_ = result["told"].get("noise", 0.0)
        self._found_here = {"kernel_": self.kernel_, "log_marginal_likelihood_value_": self.log_marginal_likelihood_value_, "noise_": self.noise_}

    def _found(self) -> dict[str, Any]:
        return {"_model": self._model, **self._found_here}

    def _gather(self, found: list[dict[str, Any]]) -> None:
        del self._found_here
        if not self._flat:  # each target has a process of its own
            for name in found[0]:
                setattr(self, name, [f[name] for f in found])

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of each row, and with ``return_std`` the standard deviation of the function there.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
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
    random_state : object, default=None
        Seed of the restarts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : Kernel
        With the parameters that were found.
    log_marginal_likelihood_value_ : float
    """

    _learner = "gp"

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.random_state = random_state

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
