"""Directions in feature space."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _validation as check
from ._kernel_text import kernel_text, width
from ._shape import KernelShape, Shape, seed_of
from ._sklearn import ClassNamePrefixFeaturesOutMixin, TransformerMixin, available_if
from ._wire import Array
from .kernels import parse


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelShape):
    """Kernel principal component analysis.

    Parameters
    ----------
    n_components : int, optional
        How many; all with an eigenvalue above rounding by default.
    kernel : str, Kernel or callable, default='linear'
        A name, a kernel of :mod:`mercer.kernels` on numbers or objects, a text, 'precomputed' or a callable.
    gamma : float, optional
        Of 'rbf', 'poly' and 'sigmoid'; 1/columns by default.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    tol : float, default=0
        Residual allowed; 0 means 1e-10.
    random_state : int, optional
        Seed of the starting block.
    kernel_params : dict, optional
        Further parameters of a callable, which makes a number of two rows or a matrix of two sets of rows.
    fit_inverse_transform : bool, default=False
        Whether ``inverse_transform`` is to be there: ridge regression of the rows on their scores, with the same kernel.
    alpha : float, default=1.0
        Penalty of that regression.
    eigen_solver, max_iter, iterated_power, copy_X, n_jobs
        Taken, and without effect: there is one solver, which goes on to ``tol``.
    remove_zero_eig : bool, default=False
        Taken, and without effect: components with an eigenvalue of 0 are never there.

    Attributes
    ----------
    X_fit_ : array of shape (n_samples, n_features)
        The rows fitted to.
    gamma_ : float
        The gamma that was used.
    dual_coef_, X_transformed_fit_ : ndarray
        With ``fit_inverse_transform``: weights of that regression, and the scores of the rows fitted to.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the centred kernel matrix, largest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
    explained_variance_ratio_ : ndarray of shape (n_components,)

    Examples
    --------
    >>> from mercer import KernelPCA
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> m = KernelPCA(2, kernel='linear').fit(X)
    >>> m.explained_variance_ratio_.round(3).tolist()
    [0.979, 0.021]
    """

    _kind = "pca"
    _matrix_will_do = True
    _of_pairs = True

    def __init__(
        self,
        n_components: Optional[int] = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        tol: float = 0,
        random_state: Any = None,
        kernel_params: Optional[dict[str, Any]] = None,
        fit_inverse_transform: bool = False,
        alpha: float = 1.0,
        eigen_solver: str = "auto",
        max_iter: Optional[int] = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        copy_X: bool = True,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.random_state = random_state
        self.kernel_params = kernel_params
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha
        self.eigen_solver = eigen_solver
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Finds the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : None
            Not looked at.

        Returns
        -------
        self
        """
        self._scores(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Finds the components, and returns the scores of the same rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : None
            Not looked at.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._scores(X)

    def _scores(self, X: Any) -> Array:
        X = check.rows(self, X, reset=True, sparse=False, least=2)
        if self.n_components is not None and not 1 <= self.n_components:
            raise ValueError(f"n_components is {self.n_components}; give a positive number, or None for all")
        count = min(self.n_components or 0, X.shape[0])
        args = {**self._kernel_args(X), "count": count, "tol": float(self.tol), "seed": seed_of(self.random_state)}
        result, out = self._shape(X, args, {})
        n = X.shape[0]
        self.eigenvalues_ = out["variance"] * n
        scores = out.get("scores", np.zeros((n, 0)))
        self.eigenvectors_ = scores / np.sqrt(self.eigenvalues_)
        self.explained_variance_ratio_ = out["variance"] / result["total"]
        self._n_features_out = scores.shape[1]
        self.X_fit_ = X.raw if isinstance(X, check.Objects) else X
        self.gamma_ = width(self.gamma, X)
        if self.fit_inverse_transform:
            if self._by_matrix() and not self._computed_here():
                raise ValueError("inverse_transform is of rows of numbers, not of objects or of a precomputed matrix")
            K = self._between(scores, scores)
            self.X_transformed_fit_ = scores
            self.dual_coef_ = np.linalg.solve(K + float(self.alpha) * np.eye(n), np.asarray(X, dtype=float))
        return scores

    def _between(self, X: Array, Y: Array) -> Array:
        """Kernel values of scores, with the parameters that those of rows had."""
        if self._computed_here():
            return self._called(X, Y)
        return parse(kernel_text(self.kernel, X, self.gamma_, self.degree, self.coef0))(X, Y)

    @available_if(lambda self: bool(self.fit_inverse_transform))
    def inverse_transform(self, X: Any) -> Array:
        """Rows whose scores are about these, where ``fit_inverse_transform=True``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            The scores.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        self._fitted()
        return np.asarray(self._between(np.asarray(X, dtype=float), self.X_transformed_fit_) @ self.dual_coef_)

    def transform(self, X: Any) -> Array:
        """The scores of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return np.ascontiguousarray(self._columns(X)[:, : self._n_features_out])  # the last one is the residual, where it is known

    def reconstruction_error(self, X: Any) -> Array:
        """Squared distance in feature space from the plane of the components: large for rows unlike those fitted to.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if self._by_matrix():
            raise ValueError("how far a row lies from the plane depends on k(x, x), which a matrix of kernel values with other rows does not say")
        return np.ascontiguousarray(self._columns(X)[:, -1])


class KernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Shape):
    """Kernel canonical correlation: functions of two views of the same objects that are most correlated.

    Parameters
    ----------
    n_components : int, default=1
        How many pairs of functions.
    kernel, kernel_y : str or Kernel, default='rbf'
        Of the two views.
    gamma, gamma_y : {'scale', 'auto'} or float, default='scale'
        Of 'rbf', for each view.
    kappa : float, optional
        Regulariser; 0.01 times the trace of the centred matrix by default.
    random_state : int, optional
        Seed of the starting block.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelCCA
    >>> t = np.random.default_rng(0).uniform(0, 6, 100)
    >>> m = KernelCCA().fit(np.sin(t)[:, None], np.sin(t)[:, None] ** 3)
    >>> bool(m.correlations_[0] > 0.9)
    True
    """

    _kind = "cca"

    def __init__(
        self,
        n_components: int = 1,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        kernel_y: Any = "rbf",
        gamma_y: Any = "scale",
        kappa: Optional[float] = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_y = kernel_y
        self.gamma_y = gamma_y
        self.kappa = kappa
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> KernelCCA:
        """Finds the functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One view.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The other view of the same objects, in the same order.

        Returns
        -------
        self
        """
        X, y = check.rows_and_targets(self, X, y, sparse=False, several=True, numbers=True, least=2)
        y = y[:, None] if y.ndim == 1 else y
        self._columns_y = y.shape[1]
        args = {
            "kernels": [kernel_text(self.kernel, X, self.gamma), kernel_text(self.kernel_y, y, self.gamma_y)],
            "count": int(self.n_components), "kappa": float(self.kappa or 0), "seed": seed_of(self.random_state),
        }  # fmt: skip
        _, out = self._shape(X, args, {"x2": y})
        self.correlations_ = out["correlations"]
        self._n_features_out = len(self.correlations_)
        return self

    def transform(self, X: Any, y: Any = None) -> Any:
        """The functions at rows of the first view, and of the second where it is given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of the first view.
        y : array-like of shape (n_samples, n_targets), optional
            The same objects in the other view.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a pair of them
        """
        self._fitted()
        X = check.rows(self, X, reset=False, sparse=False)
        other = np.zeros((X.shape[0], self._columns_y)) if y is None else np.asarray(y, dtype=float).reshape(X.shape[0], -1)
        _, out = self._model.call("transform", {}, {"x": np.hstack([X, other])}, "KernelCCA.transform")
        columns = out["columns"]
        first, second = np.ascontiguousarray(columns[:, 0::2]), np.ascontiguousarray(columns[:, 1::2])
        return first if y is None else (first, second)

    def score(self, X: Any, y: Any) -> float:
        """The correlation of the first pair of functions at new objects."""
        a, b = self.transform(X, y)
        return float(np.corrcoef(a[:, 0], b[:, 0])[0, 1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "requires_y": True, "multioutput": True}


__all__ = ["KernelCCA", "KernelPCA"]
