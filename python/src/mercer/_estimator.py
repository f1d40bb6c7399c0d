"""What all estimators share: how rows become a request, and how a model is kept."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, ClassVar, Optional, Union

import numpy as np

from . import _validation as check
from ._errors import MercerWarning
from ._kernel_text import kernel_text
from ._model import Model
from ._model import fit as fit_model
from ._sklearn import VERSION, BaseEstimator, ConvergenceWarning, NotFittedError
from ._wire import Array
from .kernels import Kernel


class Estimator(BaseEstimator):
    """Keeps a fitted model as its file, which ``save``, ``pickle``, ``joblib`` and ``copy`` hold."""

    _model: Model
    n_features_in_: int
    _sparse_rows = True  # whether it takes CSR rows
    _alone: ClassVar[dict[str, Any]] = {}  # parameters of scikit-learn's that have one value here

    def _fitted(self) -> Model:
        model = getattr(self, "_model", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
            )
        return model  # type: ignore[no-any-return]

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def save(self, file: Union[str, Path]) -> None:
        """Writes the fitted model as a mercer file.

        ``mercer serve``, ``mercer predict`` and :func:`mercer.load` read it.

        Parameters
        ----------
        file : str or Path
            Where to.
        """
        _write_whole(Path(file), self._fitted().file)

    def _begin(self, X: Any, args: dict[str, Any], arrays: dict[str, Array], op: str = "fit") -> tuple[dict[str, Any], dict[str, Array]]:
        """Fits, keeps the model and says what it warned of."""
        for name, value in self._alone.items():
            if not np.array_equal(getattr(self, name), value):
                raise ValueError(f"{name} is {getattr(self, name)!r}; {type(self).__name__} has {value!r} alone")
        self._model, result, out = fit_model(args, arrays, f"fitting {type(self).__name__}", op)
        self._sparse = check.is_sparse(X)
        self._warn(result.get("report") or {})
        return result, out

    def _warn(self, report: dict[str, Any]) -> None:
        for text in report.get("warnings") or []:
            unfinished = any(word in text for word in ("converge", "tolerance", "iteration", "passes"))
            warnings.warn(f"{type(self).__name__}: {text}", ConvergenceWarning if unfinished else MercerWarning, stacklevel=4)

    def _use(self, X: Any, want: list[str], op: str = "predict", **args: Any) -> dict[str, Array]:
        """What the model says of rows."""
        model = self._fitted()
        more, arrays = self._new_rows(X)
        _, out = model.call(op, {"want": want, **args, **more}, arrays, f"{type(self).__name__}.{op}")
        return out

    def _new_rows(self, X: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        """New rows as a request has them: what it says of them, and the arrays."""
        X = check.rows(self, X, reset=False, sparse=self._sparse_rows)
        if check.is_sparse(X) and not self._sparse:
            X = X.toarray()
        return {}, check.points("x", X)

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"pairwise": self._pairwise_input(), "X_types": ["2darray", "sparse"] if self._sparse_rows else ["2darray"]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = self._sparse_rows
        tags.input_tags.pairwise = self._pairwise_input()
        return tags

    def _pairwise_input(self) -> bool:
        return False


class KernelEstimator(Estimator):
    """An estimator with a ``kernel``: a name, an object, a text, ``'precomputed'`` or a callable."""

    kernel: Any
    _of_pairs = False  # whether a callable may be one of two rows, as scikit-learn has it where it is not one of two sets of rows

    def _pairwise_input(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _computed_here(self) -> bool:
        return callable(self.kernel) and not isinstance(self.kernel, Kernel)

    def _kernel_args(self, X: Any) -> dict[str, Any]:
        """The kernel of a request for these rows."""
        if self._pairwise_input() or self._computed_here():
            return {"kernel": ""}
        if self._of_objects():
            text, heads, self._column_arrays = self.kernel.rows("x", X.raw)
            return {"kernel": text, "columns": heads}
        degree, coef0 = getattr(self, "degree", 3), getattr(self, "coef0", 0.0)
        text = kernel_text(self.kernel, X, getattr(self, "gamma", "scale"), 3 if degree is None else degree, 1 if coef0 is None else coef0)
        return {"kernel": text}

    def _called(self, X: Any, Y: Any) -> Array:
        """The matrix that a callable makes of two sets of rows."""
        shape, rows, others = (X.shape[0], Y.shape[0]), _raw(X), _raw(Y)
        more = getattr(self, "kernel_params", None) or {}
        if self._of_pairs and not isinstance(X, check.Objects):
            K = _by_pairs(lambda a, b: self.kernel(a, b, **more), rows, others)
            if K is not None:
                return K
        return _matrix(self.kernel(rows, others, **more), *shape)

    def _fit_rows(self, X: Any) -> dict[str, Array]:
        """The arrays of the rows to learn from."""
        if self._pairwise_input():
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
            return {"x.gram": np.asarray(X.toarray() if check.is_sparse(X) else X)}
        if self._computed_here():
            self._seen = X
            return {"x.gram": self._called(X, X)}
        self._seen = None
        if self._of_objects():
            return self.__dict__.pop("_column_arrays")  # type: ignore[no-any-return]
        return check.points("x", X)

    def _of_objects(self) -> bool:
        return isinstance(self.kernel, Kernel) and self.kernel.on != "numbers"

    def _new_rows(self, X: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        self._fitted()
        if self._of_objects():
            _, heads, arrays = self.kernel.rows("x", check.rows(self, X, reset=False).raw)
            return {"columns": heads}, arrays
        if not (self._pairwise_input() or self._computed_here()):
            return super()._new_rows(X)
        X = check.rows(self, X, reset=False, sparse=self._sparse_rows)
        if self._computed_here():
            return {}, {"x.gram": self._called(X, self._seen)}
        return {}, {"x.gram": np.asarray(X.toarray() if check.is_sparse(X) else X)}


def _raw(X: Any) -> Any:
    """Rows as a callable takes them: a list of objects as it came."""
    return X.raw if isinstance(X, check.Objects) else X


def _by_pairs(kernel: Any, X: Any, Y: Any) -> Optional[Array]:
    """The matrix of a callable that makes a number of two rows; None where it is one of two sets of rows."""
    try:
        ends = kernel(X[0], Y[0]), kernel(X[0], Y[-1]), kernel(X[-1], Y[0])
    except Exception:  # of sets of rows: a row alone is no such, and what then goes wrong is its own affair
        return None
    if any(np.ndim(k) != 0 for k in ends):
        return None
    try:  # one such as a product of matrices does both, and faster at once
        K = np.asarray(kernel(X, Y), dtype=float)
        if K.shape == (len(X), len(Y)) and np.allclose([K[0, 0], K[0, -1], K[-1, 0]], ends):
            return K
    except Exception:  # of rows alone
        pass
    return np.array([[kernel(x, y) for y in Y] for x in X], dtype=float)


def _matrix(K: Any, n: int, m: int) -> Array:
    K = K.toarray() if check.is_sparse(K) else np.asarray(K, dtype=float)
    if K.shape != (n, m):
        raise ValueError(f"the callable kernel made a matrix of shape {K.shape}, not {(n, m)}")
    return K  # type: ignore[no-any-return]


def _write_whole(file: Path, content: bytes) -> None:
    """Writes a file whole or not at all: a full disk leaves what was there."""
    beside = file.with_name(f".{file.name}.part")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def kept_rows(w: Optional[Array]) -> Optional[Array]:
    """The rows that have a say, where some have none."""
    if w is None or np.all(w > 0):
        return None
    return np.flatnonzero(w > 0)


__all__ = ["VERSION", "Estimator", "KernelEstimator", "kept_rows"]
