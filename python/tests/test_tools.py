"""scikit-learn's tools with mercer's estimators in them: searches, pipelines, calibration, importance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_classification
from sklearn.decomposition import KernelPCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

import mercer
from mercer.kernels import Gaussian, Linear, Matern, Spectrum

X, y = load_iris(return_X_y=True)


def test_a_search_by_names_of_parameters():
    grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    ours = GridSearchCV(mercer.SVC(tol=1e-6), grid, cv=folds).fit(X, y)
    theirs = GridSearchCV(SVC(tol=1e-6), grid, cv=folds).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1e-12)
    assert ours.best_params_ == theirs.best_params_


def test_a_search_by_names_of_a_kernels_parameters():
    k = Gaussian(1.0) + 0.5 * Linear()
    grid = {"kernel__k1__lengthscale": [0.1, 1.0, 5.0], "kernel__k2__weight": [0.1, 2.0], "C": [1, 10]}
    search = GridSearchCV(mercer.SVC(kernel=k), grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 12 and search.best_score_ > 0.95
    best = search.best_params_
    by_hand = Gaussian(best["kernel__k1__lengthscale"]) + best["kernel__k2__weight"] * Linear()
    assert search.best_estimator_.kernel == by_hand
    np.testing.assert_array_equal(mercer.SVC(kernel=by_hand, C=best["C"]).fit(X, y).predict(X), search.predict(X))
    assert k == Gaussian(1.0) + 0.5 * Linear()  # the search worked on copies
    kernels = GridSearchCV(mercer.KernelRidge(alpha=0.1), {"kernel": [Gaussian(1.0), Matern(nu=1.5), "linear"]}, cv=3).fit(X, X[:, 0])
    assert kernels.best_params_["kernel"] == "linear"


def test_clone_keeps_kernels_apart():
    m = mercer.SVC(kernel=Gaussian(2.0))
    other = clone(m).set_params(kernel__lengthscale=3.0)
    assert m.kernel.lengthscale == 2.0 and other.kernel.lengthscale == 3.0


def test_pipeline():
    ours = make_pipeline(StandardScaler(), mercer.KernelPCA(3, kernel="rbf", gamma=0.1), mercer.LinearSVC()).fit(X, y)
    theirs = make_pipeline(StandardScaler(), KernelPCA(3, kernel="rbf", gamma=0.1), LinearSVC()).fit(X, y)
    assert abs(ours.score(X, y) - theirs.score(X, y)) < 0.01
    steps = Pipeline([("scale", StandardScaler()), ("svm", mercer.SVC())])
    theirs = Pipeline([("scale", StandardScaler()), ("svm", SVC())])
    grid = {"svm__C": [1, 10], "svm__gamma": [0.1, "scale"]}
    a, b = GridSearchCV(steps, grid, cv=3).fit(X, y), GridSearchCV(theirs, grid, cv=3).fit(X, y)
    np.testing.assert_allclose(a.cv_results_["mean_test_score"], b.cv_results_["mean_test_score"], atol=1e-12)
    texts = ["good film", "bad film", "good food", "bad food", "very good", "very bad"] * 5
    marks = np.array([1, 0, 1, 0, 1, 0] * 5)
    assert make_pipeline(TfidfVectorizer(), mercer.LinearSVC()).fit(texts, marks).score(texts, marks) == 1
    assert mercer.SVC(kernel=Spectrum(2)).fit(texts, marks).score(texts, marks) == 1


def test_column_transformer(rng):
    df = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90), "town": rng.choice(["x", "y", "z"], 90)})
    marks = np.where((df["a"] > 0) ^ (df["town"] == "x"), "yes", "no")
    columns = ColumnTransformer([("numbers", mercer.Nystroem(gamma=0.5, n_components=10), ["a", "b"]), ("towns", OneHotEncoder(), ["town"])])
    m = make_pipeline(columns, mercer.SVC(C=100)).fit(df, marks)
    assert m.score(df, marks) > 0.9 and m[:-1].get_feature_names_out().tolist()[0] == "numbers__nystroem0"
    plain = make_pipeline(columns, SVC(C=100)).fit(df, marks)
    np.testing.assert_array_equal(m.predict(df), plain.predict(df))


def test_names_of_columns_in_and_out():
    df = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    m = mercer.KernelPCA(2, kernel="rbf").set_output(transform="pandas").fit(df)
    assert m.feature_names_in_.tolist() == ["a", "b", "c", "d"] and m.transform(df).columns.tolist() == ["kernelpca0", "kernelpca1"]
    clf = mercer.SVC().fit(df, y)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(df[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(clf.predict(X), clf.predict(df))


def test_calibration():
    A, b = make_classification(300, 6, random_state=0)
    for method in ("sigmoid", "isotonic"):
        ours = CalibratedClassifierCV(mercer.SVC(tol=1e-8), method=method, cv=3).fit(A, b)
        theirs = CalibratedClassifierCV(SVC(tol=1e-8), method=method, cv=3).fit(A, b)
        # isotonic steps are cut between decision values: one that differs in the last digits is another step for a row
        np.testing.assert_allclose(ours.predict_proba(A), theirs.predict_proba(A), atol=1e-4)


def test_permutation_importance(rng):
    A = rng.normal(size=(200, 4))
    b = (A[:, 0] + 0.5 * A[:, 2] > 0).astype(int)
    ours = permutation_importance(mercer.SVC().fit(A, b), A, b, n_repeats=3, random_state=0)
    theirs = permutation_importance(SVC().fit(A, b), A, b, n_repeats=3, random_state=0)
    np.testing.assert_allclose(ours.importances_mean, theirs.importances_mean, atol=0.02)
    assert np.argsort(ours.importances_mean)[::-1][:2].tolist() == [0, 2]
    forest = permutation_importance(mercer.RandomForestClassifier(random_state=0).fit(A, b), A, b, n_repeats=3, random_state=0)
    assert forest.importances_mean.argmax() == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_predictions_across_folds(jobs):
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    ours = cross_val_predict(mercer.SVC(tol=1e-8), X, y, cv=folds, n_jobs=jobs, method="decision_function")
    theirs = cross_val_predict(SVC(tol=1e-8), X, y, cv=folds, method="decision_function")
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert cross_val_score(mercer.KernelLogistic(), X, y, n_jobs=jobs).mean() > 0.9


def test_a_matrix_is_cut_by_rows_and_columns_in_folds():
    K = Gaussian(1.5)(X)
    by_matrix = cross_val_predict(mercer.SVC(kernel="precomputed"), K, y, cv=3)
    np.testing.assert_array_equal(by_matrix, cross_val_predict(mercer.SVC(kernel=Gaussian(1.5)), X, y, cv=3))


def test_one_against_the_rest():
    assert OneVsRestClassifier(mercer.SVC()).fit(X, y).score(X, y) > 0.95
