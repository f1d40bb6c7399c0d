"""Features whose inner products are about the kernel."""

from __future__ import annotations

from typing import Any, Optional

from . import _validation as check
from ._shape import KernelShape, seed_of
from ._sklearn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from ._wire import Array


class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelShape):
    n_components: int
    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Any:
        """Chooses the features.

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
        X = check.rows(self, X, reset=True, sparse=False)
        if not self.n_components >= 1:
            raise ValueError(f"n_components is {self.n_components}; give a positive number")
        args = {**self._kernel_args(X), "count": self._count(), "seed": seed_of(self.random_state), **self._choice()}
        result, out = self._shape(X, args, {})
        self._n_features_out = int(result["count"])
        self.rms_error_ = float(result["rms"])
        if "index" in out:
            self.component_indices_ = out["index"]
            self.components_ = X[out["index"]]
        return self

    def _count(self) -> int:
        return int(self.n_components)

    def _choice(self) -> dict[str, Any]:
        return {}

    def transform(self, X: Any) -> Array:
        """The features of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        return self._columns(X)


class Nystroem(_Features):
    """Nyström's features: the kernel with few of the rows, whitened.

    Parameters
    ----------
    kernel : str or Kernel, default='rbf'
        A name, a kernel of :mod:`mercer.kernels` or a text.
    gamma : float, optional
        Of 'rbf', 'poly' and 'sigmoid'; 1/columns by default.
    coef0 : float, optional
        Of 'poly' and 'sigmoid'; 1 by default.
    degree : int, optional
        Of 'poly'; 3 by default.
    kernel_params : None
        Only None: there are no callables.
    n_components : int, default=100
        Rows that features are made of; those that depend on the others are left out.
    centers : {'uniform', 'kmeans'}, default='uniform'
        How rows are chosen.
    random_state : int, optional
        Seed of the choice.
    n_jobs : int, optional
        Taken, and without effect: the worker has all cores.

    Attributes
    ----------
    component_indices_ : ndarray of shape (n_components,)
    components_ : ndarray of shape (n_components, n_features)
    rms_error_ : float
        Of the kernel, in the root mean square over pairs of rows.

    Examples
    --------
    >>> from mercer import Gaussian, Nystroem
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> Z = Nystroem(kernel=Gaussian(3.0), n_components=6).fit_transform(X)
    >>> bool(abs(Z @ Z.T - Gaussian(3.0)(X)).max() < 1e-6)
    True
    """

    _kind = "nystroem"
    _alone = {"kernel_params": None}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: Optional[float] = None,
        degree: Optional[int] = None,
        kernel_params: None = None,
        n_components: int = 100,
        centers: str = "uniform",
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.centers = centers
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _choice(self) -> dict[str, Any]:
        if self.centers not in ("uniform", "kmeans"):
            raise ValueError(f"centers is {self.centers!r}; give 'uniform' or 'kmeans'")
        return {"centers": self.centers}


class RandomFourier(_Features):
    """Random Fourier features of a stationary kernel, with orthogonal frequencies.

    Parameters
    ----------
    kernel : str or Kernel, default='rbf'
        A stationary kernel: 'rbf', or such as ``Matern(nu=1.5)``.
    gamma : {'scale', 'auto'} or float, default=1.0
        Of 'rbf'.
    n_components : int, default=100
        Features; a frequency has two, a cosine and a sine.
    random_state : int, optional
        Seed of the frequencies.

    Attributes
    ----------
    rms_error_ : float
        Of the kernel, in the root mean square over pairs of rows.

    Examples
    --------
    >>> from mercer import Gaussian, RandomFourier
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> Z = RandomFourier(kernel=Gaussian(3.0), n_components=2000, random_state=0).fit_transform(X)
    >>> bool(abs(Z @ Z.T - Gaussian(3.0)(X)).max() < 0.1)
    True
    """

    _kind = "fourier"

    def __init__(self, *, kernel: Any = "rbf", gamma: Any = 1.0, n_components: int = 100, random_state: Any = None) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def _count(self) -> int:
        return (int(self.n_components) + 1) // 2


__all__ = ["Nystroem", "RandomFourier"]
