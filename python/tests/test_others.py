"""The other estimators, beside scikit-learn's numbers where both solve one problem, and beside sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import cluster, decomposition, gaussian_process, kernel_approximation, kernel_ridge, linear_model, neighbors
from sklearn.datasets import load_iris, make_moons, make_regression
from sklearn.gaussian_process import kernels as their_kernels
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

import mercer

X, y = load_iris(return_X_y=True)


@pytest.fixture
def curve(rng):
    """Noisy values of a smooth function."""
    A = rng.uniform(-3, 3, size=(80, 2))
    return A, np.sin(A[:, 0]) + 0.1 * A[:, 1] + 0.1 * rng.normal(size=80)


@pytest.mark.parametrize("params", [{}, {"kernel": "rbf", "alpha": 0.1}, {"kernel": "poly", "degree": 2}, {"kernel": "laplacian", "gamma": 0.2}])
def test_kernel_ridge(curve, params):
    A, t = curve
    w = np.linspace(0.5, 2, len(t))
    for targets in (t, np.column_stack([t, -2 * t, A[:, 0] ** 2])):
        for weights in (None, w):
            a = mercer.KernelRidge(**params).fit(A, targets, sample_weight=weights)
            b = kernel_ridge.KernelRidge(**params).fit(A, targets, sample_weight=weights)
            np.testing.assert_allclose(a.predict(A + 0.1), b.predict(A + 0.1), atol=1e-7)
            np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, atol=1e-6)


def test_gaussian_process_regression(curve):
    A, t = curve
    a = mercer.GaussianProcessRegressor(alpha=0.01, optimizer=None).fit(A, t)
    b = gaussian_process.GaussianProcessRegressor(alpha=0.01, optimizer=None).fit(A, t)
    for ours, theirs in zip(a.predict(A + 0.3, return_std=True), b.predict(A + 0.3, return_std=True)):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)
    np.testing.assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_, rtol=1e-9)
    # with parameters found: the same top of the marginal likelihood
    a = mercer.GaussianProcessRegressor(alpha=0.01).fit(A, t)
    b = gaussian_process.GaussianProcessRegressor(1.0 * their_kernels.RBF(1.0), alpha=0.01).fit(A, t)
    np.testing.assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_, rtol=1e-6)
    np.testing.assert_allclose(a.predict(A), b.predict(A), atol=1e-3)


def test_gaussian_process_around_the_mean(curve):
    A, t = curve
    t = 1000 + 50 * t
    a = mercer.GaussianProcessRegressor(alpha=0.01, normalize_y=True, optimizer=None).fit(A, t)
    b = gaussian_process.GaussianProcessRegressor(alpha=0.01, normalize_y=True, optimizer=None).fit(A, t)
    for ours, theirs in zip(a.predict(A + 0.3, return_std=True), b.predict(A + 0.3, return_std=True)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_gaussian_process_classification():
    A, b = X[y < 2], y[y < 2]
    ours = mercer.GaussianProcessClassifier(optimizer=None).fit(A, b).predict_proba(A)
    theirs = gaussian_process.GaussianProcessClassifier(optimizer=None).fit(A, b).predict_proba(A)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)  # theirs averages by an approximation of the sigmoid
    assert mercer.GaussianProcessClassifier().fit(X, y).score(X, y) > 0.95


def test_logistic_with_a_linear_kernel():
    a = mercer.KernelLogistic(kernel="linear", C=0.7).fit(X, y)
    b = linear_model.LogisticRegression(C=0.7, tol=1e-10, max_iter=10**5).fit(X, y)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-5)


def test_kernel_pca():
    a = mercer.KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    b = decomposition.KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-8)
    theirs = b.transform(X[::2] + 0.05)
    ours = a.transform(X[::2] + 0.05)
    np.testing.assert_allclose(ours * np.sign((ours * theirs).sum(axis=0)), theirs, atol=1e-7)
    np.testing.assert_allclose(a.fit_transform(X), a.transform(X), atol=1e-8)


def test_kernel_density(rng):
    A = rng.normal(size=(60, 2))
    for kernel in ("gaussian", "epanechnikov", "tophat", "exponential", "linear"):
        a = mercer.KernelDensity(bandwidth=0.7, kernel=kernel).fit(A)
        b = neighbors.KernelDensity(bandwidth=0.7, kernel=kernel).fit(A)
        np.testing.assert_allclose(a.score_samples(A), b.score_samples(A), atol=1e-8)
    w = rng.integers(0, 3, 60)
    a = mercer.KernelDensity(bandwidth=0.7).fit(A, sample_weight=w)
    b = neighbors.KernelDensity(bandwidth=0.7).fit(A, sample_weight=np.maximum(w, 1e-300))
    np.testing.assert_allclose(a.score_samples(A), b.score_samples(A), atol=1e-8)
    assert mercer.KernelDensity(bandwidth="scott").fit(A).bandwidth_ is not None
    with pytest.raises(ValueError, match="silverman"):
        mercer.KernelDensity(bandwidth="wide").fit(A)


def test_feature_maps_approximate_the_kernel():
    K = rbf_kernel(X, gamma=0.1)
    m = mercer.Nystroem(gamma=0.1, n_components=60, random_state=1).fit(X)
    Z = m.transform(X)
    theirs = kernel_approximation.Nystroem(gamma=0.1, n_components=60, random_state=1).fit_transform(X)
    assert np.abs(Z @ Z.T - K).max() < 2 * np.abs(theirs @ theirs.T - K).max() + 1e-3
    F = mercer.RandomFourier(gamma=0.1, n_components=2000, random_state=0).fit_transform(X)
    assert F.shape == (150, 2000) and np.abs(F @ F.T - K).max() < 0.1


def test_groups():
    A, b = make_moons(200, noise=0.05, random_state=0)
    m = mercer.SpectralClustering(2, gamma=20.0).fit(A)
    theirs = cluster.SpectralClustering(2, gamma=20.0, random_state=0).fit(A)
    assert adjusted_rand_score(m.labels_, theirs.labels_) == 1 == adjusted_rand_score(m.labels_, b)
    np.testing.assert_array_equal(m.predict(A), m.labels_)
    near = mercer.SpectralClustering(2, affinity="nearest_neighbors").fit(A)
    assert adjusted_rand_score(near.labels_, b) == 1
    k = mercer.KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    other = cluster.KMeans(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(k.labels_, other.labels_) == 1
    np.testing.assert_allclose(k.inertia_, other.inertia_, rtol=1e-8)
    np.testing.assert_array_equal(k.predict(X), k.labels_)


def test_canonical_correlation(rng):
    t = rng.uniform(0, 6, 150)
    A, B = np.column_stack([np.sin(t), rng.normal(size=150)]), np.column_stack([np.cos(t) ** 2, rng.normal(size=150)])
    m = mercer.KernelCCA(2).fit(A[:100], B[:100])
    assert m.correlations_[0] > 0.6 and m.score(A[100:], B[100:]) > 0.6
    first, second = m.transform(A, B)
    assert first.shape == second.shape == (150, 2)
    np.testing.assert_array_equal(m.transform(A), first)


def test_smoothers_are_their_sums(curve):
    A, t = curve
    m = mercer.NadarayaWatson(bandwidth=0.5).fit(A, t)
    K = rbf_kernel(A + 0.1, A, gamma=1 / (2 * 0.5**2))
    np.testing.assert_allclose(m.predict(A + 0.1), K @ t / K.sum(axis=1), atol=1e-9)
    local = mercer.LocalRegression(bandwidth=1.5, degree=1).fit(A, t)
    at = A[7]
    u = np.linalg.norm(A - at, axis=1) / 1.5
    w = np.where(u < 1, (1 - u**3) ** 3, 0)
    D = np.column_stack([np.ones(len(A)), A - at])
    beta = np.linalg.lstsq(D * np.sqrt(w)[:, None], t * np.sqrt(w), rcond=None)[0]
    np.testing.assert_allclose(local.predict(at[None]), beta[:1], atol=1e-8)
    band = local.predict_band(A, level=0.9)
    assert (band[:, 1] < band[:, 0]).all() and (band[:, 0] < band[:, 2]).all()


def test_many_rows_by_few_centres(rng):
    A, t = make_regression(400, 5, noise=1.0, random_state=0)
    A, t = A / 3, t / t.std()
    exact = mercer.KernelRidge(kernel="rbf", gamma=0.5, alpha=0.01).fit(A, t)
    few = mercer.Falkon(gamma=0.5, alpha=0.01, n_centers=400).fit(A, t)
    assert np.abs(few.predict(A) - exact.predict(A)).max() < 0.05
    labels = t > 0
    assert mercer.FalkonClassifier(gamma=0.5, alpha=0.01, n_centers=100).fit(A, labels).score(A, labels) > 0.9
    mean, std = mercer.SGPR(gamma=0.5, n_inducing=50).fit(A, t).predict(A, return_std=True)
    assert np.corrcoef(mean, t)[0, 1] > 0.95 and (std > 0).all()


def test_few_rows_are_kept(curve):
    A, t = curve
    m = mercer.RVR(gamma=0.5).fit(A, t)
    assert len(m.relevance_) < 40
    K = rbf_kernel(A, A[m.relevance_], gamma=0.5)
    off = m.predict(A) - K @ m.dual_coef_[0]
    np.testing.assert_allclose(off, off[0], atol=1e-9)  # a constant
    c = mercer.RVC(gamma=0.5).fit(X, y)
    assert len(c.relevance_) < 50 and c.score(X, y) > 0.9


def test_discriminant_and_perceptrons():
    for m in (mercer.KernelFisher(gamma=0.1), mercer.KernelPerceptron(gamma=0.1), mercer.Perceptron(max_iter=500)):
        assert m.fit(X, y).score(X, y) > (0.9 if hasattr(m, "gamma") else 0.75), m
        assert m.decision_function(X).shape == (150, 3)
        np.testing.assert_array_equal(m.classes_[m.decision_function(X).argmax(axis=1)], m.predict(X))
