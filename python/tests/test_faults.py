"""What is wrong with the input is a ValueError that says so, and leaves the session as it was; so does a full disk."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import mercer
from mercer import _worker
from mercer.kernels import Gaussian, Spectrum

X, y = load_iris(return_X_y=True)
X, y = X[:100], y[:100]

SUPERVISED = [
    mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.LinearSVC, mercer.KernelRidge, mercer.GaussianProcessRegressor,
    mercer.GaussianProcessClassifier, mercer.SGPR, mercer.KernelLogistic, mercer.RVC, mercer.RVR, mercer.Falkon, mercer.FalkonClassifier,
    mercer.KernelPerceptron, mercer.Perceptron, mercer.KernelFisher, mercer.NadarayaWatson, mercer.LocalRegression,
    mercer.RandomForestClassifier, mercer.RandomForestRegressor, mercer.ExtraTreesClassifier, mercer.ExtraTreesRegressor,
    mercer.GradientBoostingClassifier, mercer.GradientBoostingRegressor, mercer.KernelCCA,
]  # fmt: skip
OTHERS = [
    mercer.OneClassSVM, mercer.KernelPCA, mercer.KernelKMeans, mercer.SpectralClustering, mercer.KernelDensity, mercer.Nystroem, mercer.RandomFourier,
]  # fmt: skip


def test_every_estimator_is_asked():
    named = {getattr(mercer, n) for n in mercer.__all__ if isinstance(getattr(mercer, n), type)}
    fits = {c for c in named if hasattr(c, "fit") and c is not mercer.Auto}
    assert fits == set(SUPERVISED) | set(OTHERS)


def args(cls, rows):
    return (rows, y[: len(rows)]) if cls in SUPERVISED else (rows,)


def after(pid):
    """The session goes on, with the same worker."""
    assert _worker.worker().pid == pid and mercer.SVC().fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("cls", SUPERVISED + OTHERS, ids=lambda c: c.__name__)
def test_bad_rows(cls):
    pid = _worker.worker().pid
    for value, words in ((np.nan, "NaN"), (np.inf, "inf")):
        bad = X.copy()
        bad[3, 1] = value
        with pytest.raises(ValueError, match=words):
            cls().fit(*args(cls, bad))
    with pytest.raises(ValueError, match="0 sample"):
        cls().fit(*args(cls, X[:0]))
    with pytest.raises(ValueError, match="0 feature"):
        cls().fit(*args(cls, X[:, :0]))
    with pytest.raises(ValueError, match="2D"):
        cls().fit(*args(cls, X[:, 0]))
    with pytest.raises(ValueError, match="3|dim"):
        cls().fit(*args(cls, X[None]))
    with pytest.raises((ValueError, TypeError), match="could not convert|must be"):
        cls().fit(*args(cls, np.array([["a", "b"], ["c", "d"]] * 10, dtype=object)))
    m = cls().fit(*args(cls, X.astype(object)))  # objects that are numbers
    use = m.predict if hasattr(m, "predict") else m.transform if hasattr(m, "transform") else m.score_samples
    plain = cls().fit(*args(cls, X))
    other = plain.predict if hasattr(m, "predict") else plain.transform if hasattr(m, "transform") else plain.score_samples
    np.testing.assert_array_equal(use(X), other(X))
    with pytest.raises(ValueError, match="features"):
        use(X[:, :2])
    bad = X.copy()
    bad[5, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        use(bad)
    with pytest.raises(ValueError, match="0 sample"):
        use(X[:0])
    after(pid)


@pytest.mark.parametrize("cls", SUPERVISED, ids=lambda c: c.__name__)
def test_bad_targets(cls):
    pid = _worker.worker().pid
    with pytest.raises(ValueError, match="inconsistent"):
        cls().fit(X, y[:-1])
    with pytest.raises(ValueError, match="NaN"):
        cls().fit(X, np.where(np.arange(100) == 3, np.nan, y.astype(float)))
    with pytest.raises((ValueError, TypeError), match="None"):
        cls().fit(X, None)
    after(pid)


def test_object_columns_of_frames():
    df = pd.DataFrame({"a": X[:, 0].astype(object), "b": X[:, 1]})
    np.testing.assert_array_equal(mercer.SVC().fit(df, y).predict(df), mercer.SVC().fit(X[:, :2], y).predict(X[:, :2]))
    df["town"] = np.where(np.arange(100) % 2 == 0, "north", "south")
    with pytest.raises(ValueError, match="could not convert string"):
        mercer.SVC().fit(df, y)
    both = mercer.SVC(kernel=Gaussian(1.0) @ ["a", "b"] + Spectrum(2) @ "town").fit(df, y)
    assert both.score(df, y) > 0.9
    with pytest.raises(ValueError, match="town"):
        both.predict(df.drop(columns="town"))


def test_weights_that_cannot_be():
    for w, words in ((-np.ones(100), "Negative"), (np.zeros(100), "zero"), (np.ones(99), "shape"), (np.full(100, np.nan), "NaN")):
        with pytest.raises(ValueError, match=words):
            mercer.SVC().fit(X, y, sample_weight=w)


def test_parameters_that_cannot_be():
    for m, words in (
        (mercer.SVC(C=-1), "C is -1"), (mercer.SVC(gamma=0), "gamma"), (mercer.SVC(kernel="gausian()"), "gaussian"), (mercer.NuSVC(nu=2), "nu"),
        (mercer.SVC(kernel="rbff"), "rbff"), (mercer.KernelRidge(alpha=0), "alpha"), (mercer.SVC(class_weight="even"), "class_weight"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            m.fit(X, y)


def in_python(program, *args, **how):
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


SAVES = """if True:
    import os, sys, numpy as np, mercer
    from sklearn.datasets import load_iris
    X, y = load_iris(return_X_y=True)
    folder = sys.argv[1]
    small = mercer.SVC().fit(X, y)
    small.save(folder + "/m.mercer")
    before = open(folder + "/m.mercer", "rb").read()
    rng = np.random.default_rng(0)
    large = mercer.KernelRidge(kernel="rbf").fit(rng.normal(size=(300, 200)), rng.normal(size=300))  # 480 kB
    try:
        large.save(folder + "/m.mercer")
    except OSError as fault:
        print(type(fault).__name__, fault.errno)
    assert open(folder + "/m.mercer", "rb").read() == before, "the old file is gone"
    assert os.listdir(folder) == ["m.mercer"], os.listdir(folder)
    assert mercer.load(folder + "/m.mercer").predict(X).shape == (150,)
    assert mercer.SVC().fit(X, y).score(X, y) > 0.9  # with the temporary folder full, too
    print("fine")
