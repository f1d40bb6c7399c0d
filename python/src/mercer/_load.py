"""Model files, whoever wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _worker
from ._estimator import _write_whole
from ._frame import is_frame, table
from ._model import Model
from ._validation import points
from ._wire import Array


class Loaded:
    """A model of a file, ready for use: what Python or ``mercer fit`` fitted.

    Attributes
    ----------
    role : str
        'predictor', 'projection', 'grouping', 'density' or 'smoother'.
    task : str
    learner : str
    kernel : str
        In mercer's language.
    classes_ : ndarray of str, or None
    feature_names : list of str
        Features that the encoder makes; none of a model that takes its columns as they are.
    """

    def __init__(self, file: bytes) -> None:
        home = _worker.worker()
        result, _ = home.call("load", {}, {"model": np.frombuffer(file, np.uint8)}, "mercer.load")
        self._model = Model(file, home, result["model"])
        self.role: str = result["role"]
        self.task: str = result["task"]
        self.learner: str = result["learner"]
        self.kernel: str = result["kernel"]
        self.classes_: Optional[Array] = np.asarray(result["classes"]) if result.get("classes") else None
        self.feature_names: list[str] = result.get("features") or []
        self.targets: list[str] = result.get("targets") or []
        self.n_features_in_: int = result["dim"]

    def __reduce__(self) -> tuple[Any, ...]:
        return Loaded, (self._model.file,)

    def __repr__(self) -> str:
        return f"<{self.role} of {self.task or self.learner}: {self.learner}, {self.kernel}>"

    def _ask(self, op: str, X: Any, want: list[str], **more: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        args: dict[str, Any] = {"want": want, **more}
        if is_frame(X):
            args["columns"], arrays = table("x", X)
        else:
            arrays = points("x", X if hasattr(X, "tocsr") else np.asarray(X, dtype=float))
        return self._model.call(op, args, arrays, f"{self.learner}.{op}")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """A value or a label for each row.

        Parameters
        ----------
        X : data frame, array-like or CSR matrix
            The rows: with names where the model was fitted to a table.
        return_std : bool, default=False
            Whether standard deviations are wanted, too, of a model that has them.

        Returns
        -------
        ndarray, or a pair of them
        """
        _, out = self._ask("predict", X, ["std"] if return_std else [])
        if "codes" in out:
            assert self.classes_ is not None
            return self.classes_[out["codes"]]
        values = out["values"] if "more" not in out else np.vstack([out["values"][None], out["more"]]).T
        return (values, out["std"]) if return_std else values

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, of a model that has them.

        Parameters
        ----------
        X : data frame, array-like or CSR matrix
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._ask("predict", X, ["proba"])[1]["proba"]

    def decision_function(self, X: Any) -> Array:
        """Decision values, as the model has them.

        Parameters
        ----------
        X : data frame, array-like or CSR matrix
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        scores = self._ask("predict", X, ["scores"])[1]["scores"]
        return scores.ravel() if scores.shape[1] == 1 else scores

    def transform(self, X: Any) -> Array:
        """Coordinates, groups, densities or a curve, of a model that is no predictor.

        Parameters
        ----------
        X : data frame or array-like
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
        """
        return self._ask("transform", X, [])[1]["columns"]

    def save(self, file: Union[str, Path]) -> None:
        """Writes the file again, to the bit.

        Parameters
        ----------
        file : str or Path
            Where to.
        """
        _write_whole(Path(file), self._model.file)


def load(file: Union[str, Path]) -> Loaded:
    """Reads a model file.

    Parameters
    ----------
    file : str or Path
        What ``save`` or ``mercer fit`` wrote.

    Returns
    -------
    Loaded

    Examples
    --------
    >>> import tempfile
    >>> from mercer import SVC, load
    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     SVC().fit(X, y).save(folder + '/m.mercer')
    ...     m = load(folder + '/m.mercer')
    >>> m.predict([[-0.8, -1]]).tolist()
    ['0']
    """
    return Loaded(Path(file).read_bytes())


__all__ = ["Loaded", "load"]
