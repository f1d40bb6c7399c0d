"""Kernels of trees, fitted to the rows that an estimator is fitted to."""

from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer import SVC, Gaussian, KernelPCA, KernelRidge
from mercer.kernels import Forest, Isolation, Kernel, Mondrian


@pytest.mark.parametrize("kernel", [Forest(20), Mondrian(20, 0.5), Isolation(20), Forest(10) + Gaussian(2.0)])
def test_estimators_fit_and_save_them(kernel: Kernel, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + X[:, 2] > 0
    m = SVC(kernel=kernel).fit(X[:60], y[:60])
    assert m.score(X[60:], y[60:]) > 0.7
    m.save(tmp_path / "m.mercer")
    assert list(mercer.load(tmp_path / "m.mercer").predict(X)) == [str(v) for v in m.predict(X)]
    assert KernelRidge(kernel=kernel).fit(X[:60], X[:60, 0]).score(X[60:], X[60:, 0]) > 0.25


def test_components_have_no_target_to_grow_a_forest() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert KernelPCA(2, kernel=Isolation(20)).fit_transform(X).shape == (30, 2)
    with pytest.raises(ValueError, match="grown by a target"):
        KernelPCA(2, kernel=Forest(20)).fit(X)
