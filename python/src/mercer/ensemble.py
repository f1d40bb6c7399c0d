"""Forests, the mean of many trees, and boosted trees, their sum."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._shape import seed_of
from ._supervised import ProbaClassifier, Supervised, TableRegressor
from ._wire import Array

_SHARED = """

    Parameters
    ----------
    n_estimators : int, default=100
        How many trees.
    criterion : str, default={criterion!r}
        {criteria}
    max_depth : int, optional
        Cuts above a leaf, at most; no bound by default.
    min_samples_leaf : int or float, default=1
        Rows of a leaf, at least; a number below 1 is a share of the rows.
    max_features : {{'sqrt', 'log2'}}, int, float or None, default={features!r}
        Columns drawn for each node; a number below or at 1.0 is a share of the columns, None all of them.
    bootstrap : bool, default={bootstrap}
        Whether each tree has a bootstrap sample of the rows.
    oob_score : bool, default=False
        Whether each row is judged by the trees that have not seen it.
    n_jobs : int, optional
        Taken, and without effect: the worker has all cores.
    random_state : int, optional
        Seed of samples and draws.{weights}

    Attributes
    ----------
    {attributes}feature_importances_ : ndarray of shape (n_features,)
        The share of each column in what all cuts lower the impurity by; columns of many values are favoured.
    oob_score_ : float
        With ``oob_score``: {score} by the trees that have not seen them.
    {oob} : ndarray
        With ``oob_score``: what these trees say of each row; NaN where every tree has seen it.

    Examples
    --------
    {examples}
