"""A row of weight two is a row twice, and one of weight zero is not there: to the digits that a sharp tolerance gives."""

from __future__ import annotations

import numpy as np
import pytest

import mercer

SHARP = {"tol": 1e-10, "gamma": 0.5}  # gamma="scale" is the spread of the rows given, which copies change


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.SVC(**SHARP),
        mercer.NuSVC(nu=0.3, **SHARP),
        mercer.SVR(**SHARP),
        mercer.NuSVR(**SHARP),
        mercer.OneClassSVM(**SHARP),
        mercer.LinearSVC(tol=1e-10, max_iter=10**6),
    ],
    ids=lambda e: type(e).__name__,
)
def test_weights_are_copies(rng, estimator):
    X = rng.normal(size=(45, 3))
    y = rng.integers(0, 3, 45)
    w = rng.integers(0, 4, 45)
    if isinstance(estimator, mercer.NuSVR):
        w = np.minimum(w, 1) * 2  # its ν is a share of the weight; all the same keeps the share
    again = np.repeat(np.arange(45), w)
    estimator.fit(X, y, sample_weight=w)
    use = "decision_function" if hasattr(estimator, "decision_function") else "predict"
    weighted = getattr(estimator, use)(X)
    repeated = getattr(estimator.fit(X[again], y[again]), use)(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-5)
