"""Tests of hypotheses: their level, their power, and statistics by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KernelDensity

import mercer
from mercer.kernels import Gaussian, Spectrum


def test_two_samples(rng):
    a, b = rng.normal(size=(60, 2)), rng.normal(size=(50, 2))
    r = mercer.mmd_test(a, b, kernel=Gaussian(1.0), scale=False)
    K, L, M = (rbf_kernel(p, q, gamma=0.5) for p, q in ((a, a), (b, b), (a, b)))
    m, n = len(a), len(b)
    by_hand = (K.sum() - np.trace(K)) / (m * (m - 1)) + (L.sum() - np.trace(L)) / (n * (n - 1)) - 2 * M.mean()
    assert r.statistic == pytest.approx(by_hand, abs=1e-12)
    assert r.p == pytest.approx((1 + np.sum(r.draws >= r.statistic)) / (1 + len(r.draws)))
    assert mercer.mmd_test(a, b + 1.0).p < 0.01 and mercer.mmd_test(a, b + 1.0).reject
    assert sum(mercer.mmd_test(rng.normal(size=(30, 1)), rng.normal(size=(30, 1)), permutations=99, seed=s).p <= 0.05 for s in range(25)) <= 5
    again = mercer.mmd_test(a, b + 1.0)
    assert again.p == mercer.mmd_test(a, b + 1.0).p and "MMD" in str(again)


def test_two_samples_of_texts():
    a, b = ["aab", "aba", "abb", "aaa"] * 5, ["xyx", "yyx", "xxx", "yxy"] * 5
    assert mercer.mmd_test(a, b, kernel=Spectrum(1)).p < 0.01
    with pytest.raises(ValueError):
        mercer.mmd_test(np.ones((3, 2)), np.ones((3, 1)))


def test_independence(rng):
    x = rng.uniform(-1, 1, 80)
    y = x**2 + 0.1 * rng.normal(size=80)
    assert mercer.hsic_test(x, y, permutations=300).p < 0.01
    assert mercer.hsic_test(x, y, kernel=Gaussian(0.5), kernel_y=Gaussian(0.5)).p < 0.01
    assert mercer.hsic_test(x, rng.permutation(y), permutations=300).p > 0.01
    z = rng.normal(size=80)
    a, b = z + 0.3 * rng.normal(size=80), z + 0.3 * rng.normal(size=80)
    assert mercer.hsic_test(a, b, permutations=300).p < 0.01 and mercer.conditional_test(a, b, z).p > 0.01
    assert mercer.conditional_test(a, a + 0.1 * b, z).p < 0.01
    with pytest.raises(ValueError, match="pairs"):
        mercer.hsic_test(x, y[:-1])


def test_curves(rng):
    x = rng.normal(size=200)
    d = mercer.density(x)
    h = d.model.bandwidth_
    np.testing.assert_allclose(d.y, np.exp(KernelDensity(bandwidth=h).fit(x[:, None]).score_samples(d.x[:, None])), rtol=1e-7)
    assert np.trapezoid(d.y, d.x) == pytest.approx(1, abs=0.01) if hasattr(np, "trapezoid") else True
    y = np.sin(x) + 0.1 * rng.normal(size=200)
    for method in ("nw", "local"):
        c = mercer.smooth(x, y, method=method, span=0.3)
        middle = np.abs(c.x) < 1.5
        assert np.abs(c.y - np.sin(c.x))[middle].max() < 0.25
        assert (c.low <= c.y).all() and (c.y <= c.high).all()
    with pytest.raises(ValueError, match="method"):
        mercer.smooth(x, y, method="spline")


def test_pictures(rng):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    x = rng.normal(size=60)
    d = mercer.density(x)
    rug, line = d.plot().get_lines()
    assert len(rug.get_xdata()) == len(x) and rug.get_ydata()[0] < 0 <= line.get_ydata().min()
    for method, meaning in (("nw", "90 % of the values"), ("local", "90 % interval of the curve")):
        c = mercer.smooth(x, x, method=method, level=0.9)
        ax = c.plot()
        assert len(ax.get_lines()[0].get_xdata()) == len(x)  # the pairs themselves
        assert [t.get_text() for t in ax.get_legend().get_texts()] == [meaning]
    t = mercer.mmd_test(x, x + 1)
    ax = t.plot()
    assert "MMD" in ax.get_xlabel() and ax.get_title() == t.test
    ax.figure.canvas.draw()
    assert ax.xaxis.label.get_window_extent().y0 >= 0, "the words below the axis are cut off"
    X, y = load_iris(return_X_y=True)
    r = mercer.compare(mercer.SVC().fit(X, y), mercer.SVC(C=1e-4).fit(X, y), X, y)
    assert len(r.plot().get_yticks()) == len(r.measures)


def test_results_say_what_they_are_in_a_line(rng):
    x = rng.normal(size=40)
    for said in (mercer.mmd_test(x, x + 1), mercer.hsic_test(x, x), mercer.density(x), mercer.smooth(x, x)):
        assert len(repr(said)) < 120 and "\n" not in repr(said), repr(said)
    assert "p = " in repr(mercer.mmd_test(x, x + 1))


def test_compare():
    X, y = load_iris(return_X_y=True)
    train, test = np.arange(150) % 2 == 0, np.arange(150) % 2 == 1
    good, bad = mercer.SVC().fit(X[train], y[train]), mercer.SVC(C=1e-4).fit(X[train][:, :], np.roll(y[train], 20))
    r = mercer.compare(good, bad, X[test], y[test])
    accuracy = r["accuracy"]
    assert accuracy.first == pytest.approx(good.score(X[test], y[test])) and accuracy.p < 0.01 and accuracy.reject
    assert accuracy.difference == accuracy.statistic and accuracy.low <= accuracy.difference <= accuracy.high
    assert "accuracy" in str(r) and r.rows == 75
    assert list(r) == list(r.measures) and len(r) == len(r.measures) and repr(r) == str(r)
    with pytest.raises(TypeError):
        mercer.compare(good, "bad", X, y)