"""


class _Trees(Supervised):
    """What estimators of trees share."""

    _sparse_rows = False
    kernel = "linear"  # trees have their own
    n_estimators: int
    max_depth: Optional[int]
    min_samples_leaf: Any
    max_features: Any
    random_state: Any

    def _columns(self) -> int:
        d, wanted = self.n_features_in_, self.max_features
        if wanted is None:
            return d
        if isinstance(wanted, str):
            if wanted not in ("sqrt", "log2"):
                raise ValueError(f"max_features is {wanted!r}; give 'sqrt', 'log2', a number or None")
            return max(1, int(np.sqrt(d) if wanted == "sqrt" else np.log2(d)))
        if isinstance(wanted, (int, np.integer)):
            if not 1 <= wanted:
                raise ValueError(f"max_features is {wanted}; give a positive number")
            return min(int(wanted), d)
        if not 0 < wanted <= 1:
            raise ValueError(f"max_features is {wanted}; a share of the columns lies in (0, 1]")
        return max(1, int(wanted * d))

    def _growth(self, rows: int) -> dict[str, Any]:
        """How trees are grown, as the worker is told."""
        least = self.min_samples_leaf
        if not isinstance(least, (int, np.integer)):
            least = int(np.ceil(least * rows))
        for name, value in (("n_estimators", self.n_estimators), ("min_samples_leaf", least), ("max_depth", 1 if self.max_depth is None else self.max_depth)):
            if value < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; give a positive number")
        return {
            "trees": int(self.n_estimators), "depth": int(self.max_depth or 0), "min": int(least), "columns": self._columns(),
            "seed": seed_of(self.random_state),
        }  # fmt: skip

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        self.feature_importances_ = out["importances"].copy()  # not the whole answer
        if hasattr(self, "classes_"):
            self.n_classes_ = len(self.classes_)


class _Forest(_Trees):
    """What forests share."""

    _learner = "forest"
    _random = False  # thresholds
    criterion: str
    bootstrap: bool
    oob_score: bool
    n_outputs_ = 1

    def _learn(self, X: Any, targets: Array, w: Any, task: dict[str, Any]) -> Any:
        entropy = self.criterion in ("entropy", "log_loss")
        known = ("gini", "entropy", "log_loss") if task["task"] == "classification" else ("squared_error",)
        if self.criterion not in known:
            raise ValueError(f"criterion is {self.criterion!r}; give {', '.join(map(repr, known))}")
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        self._given = X.shape[0]
        how = {**self._growth(X.shape[0]), "random": self._random, "sample": bool(self.bootstrap), "entropy": entropy}
        return super()._learn(X, targets, w, {**task, "forest": how})

    def _out_of_bag(self, result: dict[str, Any], out: dict[str, Array]) -> Array:
        """What trees say of rows that they have not seen, a row for each."""
        self.oob_score_ = float(result["told"].get("oob_score", np.nan))
        count = self._given if self._kept is None else len(self._kept)
        said = out["oob"].reshape(count, -1)
        whole = np.full((self._given, said.shape[1]), np.nan)
        whole[self._rows_of(np.arange(count))] = said
        return whole


class _ForestClassifier(_Forest, ProbaClassifier):
    class_weight: Any

    def _learner_args(self) -> dict[str, Any]:
        return {}

    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        if self.oob_score:
            self.oob_decision_function_ = self._out_of_bag(result, out)


class _ForestRegressor(_Forest, TableRegressor):
    def _learnt(self, X: Any, result: dict[str, Any], out: dict[str, Array]) -> None:
        super()._learnt(X, result, out)
        if self.oob_score:
            self.oob_prediction_ = self._out_of_bag(result, out)[:, 0]


class RandomForestClassifier(_ForestClassifier):
    __doc__ = "A random forest: trees on bootstrap samples, the best threshold of each column drawn." + _SHARED.format(
        criterion="gini", criteria="Impurity that a cut is to lower: 'gini', 'entropy' or 'log_loss'.", features="sqrt", bootstrap=True,
        weights="\n    class_weight : dict or 'balanced', optional\n        What rows of a class weigh.",
        attributes="classes_ : ndarray of shape (n_classes,)\n    ", score="share of right labels", oob="oob_decision_function_",
        examples=">>> from mercer import RandomForestClassifier\n    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]\n    >>> RandomForestClassifier(random_state=0).fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()\n    [0, 1]",
    )  # fmt: skip

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: Optional[int] = None,
        min_samples_leaf: Any = 1,
        max_features: Any = "sqrt",
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight


class ExtraTreesClassifier(_ForestClassifier):
    __doc__ = "Extremely randomised trees: all rows for each tree, one random threshold for each column drawn." + _SHARED.format(
        criterion="gini", criteria="Impurity that a cut is to lower: 'gini', 'entropy' or 'log_loss'.", features="sqrt", bootstrap=False,
        weights="\n    class_weight : dict or 'balanced', optional\n        What rows of a class weigh.",
        attributes="classes_ : ndarray of shape (n_classes,)\n    ", score="share of right labels", oob="oob_decision_function_",
        examples=">>> from mercer import ExtraTreesClassifier\n    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]\n    >>> ExtraTreesClassifier(random_state=0).fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()\n    [0, 1]",
    )  # fmt: skip
    _random = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: Optional[int] = None,
        min_samples_leaf: Any = 1,
        max_features: Any = "sqrt",
        bootstrap: bool = False,
        oob_score: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight


class RandomForestRegressor(_ForestRegressor):
    __doc__ = "A random forest: trees on bootstrap samples, the best threshold of each column drawn." + _SHARED.format(
        criterion="squared_error", criteria="'squared_error': a cut is to lower the variance.", features=1.0, bootstrap=True, weights="", attributes="",
        score="R² of rows", oob="oob_prediction_",
        examples=">>> from mercer import RandomForestRegressor\n    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]\n    >>> RandomForestRegressor(random_state=0).fit(X, y).predict([[0.1], [2.9]]).round(0).tolist()\n    [0.0, 3.0]",
    )  # fmt: skip

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: Optional[int] = None,
        min_samples_leaf: Any = 1,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state


class ExtraTreesRegressor(_ForestRegressor):
    __doc__ = "Extremely randomised trees: all rows for each tree, one random threshold for each column drawn." + _SHARED.format(
        criterion="squared_error", criteria="'squared_error': a cut is to lower the variance.", features=1.0, bootstrap=False, weights="", attributes="",
        score="R² of rows", oob="oob_prediction_",
        examples=">>> from mercer import ExtraTreesRegressor\n    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]\n    >>> ExtraTreesRegressor(random_state=0).fit(X, y).predict([[0.0], [3.0]]).round(2).tolist()\n    [0.0, 3.0]",
    )  # fmt: skip
    _random = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: Optional[int] = None,
        min_samples_leaf: Any = 1,
        max_features: Any = 1.0,
        bootstrap: bool = False,
        oob_score: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state


_BOOSTED = """

    Trees are grown one after the other, each by what those before it have left over. With F the sum so far, and g and h the
    derivatives of the loss, a tree minimises the sum of h(-g/h - f)² over the rows, and a leaf adds to F the learning rate times
    its Newton step.

    Parameters
    ----------
    loss : {{{loss!r}}}, default={loss!r}
        {losses}
    learning_rate : float, default=0.1
        The part of its step that a tree goes, in (0, 1].
    n_estimators : int, default=100
        Rounds: a tree each{rounds}.
    min_samples_leaf : int or float, default=1
        Rows of a leaf, at least; a number below 1 is a share of the rows.
    max_depth : int or None, default=3
        Cuts above a leaf, at most; None is no bound.
    max_features : {{'sqrt', 'log2'}}, int, float or None, default=None
        Columns drawn for each node; a number below or at 1.0 is a share of the columns, None all of them.
    random_state : int, optional
        Seed of draws.{weights}

    Attributes
    ----------
    {attributes}feature_importances_ : ndarray of shape (n_features,)
        The share of each column in what the cuts of all trees gain; columns of many values are favoured.

    Examples
    --------
    {examples}
