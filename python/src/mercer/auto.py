"""The whole of ``mercer fit`` on a data frame: task, kinds, search, test, report."""

from __future__ import annotations

import html
import json
from typing import Any, Optional

import numpy as np

from . import _worker
from ._estimator import Estimator
from ._frame import column, is_frame, names, table
from ._load import Loaded
from ._model import Model
from ._wire import Array


class Auto(Estimator):
    """Finds a good model for a table: what to predict is said, the rest is found, tested on rows held out and reported.

    Parameters
    ----------
    time : float, default=60
        Seconds for all of it.
    learner : str, optional
        Learners to try, as 'svm,ridge' or 'svm(nu=0.2)'; by default chosen by the data.
    kernel : str or Kernel, optional
        A kernel for all of them; by default several are tried.
    metric : str, optional
        What to judge by: 'accuracy', 'auc', 'logloss', 'f1', 'rmse', 'mae', 'r2', …
    holdout : float, default=0.2
        Share of rows kept for the final test; 0 means none.
    folds : int, default=0
        Folds of the cross-validation; 0 means 5.
    missing : str, optional
        What is done with missing values: 'mean', 'median', 'drop', …; by default they are refused.
    options : list of str, optional
        Further flags of ``mercer fit``, such as ['--one-se', '--best', 'committee'].
    seed : int, default=1
        Of every random choice.

    Attributes
    ----------
    result_ : dict
        What ``mercer fit --json`` says: leaderboard, test scores, warnings, why.
    learner_, kernel_, task_ : str
    test_ : dict
        Test scores by metric.
    report_ : str
        The page, as HTML; a notebook shows it.
    model_ : Loaded

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Auto
    >>> x = np.linspace(0, 6, 80)
    >>> m = Auto(time=5).fit({"x": x, "y": np.sin(x)}, "y")
    >>> m.task_
    'regression'
    """

    def __init__(
        self,
        time: float = 60,
        *,
        learner: Optional[str] = None,
        kernel: Any = None,
        metric: Optional[str] = None,
        holdout: float = 0.2,
        folds: int = 0,
        missing: Optional[str] = None,
        options: Optional[list[str]] = None,
        seed: int = 1,
    ) -> None:
        self.time = time
        self.learner = learner
        self.kernel = kernel
        self.metric = metric
        self.holdout = holdout
        self.folds = folds
        self.missing = missing
        self.options = options
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Auto:
        """Searches, tests and reports.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow), dict of columns, or array-like
            The table.
        y : str or array-like of shape (n_samples,)
            The name of the column to predict, or its values.

        Returns
        -------
        self
        """
        frame, target = _with_target(X, y)
        heads, arrays = table("data", frame)
        args = ["fit", "data", "--json", "--target", target, "--time", f"{float(self.time)}s", "--holdout", str(self.holdout), "--seed", str(self.seed)]
        for flag, value in (("--learner", self.learner), ("--kernel", self.kernel), ("--metric", self.metric), ("--missing", self.missing)):
            if value is not None:
                args += [flag, str(value)]
        args += ["--folds", str(self.folds), "-o", "model.mercer", *(self.options or [])]
        result, out = _worker.call("run", {"args": args, "tables": {"data": heads}}, arrays, "Auto.fit")
        if "file.model.mercer" not in out:
            raise ValueError(result["err"].strip() or f"mercer fit ended with code {result['code']}")
        self.result_: dict[str, Any] = json.loads(result["out"])
        self._model = Model(out["file.model.mercer"].tobytes())
        self.model_ = Loaded(self._model.file)
        page = out.get("file.model.report.html")
        self.report_ = page.tobytes().decode() if page is not None else ""
        self.task_, self.learner_, self.kernel_ = self.result_["task"], self.result_["learner"], self.result_["kernel"]
        self.test_ = {t["metric"]: t["value"] for t in self.result_["test"] or []}
        self.target_ = target
        self.feature_names_in_ = np.asarray([n for n in names(frame) if n != target], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        if self.model_.classes_ is not None:
            self.classes_ = _as_given(self.model_.classes_, np.asarray(column(frame, names(frame).index(target))))
        self._array = not is_frame(X)
        return self

    def _table(self, X: Any) -> Any:
        self._fitted()
        if is_frame(X):
            return X
        X = np.asarray(X)
        return {n: X[:, i] for i, n in enumerate(self.feature_names_in_)}

    def predict(self, X: Any) -> Array:
        """A value or a label for each row.

        Parameters
        ----------
        X : data frame or array-like
            The rows, with the columns that were fitted to.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        said: Array = self.model_.predict(self._table(X))
        if self.model_.classes_ is None:
            return said
        place = {c: i for i, c in enumerate(self.model_.classes_.tolist())}
        return self.classes_[[place[c] for c in said.tolist()]]

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class.

        Parameters
        ----------
        X : data frame or array-like
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.model_.predict_proba(self._table(X))

    def score(self, X: Any, y: Any) -> float:
        """The share of right labels, or R²."""
        said, y = self.predict(X), np.asarray(X[y] if isinstance(y, str) else y)
        if self.model_.classes_ is not None:
            return float(np.mean(said.astype(str) == y.astype(str)))
        return float(1 - np.sum((y - said) ** 2) / np.sum((y - y.mean()) ** 2))

    def _repr_html_(self) -> str:
        if not getattr(self, "report_", ""):
            return f"<pre>{html.escape(repr(self))}</pre>"
        return f'<iframe srcdoc="{html.escape(self.report_)}" width="100%" height="800" style="border:none"></iframe>'

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _as_given(classes: Array, given: Array) -> Array:
    """The classes of a file, which are texts, as the values that they were given as."""
    of: dict[str, Any] = {}
    for v in given.tolist():
        of[str(v)] = v
        if isinstance(v, float) and v.is_integer():
            of[str(int(v))] = v
    if any(c not in of for c in classes.tolist()):
        return classes
    return np.asarray([of[c] for c in classes.tolist()], dtype=given.dtype)


def _with_target(X: Any, y: Any) -> tuple[Any, str]:
    """The table with its target, and the name of that."""
    if isinstance(y, str):
        if not is_frame(X):
            raise ValueError("an array has no names; give the values of the target")
        if y not in names(X):
            raise ValueError(f"there is no column {y!r}; there are {', '.join(names(X))}")
        return X, y
    if is_frame(X):
        frame = {n: X[n] for n in (X if isinstance(X, dict) else names(X))}
    else:
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
        frame = {f"x{i + 1}": X[:, i] for i in range(X.shape[1])}
    name = str(getattr(y, "name", None) or "target")
    while name in frame:
        name += "_"
    return {**frame, name: y}, name


__all__ = ["Auto"]
