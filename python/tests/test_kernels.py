"""Kernels as objects: the algebra, texts, matrices, and objects of every kind."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import kernels
from mercer.kernels import GAK, SSK, WL, ChiSquare, Gaussian, Jaccard, LaplaceL1, Linear, Matern, Normalize, Polynomial, Spectrum, SubTree, TfIdf, parse

TREE = [
    Gaussian(2.0) + 0.5 * Linear(),
    Gaussian(2.0) * Linear() + 3,
    (Gaussian() + Linear()) ** 2,
    0.1 * (Matern(nu=1.5, lengthscale=[1, 2.5, float("inf")]) + Polynomial(3, offset=1)),
    Matern(nu=1.5) @ ["a", "long name"],
    (Gaussian() @ "a") * (Linear() @ "b") + SSK(k=4, decay=0.25) @ "title",
    Normalize(WL(3, edges=True)) @ "molecule",
    Gaussian(gamma=0.25) + (Linear() + Linear()),
    Spectrum(3),
    TfIdf(words=True, tf="count", texts=4, documents=["a", "b"], counts=[2, 1]),
    -1.5e-7 * Linear() ** 3,
]


@pytest.mark.parametrize("k", TREE, ids=str)
def test_texts_and_expressions_parse(k):
    assert parse(str(k)) == k
    assert eval(repr(k), {**vars(kernels), "inf": float("inf")}) == k
    assert clone(k) == k and copy.deepcopy(k) == k and pickle.loads(pickle.dumps(k)) == k


def test_values_are_those_of_scikit_learn(rng):
    A, B = rng.random((6, 3)), rng.random((4, 3))
    for k, other in [
        (Gaussian(gamma=0.7), pairwise.rbf_kernel(A, B, gamma=0.7)),
        (LaplaceL1(gamma=0.7), pairwise.laplacian_kernel(A, B, gamma=0.7)),
        (Linear(), A @ B.T),
        (Polynomial(3, gamma=0.5, offset=2), (0.5 * A @ B.T + 2) ** 3),
        (ChiSquare(0.4), pairwise.chi2_kernel(A, B, gamma=0.4)),
        (Gaussian(2.0) * Linear() + 3 * Linear() ** 2, np.exp(-pairwise.euclidean_distances(A, B) ** 2 / 8) * (A @ B.T) + 3 * (A @ B.T) ** 2),
    ]:
        np.testing.assert_allclose(k(A, B), other, atol=1e-12)
        np.testing.assert_allclose(k.diag(A), np.diag(k(A)), atol=1e-12)
        np.testing.assert_allclose(k(scipy.sparse.csr_matrix(A), scipy.sparse.csr_matrix(B)), other, atol=1e-10)


def test_gradients_are_differences(rng):
    A, B, h = rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), 1e-6
    k = Gaussian(1.5) * Linear() + 2 * Matern(nu=2.5)
    g = k.grad(A, B)
    for c in range(2):
        e = np.eye(2)[c] * h
        np.testing.assert_allclose(g[:, :, c], (k(A + e, B) - k(A - e, B)) / (2 * h), atol=1e-7)


def test_columns_by_name(rng):
    df = pd.DataFrame(rng.normal(size=(7, 3)), columns=["a", "b", "c"])
    k = Gaussian() @ "b" + 2 * (Linear() @ ["a", "c"])
    by_hand = pairwise.rbf_kernel(df[["b"]], gamma=0.5) + 2 * df[["a", "c"]] @ df[["a", "c"]].T
    np.testing.assert_allclose(k(df), by_hand, atol=1e-12)
    np.testing.assert_allclose(k(df[["c", "b", "a"]], df.iloc[:2]), np.asarray(by_hand)[:, :2], atol=1e-12)
    with pytest.raises(ValueError, match="d"):
        (Linear() @ "d")(df)


def test_objects():
    words = ["abab", "ab", "xyz"]
    counts = [{w[i : i + 2]: sum(w[j : j + 2] == w[i : i + 2] for j in range(len(w) - 1)) for i in range(len(w) - 1)} for w in words]
    by_hand = [[sum(n * b.get(t, 0) for t, n in a.items()) for b in counts] for a in counts]
    np.testing.assert_allclose(Spectrum(2)(words), by_hand)
    np.testing.assert_allclose(Jaccard()([{"a", "b"}, ["b", "c"], {"b"}]), [[1, 1 / 3, 1 / 2], [1 / 3, 1, 1 / 2], [1 / 2, 1 / 2, 1]])
    assert GAK(1.0)([[1, 2, 3], np.array([1.0, 2.0])]).shape == (2, 2)
    assert GAK(1.0)([np.ones((4, 2)), np.zeros((3, 2))]).shape == (2, 2)
    same = SubTree(0.5)([("S", ("NP", "cat"), ("VP", "sat")), "(S (NP cat)(VP sat))"])
    assert same[0, 0] == same[0, 1] == same[1, 1]
    path, triangle = {"nodes": 3, "edges": [[0, 1], [1, 2]]}, {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]]}
    K = Normalize(WL(2))([path, triangle, path])
    assert K[0, 2] == pytest.approx(1) and K[0, 1] < 1
    with pytest.raises(ValueError, match="same"):
        GAK(1.0)([np.ones((4, 2)), np.zeros((3, 1))])


def test_estimators_on_objects(tmp_path):
    words = ["aab", "aba", "baa", "aaab", "xyx", "yxx", "xxy", "yyxx"]
    y = np.array(["early"] * 4 + ["late"] * 4)
    m = mercer.SVC(kernel=Spectrum(1)).fit(words, y)
    assert (m.predict(words) == y).all() and m.predict(["bbaab", "yyy"]).tolist() == ["early", "late"]
    K = Spectrum(1)(words)
    given = mercer.SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(m.decision_function(words), given.decision_function(K), atol=1e-8)
    assert pickle.loads(pickle.dumps(m)).predict(words).tolist() == y.tolist()
    w = [1, 1, 0, 1, 1, 1, 1, 0]
    assert 2 not in mercer.SVC(kernel=Spectrum(1)).fit(words, y, sample_weight=w).support_
    r = mercer.KernelRidge(kernel=Spectrum(1), alpha=1e-6).fit(words, [w.count("a") for w in words])
    np.testing.assert_allclose(r.predict(["aaaa"]), [4], atol=0.1)


def test_estimators_on_tables(tmp_path, rng):
    df = pd.DataFrame({"n": rng.normal(size=40), "word": ["cat", "dog"] * 20})
    y = df["n"] + 2 * (df["word"] == "dog")
    m = mercer.KernelRidge(kernel=Gaussian() @ "n" + Spectrum(1) @ "word", alpha=0.01).fit(df, y)
    assert m.score(df, y) > 0.98
    np.testing.assert_array_equal(m.predict(df[["word", "n"]]), m.predict(df))
    m.save(tmp_path / "m.mercer")
    df.to_csv(tmp_path / "new.csv", index=False)
    out = subprocess.run([mercer.program(), "predict", tmp_path / "m.mercer", tmp_path / "new.csv"], capture_output=True, text=True, check=True)
    theirs = [float(line.split(",")[-1]) for line in out.stdout.split()[1:]]
    np.testing.assert_allclose(theirs, m.predict(df), rtol=1e-12)


def test_grids_vary_parameters_of_kernels():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(mercer.SVC(kernel=Gaussian() + 0.5 * Linear()), {"kernel__k1__lengthscale": [0.5, 2.0], "kernel__k2__weight": [0.1, 1.0]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    assert search.best_estimator_.kernel.k1.lengthscale == search.best_params_["kernel__k1__lengthscale"]


def test_a_kernel_in_scikit_learns_own_estimators(rng):
    from sklearn import svm

    A = rng.normal(size=(50, 2))
    b = A[:, 0] > 0
    assert svm.SVC(kernel=Gaussian(2.0) + Linear()).fit(A, b).score(A, b) > 0.9


def test_properties():
    assert Gaussian().properties["psd"] is True
    assert kernels.Sigmoid().properties["psd"] is False


@pytest.mark.parametrize("wrong", ["gausian()", "gaussian(", "gaussian() +", "gaussian() linear()", "gaussian(?)", "on"])
def test_what_does_not_parse_is_said(wrong):
    with pytest.raises((ValueError, TypeError)):
        parse(wrong)


def test_sums_and_shares():
    a, b = Gaussian(1.0), Linear()
    assert str(sum([a, b])) == str(a + b) and str(a / 4) == str(0.25 * a)
    with pytest.raises(TypeError):
        a / b


def test_kinds_do_not_mix():
    with pytest.raises(ValueError, match="which columns"):
        str((Spectrum(2) + Gaussian()).on)
    with pytest.raises(TypeError, match="neither"):
        Gaussian() + "linear"


def test_the_catalogue_is_what_the_program_says():
    tool = Path(__file__).parent.parent / "tools" / "catalogue"
    said = subprocess.run([sys.executable, tool, mercer.program(), "-"], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert said.stdout == (Path(kernels.__file__).parent / "_catalogue.py").read_text()