"""


def test_a_file_that_may_not_grow_leaves_the_old_one(tmp_path):
    """A limit on files is what a full disk is like, where nobody may mount one."""
    limit = 100_000

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    out = in_python(SAVES, str(tmp_path), preexec_fn=bounded)
    assert out.startswith("OSError") and out.endswith("fine\n")


@pytest.mark.skipif(sys.platform != "linux", reason="a file system in memory is mounted")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", bytes(tmp_path), b"tmpfs", 0, b"size=200k") != 0:
        pytest.skip(f"this user may not mount a small disk ({os.strerror(ctypes.get_errno())}): a full one is NOT tested")
    try:
        out = in_python(SAVES, str(tmp_path), env={**os.environ, "TMPDIR": str(tmp_path)})
        assert out == f"OSError {28}\nfine\n"  # ENOSPC
        (tmp_path / "rest").write_bytes(b"")
        with pytest.raises(OSError):
            (tmp_path / "rest").write_bytes(bytes(300_000))
        assert "fine" in in_python(
            "import mercer, numpy as np; mercer.SVC().fit(np.eye(4), [0, 1, 0, 1]); print('fine')", env={**os.environ, "TMPDIR": str(tmp_path)}
        )
    finally:
        libc.umount2(bytes(tmp_path), 2)


def test_folders_and_files_that_are_none(tmp_path):
    m = mercer.SVC().fit(X, y)
    with pytest.raises(OSError):
        m.save(tmp_path / "nowhere" / "m.mercer")
    with pytest.raises(OSError):
        mercer.load(tmp_path / "nowhere.mercer")
    (tmp_path / "bad.mercer").write_bytes(b"no model")
    with pytest.raises(ValueError):
        mercer.load(tmp_path / "bad.mercer")
    m.save(tmp_path / "m.mercer")
    whole = (tmp_path / "m.mercer").read_bytes()
    for cut in (len(whole) // 2, len(whole) - 1):
        Path(tmp_path / "part.mercer").write_bytes(whole[:cut])
        with pytest.raises(ValueError):
            mercer.load(tmp_path / "part.mercer")
