"""What scikit-learn gives an estimator where it is installed, and as much of it as an estimator needs where it is not."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar

import numpy as np

try:
    import sklearn as _sklearn

    VERSION: tuple[int, ...] = tuple(int(p) for p in _sklearn.__version__.split(".")[:2])
except ImportError:
    VERSION = ()

_F = TypeVar("_F", bound=Callable[..., Any])


class available_if:  # noqa: N801 - scikit-learn's name
    """A method that an object has only where a condition holds: ``hasattr`` says so."""

    def __init__(self, holds: Callable[[Any], bool]) -> None:
        self._holds = holds
        self._method: Optional[Callable[..., Any]] = None

    def __call__(self, method: _F) -> _F:
        self._method = method
        self.__doc__ = method.__doc__
        return self  # type: ignore[return-value]

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, obj: Any, owner: Optional[type] = None) -> Any:
        assert self._method is not None
        if obj is None:
            return self._method
        if not self._holds(obj):
            raise AttributeError(f"{type(obj).__name__} has no {self._name} with these parameters")
        return self._method.__get__(obj, owner)


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before it was fitted."""


class ConvergenceWarning(UserWarning):
    """A solver stopped before its tolerance."""


class PlainEstimator:
    """Parameters by name, as ``BaseEstimator`` has them."""

    @classmethod
    def _names(cls) -> list[str]:
        return [n for n in inspect.signature(cls.__init__).parameters if n != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, and with ``deep`` those of parameters that have some of their own."""
        out: dict[str, Any] = {}
        for name in self._names():
            value = getattr(self, name)
            out[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                out.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return out

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name."""
        known = self._names()
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in known:
                raise ValueError(f"Invalid parameter {first!r} for estimator {self!r}. Valid parameters are: {known!r}.")
            if rest:
                getattr(self, first).set_params(**{rest: value})
            else:
                setattr(self, first, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        said = [f"{n}={v!r}" for n, v in self.get_params(deep=False).items() if v is not defaults[n].default]
        return f"{type(self).__name__}({', '.join(said)})"


class PlainClassifier:
    """``score`` is the share of right labels."""

    _estimator_type = "classifier"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose label is right."""
        right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
        return float(np.average(right, weights=sample_weight))


class PlainRegressor:
    """``score`` is R²."""

    _estimator_type = "regressor"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """1 - Σ(y - ŷ)²/Σ(y - ȳ)²."""
        y = np.asarray(y, dtype=float)
        off = (y - self.predict(X)) ** 2  # type: ignore[attr-defined]
        around = (y - np.average(y, axis=0, weights=sample_weight)) ** 2
        return float(1 - np.average(off, weights=sample_weight) / np.average(around, weights=sample_weight))


class PlainTransformer:
    """``fit_transform`` is one after the other."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fits, and maps the same rows."""
        return self.fit(X, y, **fit_params).transform(X)  # type: ignore[attr-defined]


class PlainCluster:
    """``fit_predict`` is the labels of the rows fitted to."""

    _estimator_type = "clusterer"

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
        """Fits, and returns the labels."""
        return self.fit(X, **kwargs).labels_  # type: ignore[attr-defined]


class PlainOutlier:
    """``fit_predict`` is +1 and -1."""

    _estimator_type = "outlier_detector"

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
        """Fits, and says which of the same rows lie inside."""
        return self.fit(X, **kwargs).predict(X)  # type: ignore[attr-defined]


class PlainDensity:
    """An estimator of a density."""

    _estimator_type = "density_estimator"


class PlainPrefix:
    """Names of what a transformer makes: the class and a number."""

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns that ``transform`` makes."""
        name = type(self).__name__.lower()
        return np.asarray([f"{name}{i}" for i in range(self._n_features_out)], dtype=object)  # type: ignore[attr-defined]


if TYPE_CHECKING or not VERSION:
    BaseEstimator = PlainEstimator
    ClassifierMixin = PlainClassifier
    RegressorMixin = PlainRegressor
    TransformerMixin = PlainTransformer
    ClusterMixin = PlainCluster
    OutlierMixin = PlainOutlier
    DensityMixin = PlainDensity
    ClassNamePrefixFeaturesOutMixin = PlainPrefix
else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        DensityMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.exceptions import ConvergenceWarning, NotFittedError  # noqa: F811
