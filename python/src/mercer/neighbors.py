"""Densities and smoothers."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _validation as check
from ._shape import Shape
from ._sklearn import DensityMixin, RegressorMixin
from ._wire import Array

# scikit-learn's names of smoothing kernels, in mercer's
_SMOOTHERS = {"gaussian": "gaussian", "tophat": "boxcar", "epanechnikov": "epanechnikov", "exponential": "exponential", "linear": "triangular"}
_RULES = ("silverman", "scott", "robust", "sheather-jones", "likelihood", "least-squares")


def smoother(name: str) -> str:
    """mercer's name of a smoothing kernel."""
    return _SMOOTHERS.get(name, name)


def bandwidth_args(bandwidth: Any) -> dict[str, Any]:
    """A bandwidth as a request has it: one number, one for each column, or a rule."""
    if bandwidth is None:
        return {}
    if isinstance(bandwidth, str):
        if bandwidth not in _RULES:
            raise ValueError(f"bandwidth is {bandwidth!r}; give a positive number, one for each column, or one of {', '.join(_RULES)}")
        return {"rule": bandwidth}
    widths = np.atleast_1d(np.asarray(bandwidth, dtype=float))
    if not (widths > 0).all():
        raise ValueError(f"bandwidth is {bandwidth!r}; give a positive number")
    return {"bandwidth": float(widths[0])} if np.ndim(bandwidth) == 0 else {"bandwidths": widths.tolist()}


class KernelDensity(DensityMixin, Shape):
    """Kernel density estimate.

    Parameters
    ----------
    bandwidth : float, list of float or str, default=1.0
        A number, one for each column, or a rule: 'silverman', 'scott', 'robust', 'sheather-jones', 'likelihood' or
        'least-squares'.
    kernel : str, default='gaussian'
        Or 'epanechnikov', 'tophat', 'exponential', 'linear', and mercer's other smoothing kernels by their names.
    atol, rtol : float, default=0
        Error of a density that is allowed.
    metric : {'euclidean'}, default='euclidean'
        The only one there is.
    metric_params : None
        Only None.
    algorithm, breadth_first, leaf_size
        Taken, and without effect: how the sum is done is chosen by the rows.

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity
    >>> X = np.array([[0.0], [1.0]])
    >>> float(np.exp(KernelDensity(bandwidth=1).fit(X).score_samples([[0.5]]))[0].round(4))
    0.3521
    """

    _kind = "kde"
    _alone = {"metric": "euclidean", "metric_params": None}

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: str = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelDensity:
        """Fits to rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : None
            Not looked at.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs.

        Returns
        -------
        self
        """
        X = check.rows(self, X, reset=True, sparse=False)
        w = check.weights(sample_weight, X)
        if w is not None:
            X, w = X[w > 0], w[w > 0]
        args = {**bandwidth_args(self.bandwidth), "smoother": smoother(self.kernel), "atol": float(self.atol), "rtol": float(self.rtol)}
        _, out = self._shape(X, args, {} if w is None else {"weights": w})
        self.bandwidth_ = float(out["bandwidths"][0]) if np.ptp(out["bandwidths"]) == 0 else out["bandwidths"]
        self._rows, self._shares = X, None if w is None else np.cumsum(w)
        return self

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draws rows from the density.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, RandomState or None, default=None
            Seed of the draws.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        self._fitted()
        if self.kernel not in ("gaussian", "tophat"):
            raise NotImplementedError(f"rows are drawn with kernel='gaussian' or 'tophat', not {self.kernel!r}")
        draw = random_state if hasattr(random_state, "uniform") else np.random.RandomState(random_state)
        place = draw.uniform(0, 1, size=n_samples)
        if self._shares is None:
            rows = self._rows[(place * len(self._rows)).astype(np.int64)]
        else:
            rows = self._rows[np.searchsorted(self._shares, place * self._shares[-1])]
        if self.kernel == "gaussian":
            return np.atleast_2d(draw.normal(rows, self.bandwidth_))
        step = draw.normal(size=rows.shape)
        step *= (draw.uniform(size=n_samples) ** (1 / rows.shape[1]) / np.sqrt((step**2).sum(axis=1)))[:, None]
        return np.asarray(rows + step * self.bandwidth_)

    def score_samples(self, X: Any) -> Array:
        """The logarithm of the density at each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.ascontiguousarray(self._columns(X)[:, 1])  # the density itself comes first

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of ``score_samples``."""
        return float(np.sum(self.score_samples(X)))


