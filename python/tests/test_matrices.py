"""Projections and groups of a matrix of kernel values, of callables and of objects."""

from __future__ import annotations

import pickle
import subprocess

import numpy as np
import pytest
from sklearn import cluster, decomposition
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import adjusted_rand_score

import mercer
from mercer.kernels import Gaussian, Spectrum

X, _ = load_iris(return_X_y=True)
NEW = X[::3] + 0.05
WORDS = ["aab", "aba", "abb", "baa", "xxy", "xyx", "yyx", "yxx"]


def test_components_of_a_matrix():
    k = Gaussian(1.5)
    a = mercer.KernelPCA(3, kernel="precomputed").fit(k(X))
    b = decomposition.KernelPCA(3, kernel="precomputed").fit(k(X))
    c = mercer.KernelPCA(3, kernel=k).fit(X)
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-8)
    ours, theirs = a.transform(k(NEW, X)), b.transform(k(NEW, X))
    np.testing.assert_allclose(ours * np.sign((ours * theirs).sum(axis=0)), theirs, atol=1e-7)
    np.testing.assert_allclose(np.abs(ours), np.abs(c.transform(NEW)), atol=1e-9)
    d = mercer.KernelPCA(3, kernel=lambda P, Q: k(P, Q)).fit(X)
    np.testing.assert_allclose(d.transform(NEW), ours, atol=1e-12)
    with pytest.raises(ValueError, match="k\\(x, x\\)"):
        a.reconstruction_error(k(NEW, X))
    with pytest.raises(ValueError, match="square"):
        mercer.KernelPCA(2, kernel="precomputed").fit(k(X)[:10])


def test_groups_of_a_matrix(tmp_path):
    k = Gaussian(1.5)
    a = mercer.KernelKMeans(3, kernel="precomputed", random_state=0).fit(k(X))
    b = mercer.KernelKMeans(3, kernel=k, random_state=0).fit(X)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.predict(k(NEW, X)), b.predict(NEW))
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9)
    A, moons = make_moons(150, noise=0.05, random_state=0)
    w = Gaussian(0.15)
    s = mercer.SpectralClustering(2, affinity="precomputed").fit(w(A))
    theirs = cluster.SpectralClustering(2, affinity="precomputed", random_state=0).fit(w(A))
    assert adjusted_rand_score(s.labels_, theirs.labels_) == 1 == adjusted_rand_score(s.labels_, moons)
    np.testing.assert_array_equal(s.predict(w(A)), s.labels_)
    with pytest.raises(ValueError, match="no weight"):
        s.predict(np.zeros((1, 150)))
    # the file has it, and the program uses it
    a.save(tmp_path / "m.mercer")
    np.savetxt(tmp_path / "new.csv", k(NEW, X), delimiter=",", header=",".join(f"k{i}" for i in range(150)), comments="", fmt="%.17g")
    done = subprocess.run([mercer.program(), "transform", tmp_path / "m.mercer", tmp_path / "new.csv"], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal([int(line.rpartition(",")[2]) - 1 for line in done.stdout.splitlines()[1:]], a.predict(k(NEW, X)))


def test_objects():
    groups = mercer.KernelKMeans(2, kernel=Spectrum(1), random_state=0).fit(WORDS)
    assert len(set(groups.labels_[:4])) == len(set(groups.labels_[4:])) == 1 and groups.labels_[0] != groups.labels_[4]
    assert groups.predict(["aaabb", "yy"]).tolist() == [groups.labels_[0], groups.labels_[4]]
    again = pickle.loads(pickle.dumps(groups))
    assert again.predict(["aaabb", "yy"]).tolist() == groups.predict(["aaabb", "yy"]).tolist()
    scores = mercer.KernelPCA(2, kernel=Spectrum(1)).fit(WORDS)
    K = Spectrum(1)(WORDS)
    np.testing.assert_allclose(scores.transform(WORDS), mercer.KernelPCA(2, kernel="precomputed").fit_transform(K), atol=1e-9)
    with pytest.raises(ValueError, match="model file"):
        mercer.Nystroem(kernel="precomputed").fit(K)
