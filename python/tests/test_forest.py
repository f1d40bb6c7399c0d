"""Forests: what scikit-learn's say of the same rows, and judgements by trees that have not seen a row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import mercer

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_as_good_as_theirs_on_classes(name):
    A, b = load_breast_cancer(return_X_y=True)
    ours = cross_val_score(getattr(mercer, name)(random_state=0), A, b, cv=4).mean()
    theirs = cross_val_score(getattr(ensemble, name)(random_state=0), A, b, cv=4).mean()
    assert abs(ours - theirs) < 0.02


@pytest.mark.parametrize("name", ["RandomForestRegressor", "ExtraTreesRegressor"])
def test_as_good_as_theirs_on_numbers(name):
    A, t = load_diabetes(return_X_y=True)
    ours = cross_val_score(getattr(mercer, name)(random_state=0), A, t, cv=4).mean()
    theirs = cross_val_score(getattr(ensemble, name)(random_state=0), A, t, cv=4).mean()
    assert abs(ours - theirs) < 0.05


def test_one_tree_without_chance_is_theirs():
    how = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for least, depth in ((1, None), (5, None), (1, 2)):
        ours = mercer.RandomForestClassifier(min_samples_leaf=least, max_depth=depth, **how).fit(X, y)
        theirs = DecisionTreeClassifier(min_samples_leaf=least, max_depth=depth, random_state=0).fit(X, y)
        assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.98  # two cuts may lower the impurity by the same
        assert abs(ours.score(X, y) - theirs.score(X, y)) < 0.01


def test_out_of_the_bag(rng):
    m = mercer.RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    theirs = ensemble.RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    assert abs(m.oob_score_ - theirs.oob_score_) < 0.03
    assert m.oob_score_ == pytest.approx(np.mean(m.classes_[m.oob_decision_function_.argmax(axis=1)] == y))
    noise = mercer.RandomForestRegressor(oob_score=True, random_state=0).fit(rng.normal(size=(200, 3)), rng.normal(size=200))
    assert noise.oob_score_ < 0.2 and noise.oob_prediction_.shape == (200,)
    w = np.where(np.arange(150) % 5 == 0, 0.0, 1.0)
    part = mercer.RandomForestClassifier(oob_score=True, random_state=0).fit(X, y, sample_weight=w)
    assert np.isnan(part.oob_decision_function_[::5]).all() and not np.isnan(part.oob_decision_function_[w > 0]).any()
    with pytest.raises(ValueError, match="bootstrap"):
        mercer.ExtraTreesRegressor(oob_score=True).fit(X, y)


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor", "ExtraTreesRegressor"])
def test_importances(name, rng):
    A = rng.normal(size=(800, 6))
    t = 4 * A[:, 2] + 2 * A[:, 0] + A[:, 5] + 0.3 * rng.normal(size=800)
    if name.endswith("Classifier"):
        t = np.digitize(t, [-2, 2])
    ours = getattr(mercer, name)(random_state=0).fit(A, t).feature_importances_
    theirs = getattr(ensemble, name)(random_state=0).fit(A, t).feature_importances_
    assert np.argsort(ours)[::-1][:3].tolist() == np.argsort(theirs)[::-1][:3].tolist() == [2, 0, 5]
    np.testing.assert_allclose(ours, theirs, atol=0.02)
    assert ours.sum() == pytest.approx(1)
    flat = getattr(mercer, name)(max_depth=1, min_samples_leaf=500).fit(A, t)  # no cut anywhere
    np.testing.assert_array_equal(flat.feature_importances_, np.zeros(6))


def test_seeds_weights_and_columns():
    a, b, c = (mercer.RandomForestClassifier(random_state=s).fit(X, y).predict_proba(X) for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 0
    heavy = mercer.RandomForestClassifier(max_depth=1, random_state=0, class_weight={0: 1, 1: 1, 2: 1000}).fit(X, y)
    assert heavy.predict_proba(X)[:, 2].mean() > 0.5
    for features in ("sqrt", "log2", None, 1, 0.5):
        assert mercer.ExtraTreesClassifier(max_features=features, random_state=0).fit(X, y).score(X, y) == 1
    for bad in ({"max_features": "all"}, {"max_features": 0}, {"max_features": 1.5}, {"n_estimators": 0}, {"min_samples_leaf": 0}, {"max_depth": 0}, {"criterion": "mse"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            mercer.RandomForestClassifier(**bad).fit(X, y)


def test_boosted_numbers_are_theirs(rng):
    """Columns of fewer numbers than bins, no ties between cuts: the same trees, to the last digits."""
    A = rng.normal(size=(200, 4))
    t = np.sin(2 * A[:, 0]) + A[:, 1] * A[:, 2] + 0.3 * rng.normal(size=200)
    w = rng.uniform(0.5, 2, size=200)
    new = rng.normal(size=(100, 4))
    for how in ({}, {"max_depth": 2, "n_estimators": 300}, {"min_samples_leaf": 7, "learning_rate": 0.3}, {"max_depth": None, "min_samples_leaf": 0.05}):
        ours = mercer.GradientBoostingRegressor(**how).fit(A, t, w)
        theirs = ensemble.GradientBoostingRegressor(random_state=0, **how).fit(A, t, w)
        np.testing.assert_allclose(ours.predict(A), theirs.predict(A), rtol=1e-8, atol=1e-8)
        if "min_samples_leaf" in how:  # else two columns may cut a few rows in the same way
            np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-8)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.03)


def test_boosted_weight_two_is_a_row_twice(rng):
    A = rng.normal(size=(150, 3))
    t, w = A[:, 0] * A[:, 1] + rng.normal(size=150), rng.integers(0, 4, size=150)
    for make, target in ((mercer.GradientBoostingRegressor, t), (mercer.GradientBoostingClassifier, np.digitize(t, [-0.5, 0.5]))):
        weighted = make(random_state=0).fit(A, target, w)
        repeated = make(random_state=0).fit(np.repeat(A, w, axis=0), np.repeat(target, w))
        said = "predict_proba" if hasattr(weighted, "predict_proba") else "predict"
        np.testing.assert_allclose(getattr(weighted, said)(A[w > 0]), getattr(repeated, said)(A[w > 0]), atol=1e-8)


@pytest.mark.parametrize("data", [load_iris, load_breast_cancer])
def test_boosted_classes(data):
    A, b = data(return_X_y=True)
    ours = cross_val_score(mercer.GradientBoostingClassifier(), A, b, cv=4).mean()
    theirs = cross_val_score(ensemble.GradientBoostingClassifier(random_state=0), A, b, cv=4).mean()
    assert abs(ours - theirs) < 0.02
    m = mercer.GradientBoostingClassifier(class_weight="balanced").fit(A, b)
    P, scores = m.predict_proba(A), m.decision_function(A)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(m.predict(A), m.classes_[P.argmax(axis=1)])
    if len(m.classes_) == 2:
        np.testing.assert_allclose(1 / (1 + np.exp(-scores)), P[:, 1])
    else:
        np.testing.assert_array_equal(scores.argmax(axis=1), P.argmax(axis=1))
    assert m.feature_importances_.sum() == pytest.approx(1) and m.feature_importances_.shape == (A.shape[1],)


def test_boosted_parameters():
    for features in ("sqrt", "log2", None, 1, 0.5):
        assert mercer.GradientBoostingClassifier(max_features=features, random_state=0).fit(X, y).score(X, y) > 0.98
    a, b, c = (mercer.GradientBoostingClassifier(max_features=1, random_state=s).fit(X, y).predict_proba(X) for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 0
    for bad in ({"loss": "exponential"}, {"learning_rate": 0}, {"learning_rate": 1.5}, {"max_features": "all"}, {"n_estimators": 0}, {"min_samples_leaf": 0}, {"max_depth": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            mercer.GradientBoostingClassifier(**bad).fit(X, y)


@pytest.mark.parametrize("name", ["RandomForestRegressor", "GradientBoostingRegressor"])
def test_a_file_keeps_the_importances(name, tmp_path):
    import json
    import subprocess

    m = getattr(mercer, name)(random_state=0).fit(X, y)
    m.save(tmp_path / "m.mercer")
    said = subprocess.run([mercer.program(), "inspect", "--json", tmp_path / "m.mercer"], capture_output=True, check=True).stdout
    np.testing.assert_array_equal(json.loads(said)["importances"], m.feature_importances_)
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(X), m.predict(X))