class _Curve(RegressorMixin, Shape):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits to rows and their values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their values.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs.

        Returns
        -------
        self
        """
        X, y = check.rows_and_targets(self, X, y, sparse=False, numbers=True)
        w = check.weights(sample_weight, X)
        arrays = {"y": y[None]}
        if w is not None:
            keep = w > 0
            X, arrays = X[keep], {"y": y[None, keep], "weights": w[keep]}
        result, out = self._shape(X, self._curve_args(), arrays)
        self.freedom_ = float(result["freedom"])
        if "bandwidths" in out:
            self.bandwidth_ = out["bandwidths"]
        return self

    def _curve_args(self) -> dict[str, Any]:
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The curve at each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.ascontiguousarray(self._columns(X)[:, 0])

    def predict_band(self, X: Any, level: float = 0.95) -> Array:
        """The curve with the ends of a band: of local regression an interval for the curve, of kernel regression the middle of the values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        level : float, default=0.95
            Of the band.

        Returns
        -------
        ndarray of shape (n_samples, 3)
            Curve, lower end, upper end.
        """
        return self._columns(X, level=float(level))


class NadarayaWatson(_Curve):
    """Kernel regression: the mean of all rows, each by its kernel value.

    Parameters
    ----------
    bandwidth : float or list of float, optional
        The bandwidth, or one for each column; by default the one of least leave-one-out error.
    kernel : str, default='gaussian'
        Or 'epanechnikov', 'tophat', 'exponential', 'linear', and mercer's other smoothing kernels by their names.

    Attributes
    ----------
    bandwidth_ : ndarray of shape (n_features,)
    freedom_ : float
        Degrees of freedom of the curve.

    Examples
    --------
    >>> from mercer import NadarayaWatson
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> NadarayaWatson(bandwidth=0.5).fit(X, y).predict([[1.5]]).round(2).tolist()
    [1.5]
    """

    _kind = "nadaraya-watson"

    def __init__(self, *, bandwidth: Optional[Union[float, list[float]]] = None, kernel: str = "gaussian") -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel

    def _curve_args(self) -> dict[str, Any]:
        return {**bandwidth_args(self.bandwidth), "smoother": smoother(self.kernel)}


class LocalRegression(_Curve):
    """Local regression (LOESS): a polynomial through the rows near each point, with a band.

    Parameters
    ----------
    span : float, default=0.75
        Share of the rows that are near; not used where there is a bandwidth.
    bandwidth : float or list of float, optional
        A fixed width in place of the span.
    degree : int, default=1
        Of the polynomial.
    kernel : str, default='tricube'
        How a row weighs by its distance.
    robust : int, default=0
        Rounds with less weight for rows far off the curve; LOWESS has 3.

    Attributes
    ----------
    freedom_ : float
        Degrees of freedom of the curve.

    Examples
    --------
    >>> from mercer import LocalRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> LocalRegression(bandwidth=3.0).fit(X, y).predict([[1.5]]).round(2).tolist()
    [1.5]
    """

    _kind = "local-regression"

    def __init__(
        self,
        *,
        span: float = 0.75,
        bandwidth: Optional[Union[float, list[float]]] = None,
        degree: int = 1,
        kernel: str = "tricube",
        robust: int = 0,
    ) -> None:
        self.span = span
        self.bandwidth = bandwidth
        self.degree = degree
        self.kernel = kernel
        self.robust = robust

    def _curve_args(self) -> dict[str, Any]:
        width = {"span": float(self.span)} if self.bandwidth is None else bandwidth_args(self.bandwidth)
        return {**width, "degree": int(self.degree), "robust": int(self.robust), "smoother": smoother(self.kernel)}


__all__ = ["KernelDensity", "LocalRegression", "NadarayaWatson"]
