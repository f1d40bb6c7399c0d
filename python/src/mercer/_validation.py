"""Rows, targets and weights, checked before they travel: by scikit-learn's own rules where it is installed."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._frame import column, is_frame, names
from ._sklearn import VERSION
from ._wire import Array

_FLOATS = (np.float64, np.float32)


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is one of scipy's sparse matrices."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


class Objects:
    """Rows that are no numbers: a table, or a list of texts, graphs, …"""

    def __init__(self, X: Any) -> None:
        self.raw = X if is_frame(X) else list(X)
        columns = names(X) if is_frame(X) else ["x"]
        self.shape = (len(column(X, 0)) if is_frame(X) else len(self.raw), len(columns))
        if 0 in self.shape:
            raise ValueError(f"Found array with {self.shape[0]} sample(s) and {self.shape[1]} feature(s) while a minimum of 1 is required.")

    def __getitem__(self, keep: Array) -> Objects:
        if not is_frame(self.raw):
            return Objects([self.raw[i] for i in keep])
        if isinstance(self.raw, dict):
            return Objects({n: [v[i] for i in keep] for n, v in self.raw.items()})
        if hasattr(self.raw, "iloc"):
            return Objects(self.raw.iloc[keep])
        return Objects(self.raw.take(keep) if hasattr(self.raw, "take") else self.raw[keep])


def _of_objects(estimator: Any, X: Any) -> bool:
    """Whether ``X`` is objects: the kernel is one on such, or a callable, which may be one on anything that stands in a list."""
    asks = getattr(estimator, "_of_objects", None)
    if asks is None:
        return False
    if asks() or isinstance(X, Objects):
        return True
    numbers = (list, tuple, np.ndarray, np.generic, int, float, complex)
    return isinstance(X, list) and len(X) > 0 and estimator._computed_here() and not isinstance(X[0], numbers) and not is_sparse(X[0])


def _objects(estimator: Any, X: Any, reset: bool) -> Objects:
    out = X if isinstance(X, Objects) else Objects(X)
    if reset:
        estimator.n_features_in_ = out.shape[1]
        if is_frame(out.raw):
            estimator.feature_names_in_ = np.asarray(names(out.raw), dtype=object)
    return out


def _plain_matrix(estimator: Any, X: Any, sparse: bool, least: int) -> bool:
    """Whether a look at the numbers of ``X`` is enough; scikit-learn's checks of all else take as long as a small fit."""
    values = X
    if type(X) is not np.ndarray:
        if not sparse or getattr(X, "format", None) != "csr" or not type(X).__module__.startswith("scipy.sparse"):
            return False
        if X.indices.dtype != np.int32 or X.indptr.dtype != np.int32:
            return False
        values = X.data
    if X.ndim != 2 or values.dtype.char not in "df" or not values.dtype.isnative:
        return False
    if X.shape[0] < least or X.shape[1] < 1 or hasattr(estimator, "feature_names_in_"):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def rows(estimator: Any, X: Any, *, reset: bool, sparse: bool = True, least: int = 1) -> Any:
    """``X`` as a matrix of numbers or CSR rows; ``reset`` says that this is a fit, which sets ``n_features_in_``."""
    if _of_objects(estimator, X):
        return _objects(estimator, X, reset)
    if _plain_matrix(estimator, X, sparse, least if reset else 1):
        if reset:
            estimator.n_features_in_ = X.shape[1]
            return X
        if X.shape[1] == getattr(estimator, "n_features_in_", -1):
            return X
    if VERSION:
        options: dict[str, Any] = dict(
            accept_sparse="csr" if sparse else False, dtype=_FLOATS, reset=reset, accept_large_sparse=False,
            ensure_min_samples=least if reset else 1,
        )  # fmt: skip
        if VERSION >= (1, 6):
            from sklearn.utils.validation import validate_data

            return validate_data(estimator, X, **options)
        return estimator._validate_data(X, **options)
    return _plain_rows(estimator, X, reset=reset, sparse=sparse, least=least)


