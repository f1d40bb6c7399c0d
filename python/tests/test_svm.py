"""Support vector machines beside scikit-learn's: both solve one problem."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm as theirs
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import Spectrum

SHARP = {"tol": 1e-10}


def iris():
    """The irises without the rows that are there twice, of which a dual solution may take either."""
    X, y = load_iris(return_X_y=True)
    X, first = np.unique(X, axis=0, return_index=True)
    return X, y[first]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"C": 100.0, "gamma": "auto"},
        {"kernel": "linear", "C": 0.5},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.1},
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0, 2: 0.5}},
        {"decision_function_shape": "ovo"},
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_svc_is_that_of_scikit_learn(params, classes):
    X, y = iris()
    X, y = X[y < classes], y[y < classes]
    if params.get("class_weight") and classes == 2 and params["class_weight"] != "balanced":
        params = {**params, "class_weight": {0: 3.0}}
    ours, other = mercer.SVC(**params, **SHARP).fit(X, y), theirs.SVC(**params, **SHARP).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=2e-5)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    np.testing.assert_array_equal(ours.support_, other.support_)
    np.testing.assert_array_equal(ours.n_support_, other.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, other.dual_coef_, atol=1e-3 * np.abs(other.dual_coef_).max())
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_vectors_, other.support_vectors_)
    if params.get("kernel") == "linear":
        np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)


def test_decision_is_the_sum_over_support_vectors():
    X, y = iris()
    m = mercer.SVC(gamma=0.3).fit(X, y == 1)
    by_hand = rbf_kernel(X, m.support_vectors_, gamma=0.3) @ m.dual_coef_[0] + m.intercept_
    np.testing.assert_allclose(m.decision_function(X), by_hand, atol=1e-10)


def test_nu_svc_and_one_class_and_regression():
    X, y = iris()
    a, b = mercer.NuSVC(nu=0.2, **SHARP).fit(X, y), theirs.NuSVC(nu=0.2, **SHARP).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-2)  # LIBSVM's columns are float32, divided by ρ
    a, b = mercer.OneClassSVM(nu=0.3, **SHARP).fit(X), theirs.OneClassSVM(nu=0.3, **SHARP).fit(X)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(a.offset_, b.offset_[0], atol=1e-5)
    np.testing.assert_array_equal(a.predict(X), np.where(a.decision_function(X) >= 0, 1, -1))
    X, t = make_regression(80, 4, noise=10, random_state=0)
    for ours, other in ((mercer.SVR, theirs.SVR), (mercer.NuSVR, theirs.NuSVR)):
        a, b = ours(C=10, **SHARP).fit(X, t), other(C=10, **SHARP).fit(X, t)
        np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-4)
        np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, atol=1e-3)
        np.testing.assert_array_equal(a.support_, b.support_)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_svc_is_that_of_liblinear(loss):
    X, y = make_classification(200, 10, n_informative=5, n_classes=3, random_state=0)
    for intercept in (True, False):
        params = {"loss": loss, "fit_intercept": intercept, "tol": 1e-9, "max_iter": 1_000_000, "C": 0.1}
        a, b = mercer.LinearSVC(**params).fit(X, y), theirs.LinearSVC(dual=True, **params).fit(X, y)
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)
        np.testing.assert_allclose(np.broadcast_to(a.intercept_, 3), np.broadcast_to(b.intercept_, 3), atol=1e-5)
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)


def test_kernels_that_python_computes():
    X, y = iris()
    new = X[::3] + 0.1
    plain = mercer.SVC(gamma=0.4, **SHARP).fit(X, y).decision_function(new)
    given = mercer.SVC(kernel="precomputed", **SHARP).fit(rbf_kernel(X, gamma=0.4), y)
    np.testing.assert_allclose(given.decision_function(rbf_kernel(new, X, gamma=0.4)), plain, atol=1e-6)
    called = mercer.SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.4), **SHARP).fit(X, y)
    np.testing.assert_allclose(called.decision_function(new), plain, atol=1e-6)
    written = mercer.SVC(kernel="gaussian(gamma=0.4)", **SHARP).fit(X, y)
    np.testing.assert_array_equal(written.decision_function(new), plain)
    with pytest.raises(ValueError, match="square"):
        mercer.SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        mercer.SVC(kernel=lambda a, b: np.ones((2, 2))).fit(X, y)


def test_precomputed_with_rows_of_no_weight():
    X, y = iris()
    w = np.ones(len(X))
    w[::4] = 0
    K = rbf_kernel(X, gamma=0.4)
    m = mercer.SVC(kernel="precomputed", **SHARP).fit(K, y, sample_weight=w)
    part = mercer.SVC(gamma=0.4, **SHARP).fit(X[w > 0], y[w > 0])
    np.testing.assert_allclose(m.decision_function(K), part.decision_function(X), atol=1e-6)
    assert not set(m.support_) & set(np.flatnonzero(w == 0))


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse_rows_are_dense_rows(rng, make):
    X = rng.normal(size=(60, 30)) * (rng.random((60, 30)) < 0.2)
    y = np.where(X.sum(axis=1) > 0, "up", "down")
    dense, sparse = mercer.SVC(**SHARP).fit(X, y), mercer.SVC(**SHARP).fit(make(X), y)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(sparse.decision_function(make(X)), dense.decision_function(make(X)), atol=1e-6)
    assert scipy.sparse.issparse(sparse.dual_coef_) and scipy.sparse.issparse(sparse.support_vectors_)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, bool, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_type_and_order_is_the_same_rows(rng, dtype, order):
    X = rng.integers(0, 2, size=(5000, 12)).astype(dtype, order=order)  # beyond what travels in the message itself
    y = rng.integers(0, 2, size=5000)
    plain = np.ascontiguousarray(X, dtype=np.float64)
    a, b = mercer.LinearSVC(max_iter=5).fit(X, y), mercer.LinearSVC(max_iter=5).fit(plain, y)
    np.testing.assert_array_equal(a.coef_, b.coef_)
    np.testing.assert_array_equal(a.decision_function(X[::2]), b.decision_function(plain[::2]))


def test_probabilities():
    X, y = iris()
    m = mercer.SVC(probability=True).fit(X, y)
    p = m.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(m.classes_[p.argmax(axis=1)], m.predict(X))
    np.testing.assert_allclose(np.exp(m.predict_log_proba(X)), p)
    other = theirs.SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    assert np.abs(p - other).mean() < 0.03  # other folds
    assert not hasattr(mercer.SVC(), "predict_proba")


def test_labels_of_any_kind():
    X, y = iris()
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for labels in (names, names.astype(object), y * 10 - 5, y == 1):
        m = mercer.SVC().fit(X, labels)
        assert m.score(X, labels) > 0.9
        assert m.predict(X).dtype == np.asarray(labels).dtype


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"C": -1}, "C is -1"),
        ({"C": 0}, "C is 0"),
        ({"gamma": "wide"}, "gamma"),
        ({"gamma": 0}, "gamma"),
        ({"kernel": "rfb"}, "kernel is 'rfb'"),
        ({"kernel": "gausian()"}, "gaussian"),
        ({"tol": 0}, "tol is 0"),
        ({"max_iter": -5}, "max_iter"),
        ({"class_weight": "even"}, "class_weight"),
        ({"class_weight": {7: 2.0}}, "class_weight"),
        ({"decision_function_shape": "x"}, "decision_function_shape"),
    ],
)
def test_what_is_wrong_is_named(params, words):
    X, y = iris()
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        mercer.SVC(**params).fit(X, y)


def test_bad_rows():
    X, y = iris()
    m = mercer.SVC().fit(X, y)
    for bad in (np.full_like(X, np.nan), np.full_like(X, np.inf), X[:, :2], X[0], X[:0]):
        with pytest.raises(ValueError):
            m.predict(bad)
        if bad.shape != X[:, :2].shape:
            with pytest.raises(ValueError):
                mercer.SVC().fit(bad, y[: len(bad)])
    with pytest.raises(ValueError):
        mercer.SVC().fit(X, y[:-1])
    with pytest.raises(ValueError):
        mercer.SVC().fit([["a", "b"], ["c", "d"]], [0, 1])
    with pytest.raises(ValueError, match="classes"):
        mercer.SVC().fit(X, np.zeros(len(X)))


def test_a_bound_on_steps_is_kept_and_said(rng):
    X = rng.normal(size=(300, 5))
    y = rng.integers(0, 2, 300)
    with pytest.warns(UserWarning):
        m = mercer.SVC(C=1e6, max_iter=3).fit(X, y)
    assert m.fit_status_ == 1


@pytest.mark.parametrize("classes", [2, 3])
def test_machines_of_features_have_their_coefficients(rng, classes):
    """From a thousand rows on machines go by the features of sparse rows and texts, and keep weights in place of support vectors."""
    X = scipy.sparse.random(1100, 1500, density=0.01, random_state=0, format="csr")
    t = np.asarray(X @ rng.normal(size=1500)).ravel()
    y = np.digitize(t, np.quantile(t, np.arange(1, classes) / classes))
    ours, other = (c(kernel="linear", tol=1e-6).fit(X, y) for c in (mercer.SVC, theirs.SVC))
    assert ours.dual_coef_.shape == (classes - 1, len(ours.support_))
    np.testing.assert_allclose(ours.coef_ if isinstance(ours.coef_, np.ndarray) else ours.coef_.toarray(), other.coef_.toarray(), atol=1e-3)  # its columns are in single precision
    if classes == 2:
        summed = (X @ ours.support_vectors_.T @ ours.dual_coef_.T).toarray().ravel() + ours.intercept_
        np.testing.assert_allclose(ours.decision_function(X), summed, atol=1e-9)
        line = mercer.SVR(kernel="linear", epsilon=0.01).fit(X, t)
        summed = (X @ line.support_vectors_.T @ line.dual_coef_.T).toarray().ravel() + line.intercept_
        np.testing.assert_allclose(line.predict(X), summed, atol=1e-9)


def test_learners_of_features_of_texts(rng):
    texts = ["".join(rng.choice(list("abcd"), 12)) for _ in range(1100)]
    y = np.array([s.count("ab") > s.count("ba") for s in texts])
    t = np.array([s.count("ab") - 0.5 * s.count("c") for s in texts])
    k, few = Spectrum(3), texts[:50]
    m = mercer.SVC(kernel=k, probability=True).fit(texts, y)
    np.testing.assert_allclose(m.decision_function(few), k(few, m.support_vectors_) @ m.dual_coef_[0] + m.intercept_, atol=1e-8)
    r = mercer.KernelRidge(alpha=0.5, kernel=k).fit(texts, t, sample_weight=1 + (np.arange(1100) % 2))
    np.testing.assert_allclose(r.predict(few), k(few, texts) @ r.dual_coef_, atol=1e-6)
    p = mercer.GaussianProcessRegressor(k, alpha=0.5, optimizer=None).fit(texts[:100], t[:100])
    np.testing.assert_allclose(p.predict(few), k(few, texts[:100]) @ np.linalg.solve(k(texts[:100]) + 0.5 * np.eye(100), t[:100]), atol=1e-6)
    assert mercer.GaussianProcessClassifier(k).fit(texts[:60], y[:60]).predict_proba(few).shape == (50, 2)


def test_a_callable_on_any_objects():
    def shared(A, B):
        return np.array([[float(len(a & b)) for b in B] for a in A])

    sets = [{1, 2}, {2, 3}, {7, 8}, {8, 9}, {1, 3}, {7, 9}]
    y = np.array(["low", "low", "high", "high", "low", "high"])
    m = mercer.SVC(kernel=shared).fit(sets, y, sample_weight=[1, 2, 1, 1, 0, 1])
    assert m.predict([{1}, {9}]).tolist() == ["low", "high"]
    gram = mercer.SVC(kernel="precomputed").fit(shared(sets, sets), y, sample_weight=[1, 2, 1, 1, 0, 1])
    np.testing.assert_array_equal(m.decision_function(sets), gram.decision_function(shared(sets, sets)))
    assert mercer.KernelPCA(2, kernel=shared).fit_transform(sets).shape == (6, 2)
    assert mercer.KernelRidge(kernel=shared).fit(sets, np.arange(6.0)).predict(sets[:2]).shape == (2,)
