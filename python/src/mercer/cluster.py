"""Groups of rows by a kernel."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _validation as check
from ._shape import KernelShape, seed_of
from ._sklearn import ClusterMixin
from ._wire import Array
from .kernels import parse


class _Groups(ClusterMixin, KernelShape):
    labels_: Array
    _matrix_will_do = True

    def predict(self, X: Any) -> Array:
        """The group of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return (self._columns(X)[:, 0] - 1).astype(np.int32)

    def _begin_groups(self, X: Any, count: int) -> Any:
        X = check.rows(self, X, reset=True, sparse=False, least=2)
        if not 1 <= count <= X.shape[0]:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={count}, and that positive")
        return X


class KernelKMeans(_Groups):
    """k-means on the images of rows in feature space.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups.
    kernel : str, Kernel or callable, default='rbf'
        A name, a kernel of :mod:`mercer.kernels` on numbers or objects, a text, 'precomputed' or a callable.
    gamma : {'scale', 'auto'} or float, default='scale'
        Of 'rbf', 'poly' and 'sigmoid'.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    n_init : int, default=10
        Starts; the best counts.
    max_iter : int, default=300
        Steps of each.
    random_state : int, optional
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    inertia_ : float
        Sum of squared distances to the means of the groups, in feature space.
    n_iter_ : int

    Examples
    --------
    >>> from mercer import KernelKMeans
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> m = KernelKMeans(2, kernel='linear', random_state=0).fit(X)
    >>> (m.labels_ == m.labels_[0]).tolist()
    [True, True, True, False, False, False]
    """

    _kind = "kmeans"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> KernelKMeans:
        """Finds the groups.

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
        X = self._begin_groups(X, self.n_clusters)
        args = {
            **self._kernel_args(X), "count": int(self.n_clusters), "restarts": int(self.n_init), "iterations": int(self.max_iter),
            "seed": seed_of(self.random_state),
        }  # fmt: skip
        result, out = self._shape(X, args, {})
        self.labels_, self.inertia_ = out["labels"].astype(np.int32), float(result["inertia"])
        self.n_iter_ = max(int(result["iterations"]), 1)
        return self


class SpectralClustering(_Groups):
    """Spectral clustering: the graph of kernel values, or of nearest neighbours, is cut.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups.
    gamma : float, default=1.0
        Of 'rbf' and 'poly'.
    affinity : str, Kernel or callable, default='rbf'
        A kernel as in :class:`KernelKMeans`, or 'nearest_neighbors' for the graph of neighbours.
    n_neighbors : int, default=10
        Of each row, in that graph.
    n_init : int, default=10
        Starts of k-means.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    eigen_tol : float or 'auto', default='auto'
        Residual of the eigenvectors; 'auto' means 1e-8.
    random_state : int, optional
        Seed of the starts.
    kernel_params : dict, optional
        Further parameters of a callable, which makes a number of two rows or a matrix of two sets of rows.
    assign_labels : {'kmeans'}, default='kmeans'
        The only way there is.
    eigen_solver, n_jobs, verbose
        Taken, and without effect.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        The kernel values, not of 'nearest_neighbors'; computed when they are asked for.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The leading eigenvectors.
    eigenvalues_ : ndarray

    Examples
    --------
    >>> from mercer import SpectralClustering
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> m = SpectralClustering(2, gamma=0.1).fit(X)
    >>> (m.labels_ == m.labels_[0]).tolist()
    [True, True, True, False, False, False]
    """

    _kind = "spectral"
    _of_pairs = True
    _alone = {"assign_labels": "kmeans"}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: Any = 1.0,
        affinity: Any = "rbf",
        n_neighbors: int = 10,
        n_init: int = 10,
        degree: int = 3,
        coef0: float = 1,
        eigen_tol: Any = "auto",
        random_state: Any = None,
        kernel_params: Optional[dict[str, Any]] = None,
        assign_labels: str = "kmeans",
        eigen_solver: Any = None,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.degree = degree
        self.coef0 = coef0
        self.eigen_tol = eigen_tol
        self.random_state = random_state
        self.kernel_params = kernel_params
        self.assign_labels = assign_labels
        self.eigen_solver = eigen_solver
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def kernel(self) -> Any:
        """The affinity, by the name that other estimators have for it."""
        return "rbf" if self._near() else self.affinity

    def _near(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity == "nearest_neighbors"

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Finds the groups.

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
        X = self._begin_groups(X, self.n_clusters)
        args = {
            **self._kernel_args(X), "count": int(self.n_clusters), "restarts": int(self.n_init), "seed": seed_of(self.random_state),
            "neighbours": min(int(self.n_neighbors), X.shape[0] - 1) if self._near() else 0,
            "tol": 0.0 if self.eigen_tol == "auto" else float(self.eigen_tol),
        }  # fmt: skip
        _, out = self._shape(X, args, {})
        self.labels_, self.embedding_, self.eigenvalues_ = out["labels"].astype(np.int32), out.get("embedding"), out["eigenvalues"]
        self._rows, self._said = X, args["kernel"]
        return self

    @property
    def affinity_matrix_(self) -> Array:
        """The kernel values of all pairs of rows; computed when it is asked for."""
        self._fitted()
        if self._near():
            raise AttributeError("the graph of neighbours is not kept")
        if self._said:
            return parse(self._said)(self._rows)
        return self._fit_rows(self._rows)["x.gram"]


__all__ = ["KernelKMeans", "SpectralClustering"]