def rows_and_targets(estimator: Any, X: Any, y: Any, *, sparse: bool = True, several: bool = False, numbers: bool, least: int = 1) -> tuple[Any, Array]:
    """``X`` as ``rows`` has it beside ``y``: numbers, or labels."""
    if _of_objects(estimator, X):
        X, y = _objects(estimator, X, True), _plain_targets(y, numbers)
        if len(y) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X.shape[0]}, {len(y)}]")
        return X, y
    if numbers and type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.float64 and _plain_matrix(estimator, X, sparse, least):
        if len(y) == X.shape[0] and np.isfinite(y).all():
            estimator.n_features_in_ = X.shape[1]
            return X, y
    if VERSION:
        options: dict[str, Any] = dict(
            accept_sparse="csr" if sparse else False, dtype=_FLOATS, accept_large_sparse=False, multi_output=several,
            y_numeric=numbers, ensure_min_samples=least,
        )  # fmt: skip
        if VERSION >= (1, 6):
            from sklearn.utils.validation import validate_data

            X, y = validate_data(estimator, X, y, **options)
        else:
            X, y = estimator._validate_data(X, y, **options)
        if not numbers:
            from sklearn.utils.multiclass import check_classification_targets

            check_classification_targets(y)
    else:
        X, y = _plain_rows(estimator, X, reset=True, sparse=sparse, least=least), _plain_targets(y, numbers)
        if len(y) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X.shape[0]}, {len(y)}]")
    return X, np.asarray(y, dtype=float) if numbers else np.asarray(y)


def rows_and_labels(estimator: Any, X: Any, y: Any, *, sparse: bool = True) -> tuple[Any, Array, Array]:
    """``X`` as ``rows`` has it, the classes in their order, and the place of each label among them."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.int64 and not _of_objects(estimator, X) and _plain_matrix(estimator, X, sparse, 1):
        if len(y) == X.shape[0] and y.min() == 0 and 2 * int(y.max()) + 2 <= len(y):  # of more classes scikit-learn warns
            counts = np.bincount(y)
            if counts.all():
                estimator.n_features_in_ = X.shape[1]
                return X, np.arange(len(counts)), y
    X, y = rows_and_targets(estimator, X, y, sparse=sparse, numbers=False)
    classes, codes = np.unique(y, return_inverse=True)
    return X, classes, codes.reshape(-1)


def weights(sample_weight: Any, X: Any) -> Optional[Array]:
    """A weight for each row; None where all are 1."""
    if sample_weight is None:
        return None
    if VERSION and not isinstance(X, Objects):
        from sklearn.utils.validation import _check_sample_weight

        w = _check_sample_weight(sample_weight, X, dtype=np.float64)
    else:
        w = np.asarray(sample_weight, dtype=float)
        w = np.full(X.shape[0], float(w)) if w.ndim == 0 else w
        if w.shape != (X.shape[0],):
            raise ValueError(f"sample_weight.shape == {w.shape}, expected {(X.shape[0],)}!")
    if np.any(w < 0):
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not np.any(w > 0):
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return np.asarray(w)


def points(name: str, X: Any) -> dict[str, Array]:
    """The arrays by which rows travel."""
    if not is_sparse(X):
        return {name: np.asarray(X)}
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return {
        f"{name}.ptr": X.indptr.astype(np.int64),
        f"{name}.index": X.indices.astype(np.int32, copy=False),
        f"{name}.value": X.data,
        f"{name}.columns": np.array([X.shape[1]], dtype=np.int64),
    }


def _plain_rows(estimator: Any, X: Any, *, reset: bool, sparse: bool, least: int) -> Any:
    called = getattr(X, "columns", None)
    if is_sparse(X):
        if not sparse:
            raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
        X = X.tocsr()
        values = X.data
    else:
        X = np.asarray(X)
        if np.iscomplexobj(X):
            raise ValueError("Complex data not supported")
        X = X if X.dtype in (np.float32, np.float64) else X.astype(float)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: reshape with X.reshape(-1, 1) for one column")
        values = X
    if 0 in X.shape or reset and X.shape[0] < least:
        raise ValueError(f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) while a minimum of {least} and 1 is required.")
    if not np.isfinite(values).all():
        raise ValueError("Input X contains NaN or infinity.")
    if reset:
        estimator.n_features_in_ = X.shape[1]
        if called is not None and all(isinstance(n, str) for n in called):
            estimator.feature_names_in_ = np.asarray(called, dtype=object)
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
        )
    return X


def _plain_targets(y: Any, numbers: bool) -> Array:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if numbers:
        y = y.astype(float)
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
    return np.asarray(y)
