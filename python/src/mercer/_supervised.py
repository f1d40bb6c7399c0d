"""Classifiers and regressors by a learner of mercer's table."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _validation as check
from ._estimator import KernelEstimator, kept_rows
from ._sklearn import ClassifierMixin, RegressorMixin
from ._wire import Array


class Supervised(KernelEstimator):
    """A fit of a learner: rows, targets, weights, parameters."""

    _learner: str
    _weighted = True
    n_iter_: Any

    def _learner_params(self) -> dict[str, Any]:
        """The parameters of mercer's learner, by its names."""
        return {}

    def _learner_args(self) -> dict[str, Any]:
        """What else the fit is told."""
        return {}

    def _known_noise(self, X: Any) -> dict[str, Array]:
        """What is known of the noise of each row."""
        return {}

    def _tolerance(self) -> float:
        return float(getattr(self, "tol", None) or 0)

    def _learn(self, X: Any, targets: Array, w: Optional[Array], task: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
        """Fits to rows with a say. ``targets`` has a row for each target."""
        keep = kept_rows(w)
        if keep is not None:
            assert w is not None
            X, targets, w = X[keep], targets[:, keep], w[keep]
            if self._pairwise_input():
                X = X[:, keep]
        self._kept = keep
        args = {
            "learner": self._learner, "params": self._learner_params(), "tol": self._tolerance(),
            **self._kernel_args(X), **self._learner_args(), **task,
        }  # fmt: skip
        arrays = {**self._fit_rows(X), "y": targets, **self._known_noise(X)}
        if w is not None:
            arrays["weights"] = w
        result, out = self._begin(X, args, arrays)
        self._learnt(X, result, out)
        return result, out

    def _new_rows(self, X: Any) -> tuple[dict[str, Any], dict[str, Array]]:
        args, arrays = super()._new_rows(X)
        if self._pairwise_input() and self._kept is not None:  # the model knows the objects that had a say
            arrays["x.gram"] = arrays["x.gram"][:, self._kept]
        return args, arrays

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        """Sets the attributes of the fitted estimator."""
        self.n_iter_ = max(int(result["report"]["iterations"]), 1)

    def _rows_of(self, places: Array) -> Array:
        """Numbers of rows as they came in."""
        return places if self._kept is None else self._kept[places]


class TableClassifier(ClassifierMixin, Supervised):
    """A classifier; labels may be anything that sorts."""

    classes_: Array

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits to rows and their labels.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows; the kernel matrix of shape (n_samples, n_samples) with ``kernel='precomputed'``.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs; all the same by default.

        Returns
        -------
        self
        """
        X, self.classes_, codes = check.rows_and_labels(self, X, y, sparse=self._sparse_rows)
        w = self._row_weights(X, codes, check.weights(sample_weight, X))
        left = len(self.classes_) if w is None else np.count_nonzero(np.bincount(codes, w > 0))
        if left < len(self.classes_) or left < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {left} class"
                if left < 2
                else f"{len(self.classes_) - left} of the {len(self.classes_)} classes have no row of positive weight; leave the class out"
            )
        self._codes = codes
        try:
            self._learn(X, codes.astype(float)[None], w, {"task": "classification", "classes": [str(c) for c in self.classes_]})
        finally:
            del self._codes
        return self

    def _row_weights(self, X: Any, codes: Array, w: Optional[Array]) -> Optional[Array]:
        wanted = getattr(self, "class_weight", None)
        of_class = class_weights(wanted, self.classes_, codes)
        if hasattr(self, "class_weight"):
            self.class_weight_ = of_class
        if wanted is None or np.all(of_class == 1):
            return w
        return np.asarray(of_class[codes] if w is None else of_class[codes] * w)

    def predict(self, X: Any) -> Array:
        """The label of each row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        out = self._use(X, [])
        return self.classes_[out["codes"]]

    def _scores(self, X: Any) -> Array:
        return self._use(X, ["scores"])["scores"]

    def _proba(self, X: Any) -> Array:
        return self._use(X, ["proba"])["proba"]


class OneVsRestScores(TableClassifier):
    """A classifier with one decision value for two classes, and one for each of more."""

    def decision_function(self, X: Any) -> Array:
        """The decision values: of the second of two classes, of each of more.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores


class LinearWeights(Supervised):
    """A model that is linear in its columns."""

    kernel = "linear"
    coef_: Any

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.coef_, self.intercept_ = out["saved.weights"].copy(), np.array(out["bias"])

    def sparsify(self) -> Any:
        """Makes ``coef_`` a CSR matrix; what the model says is the same."""
        self._fitted()
        import scipy.sparse  # type: ignore[import-untyped]

        self.coef_ = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Any:
        """Makes ``coef_`` an array again."""
        self._fitted()
        self.coef_ = self.coef_.toarray() if check.is_sparse(self.coef_) else self.coef_
        return self


class ProbaClassifier(TableClassifier):
    """A classifier that always knows probabilities."""

    def _learner_args(self) -> dict[str, Any]:
        return {"proba": True}

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._proba(X)

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TableRegressor(RegressorMixin, Supervised):
    """A regressor of numbers."""

    _several = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fits to rows and their values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows; the kernel matrix of shape (n_samples, n_samples) with ``kernel='precomputed'``.
        y : array-like of shape (n_samples,)
            Their values; of shape (n_samples, n_targets) where the learner takes several.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs; all the same by default.

        Returns
        -------
        self
        """
        X, y = check.rows_and_targets(self, X, y, sparse=self._sparse_rows, several=self._several, numbers=True)
        self._flat = y.ndim == 1
        targets = y[None] if self._flat else np.ascontiguousarray(y.T)
        w = check.weights(sample_weight, X)
        self._n_rows = X.shape[0]
        found = []
        for t in range(len(targets)):
            self._target = t
            self._learn(X, targets[t : t + 1], w, {"task": "regression"})
            found.append(self._found())
        del self._target, self._n_rows
        self._models = [f.pop("_model") for f in found]
        self._gather(found)
        return self

    def _found(self) -> dict[str, Any]:
        """What the fit of one target left: its model, and attributes that each target has of its own."""
        return {"_model": self._model}

    def _gather(self, found: list[dict[str, Any]]) -> None:
        """Sets attributes from those of each target."""

    def save(self, file: Any) -> None:
        if len(self._models_or_none() or [0]) > 1:
            raise ValueError(f"there are {len(self._models)} targets, and a file is of one; fit and save an estimator for each")
        super().save(file)

    save.__doc__ = Supervised.save.__doc__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput": self._several}

    def _models_or_none(self) -> Any:
        return getattr(self, "_models", None)

    def predict(self, X: Any) -> Array:
        """The value of each row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        return self._each(X, [], "values")["values"]

    def _each(self, X: Any, want: list[str], *names: str) -> dict[str, Array]:
        """What the models of all targets say: a column for each where there are several."""
        self._fitted()
        args, arrays = self._new_rows(X)
        said = [m.call("predict", {"want": want, **args}, arrays, f"{type(self).__name__}.predict")[1] for m in self._models]
        return {n: said[0][n] if self._flat else np.column_stack([s[n] for s in said]) for n in names}


def coefficients(out: dict[str, Array]) -> Array:
    """The coefficients of a fit, a row for each centre and a column for each machine."""
    if "coef" in out:
        return out["coef"]
    row, column, value = entries(out)
    dense = np.zeros((len(out["coef.ptr"]) - 1, int(out["coef.columns"][0])))
    dense[row, column] = value
    return dense


def entries(out: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Rows, columns and values of the coefficients that are not 0, row after row."""
    if "coef" in out:
        row, column = np.nonzero(out["coef"])
        return row, column, out["coef"][row, column]
    ptr = out["coef.ptr"]
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr)), out["coef.index"], out["coef.value"]


def class_weights(wanted: Any, classes: Array, codes: Array) -> Array:
    """What a row of each class weighs: 'balanced' is n/(classes · rows of the class)."""
    out = np.ones(len(classes))
    if wanted is None:
        return out
    if isinstance(wanted, str):
        if wanted != "balanced":
            raise ValueError(f"class_weight is {wanted!r}; give None, 'balanced' or a dict of weights by class")
        return len(codes) / (len(classes) * np.bincount(codes, minlength=len(classes)))
    known = {c: i for i, c in enumerate(classes.tolist())}
    for label, weight in dict(wanted).items():
        if label not in known:
            raise ValueError(f"The classes, {[label]}, are not in class_weight: there are {list(known)}")
        out[known[label]] = weight
    return out
