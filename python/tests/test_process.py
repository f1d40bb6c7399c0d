"""Gaussian processes beside scikit-learn's: covariances, draws, noise of each row, the prior."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import gaussian_process as theirs

import mercer


@pytest.fixture
def curve(rng):
    """Noisy values of a smooth function, and rows to ask for."""
    A = rng.uniform(-3, 3, size=(60, 2))
    return A, np.sin(A[:, 0]) + 0.1 * rng.normal(size=60), rng.uniform(-3, 3, size=(7, 2))


def both(A, t, **params):
    params = {"optimizer": None, **params}
    return mercer.GaussianProcessRegressor(**params).fit(A, t), theirs.GaussianProcessRegressor(**params).fit(A, t)


@pytest.mark.parametrize("normalize", [False, True])
def test_covariances_and_draws(curve, normalize):
    A, t, at = curve
    for targets in (5 + 3 * t, np.column_stack([5 + 3 * t, A[:, 1]])):
        a, b = both(A, targets, alpha=0.01, normalize_y=normalize)
        for ours, other in zip(a.predict(at, return_cov=True), b.predict(at, return_cov=True)):
            assert ours.shape == other.shape
            np.testing.assert_allclose(ours, other, atol=1e-9)
        mean, cov = a.predict(at, return_cov=True)
        np.testing.assert_allclose(np.einsum("ii...->i...", cov) ** 0.5, a.predict(at, return_std=True)[1], atol=1e-9)
        draws = a.sample_y(at, 5, random_state=3)
        assert draws.shape == b.sample_y(at, 5).shape
        np.testing.assert_array_equal(draws, a.sample_y(at, 5, random_state=3))
    many = a.sample_y(at, 4000)[:, 0]
    np.testing.assert_allclose(many.mean(axis=1), mean[:, 0], atol=0.1)
    np.testing.assert_allclose(np.cov(many), cov[..., 0], atol=0.1)
    with pytest.raises(RuntimeError, match="At most one"):
        a.predict(at, return_std=True, return_cov=True)


@pytest.mark.parametrize("normalize", [False, True])
def test_noise_of_each_row(curve, rng, normalize):
    A, t, at = curve
    alpha = rng.uniform(0.01, 1.0, size=60)
    a, b = both(A, t, alpha=alpha, normalize_y=normalize)
    for ours, other in zip(a.predict(at, return_std=True), b.predict(at, return_std=True)):
        np.testing.assert_allclose(ours, other, atol=1e-9)
    np.testing.assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_, rtol=1e-9)
    # the mean by hand: k(at, A)(K + diag alpha)^-1 t
    k = mercer.Gaussian(1.0)
    if not normalize:
        np.testing.assert_allclose(a.predict(at), k(at, A) @ np.linalg.solve(k(A) + np.diag(alpha), t), atol=1e-9)
    for bad in (alpha[:-1], -alpha, np.full(60, np.nan), -1.0):
        with pytest.raises(ValueError, match="alpha"):
            mercer.GaussianProcessRegressor(alpha=bad).fit(A, t)


def test_the_prior_answers_before_a_fit(curve):
    _, _, at = curve
    a, b = mercer.GaussianProcessRegressor(), theirs.GaussianProcessRegressor()
    for how in ({}, {"return_std": True}, {"return_cov": True}):
        ours, other = a.predict(at, **how), b.predict(at, **how)
        for x, z in zip(ours if how else [ours], other if how else [other]):
            np.testing.assert_allclose(x, z, atol=1e-12)
    assert a.sample_y(at, 2).shape == (7, 2)