"""


class _Boosted(_Trees):
    """What boosted trees share."""

    _learner = "boosting"
    _loss: str
    loss: str
    learning_rate: float

    def _learn(self, X: Any, targets: Array, w: Any, task: dict[str, Any]) -> Any:
        if self.loss != self._loss:
            raise ValueError(f"loss is {self.loss!r}; give {self._loss!r}")
        if not 0 < self.learning_rate <= 1:
            raise ValueError(f"learning_rate is {self.learning_rate}; give a number in (0, 1]")
        how = {**self._growth(X.shape[0]), "rate": float(self.learning_rate)}
        if self.max_depth is None:
            how["depth"] = _UNBOUNDED  # 0 is a standard depth there
        self.n_estimators_, self.max_features_ = int(self.n_estimators), self._columns()
        self.n_trees_per_iteration_ = k if (k := len(task.get("classes", ()))) > 2 else 1
        return super()._learn(X, targets, w, {**task, "forest": how})


_UNBOUNDED = 2**31 - 1


class GradientBoostingClassifier(_Boosted, ProbaClassifier):
    __doc__ = "Boosted trees of classes." + _BOOSTED.format(
        loss="log_loss", losses="The logistic loss, of more than two classes the cross-entropy. A leaf is held back as if it had 1 more of curvature.",
        rounds=", of more than two classes a tree for each class",
        weights="\n    class_weight : dict or 'balanced', optional\n        What rows of a class weigh.",
        attributes="classes_ : ndarray of shape (n_classes,)\n    ",
        examples=">>> from mercer import GradientBoostingClassifier\n    >>> X, y = [[-2, -1], [-1, -1], [1, 1], [2, 1]], [0, 0, 1, 1]\n    >>> GradientBoostingClassifier().fit(X, y).predict([[-0.8, -1], [3, 2]]).tolist()\n    [0, 1]",
    )  # fmt: skip
    _loss = "log_loss"

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        min_samples_leaf: Any = 1,
        max_depth: Optional[int] = 3,
        max_features: Any = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.random_state = random_state
        self.class_weight = class_weight

    def _learner_args(self) -> dict[str, Any]:
        return {}

    def decision_function(self, X: Any) -> Array:
        """What the trees add up to: of two classes the logarithm of the odds of the second.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of more than two classes the logarithms of the probabilities, which differ from the sums by a number for each row.
        """
        logs = self.predict_log_proba(X)
        return np.asarray(logs[:, 1] - logs[:, 0]) if logs.shape[1] == 2 else logs


class GradientBoostingRegressor(_Boosted, TableRegressor):
    __doc__ = "Boosted trees of numbers." + _BOOSTED.format(
        loss="squared_error", losses="Squares, the only loss here.", rounds="", weights="", attributes="",
        examples=">>> from mercer import GradientBoostingRegressor\n    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]\n    >>> GradientBoostingRegressor().fit(X, y).predict([[0.1], [2.9]]).round(2).tolist()\n    [0.0, 3.0]",
    )  # fmt: skip
    _loss = "squared_error"

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        min_samples_leaf: Any = 1,
        max_depth: Optional[int] = 3,
        max_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.random_state = random_state


__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
