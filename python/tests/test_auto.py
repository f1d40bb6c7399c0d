"""The whole way from a data frame to a judged model, and model files between Python and the program."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import mercer

X, y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def houses():
    """A table of numbers, categories, dates and booleans."""
    rng = np.random.default_rng(0)
    n = 150
    df = pd.DataFrame(
        {
            "rooms": rng.integers(1, 7, n),
            "area": rng.uniform(30, 200, n),
            "town": rng.choice(["north", "south", "west"], n),
            "garden": rng.random(n) < 0.5,
            "sold": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
        }
    )
    df["price"] = 1000.0 * df["rooms"] + 30 * df["area"] + np.where(df["town"] == "south", 5000, 0) + rng.normal(0, 300, n)
    return df


@pytest.fixture(scope="module")
def fitted(houses):
    return mercer.Auto(time=4, learner="ridge", folds=3).fit(houses, "price")


def test_auto(houses, fitted):
    assert fitted.task_ == "regression" and fitted.test_["r2"] > 0.9
    assert fitted.score(houses, "price") > 0.9
    assert fitted.report_.lower().startswith("<!doctype html") and "<iframe" in fitted._repr_html_()
    assert list(fitted.feature_names_in_) == ["rooms", "area", "town", "garden", "sold"]


@pytest.mark.parametrize("library", ["polars", "pyarrow", "dict"])
def test_frames_of_others_are_the_same_rows(houses, fitted, library):
    new = houses.drop(columns="price")
    if library == "dict":
        other = {n: new[n] for n in new}
    else:
        module = pytest.importorskip(library, reason=f"{library} is not installed: its frames are NOT tested")
        other = module.from_pandas(new) if library == "polars" else module.Table.from_pandas(new, preserve_index=False)
    np.testing.assert_array_equal(fitted.predict(other), fitted.predict(new))


def test_the_program_serves_what_python_fitted(houses, fitted, tmp_path):
    fitted.save(tmp_path / "m.mercer")
    houses.drop(columns="price").to_csv(tmp_path / "new.csv", index=False)
    out = subprocess.run([mercer.program(), "predict", tmp_path / "m.mercer", tmp_path / "new.csv"], capture_output=True, text=True, check=True)
    theirs = [float(line.rpartition(",")[2]) for line in out.stdout.splitlines()[1:]]
    np.testing.assert_array_equal(theirs, fitted.predict(houses))


def test_python_uses_what_the_program_fitted(tmp_path):
    done = subprocess.run([mercer.program(), "fit", "iris", "--time", "4s", "--learner", "svm", "--report", "none", "-q", "-o", tmp_path / "iris.mercer"])
    assert done.returncode == 0
    m = mercer.load(tmp_path / "iris.mercer")
    names = subprocess.run([mercer.program(), "data", "iris", "--json"], capture_output=True, text=True, check=True)
    columns = [c["name"] for c in json.loads(names.stdout)["columns"]]
    df = pd.DataFrame(X, columns=columns[:4])
    assert m.task == "multi-class classification" and len(m.classes_) == 3
    assert (m.predict_proba(df).argmax(axis=1) == y).mean() > 0.9
    m.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "iris.mercer").read_bytes()


@pytest.mark.parametrize("estimator", [mercer.SVC(probability=True), mercer.KernelLogistic(), mercer.RVC(), mercer.LinearSVC()], ids=lambda e: type(e).__name__)
def test_files_of_estimators_load_to_the_bit(estimator, tmp_path):
    estimator.fit(X, y).save(tmp_path / "m.mercer")
    m = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(m.predict(X), estimator.predict(X).astype(str))
    if hasattr(estimator, "predict_proba"):
        np.testing.assert_array_equal(m.predict_proba(X), estimator.predict_proba(X))


def test_onnx_of_what_was_fitted(tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: ONNX files are not run")
    m = mercer.SVC().fit(X, y)
    m.save(tmp_path / "m.mercer")
    subprocess.run([mercer.program(), "export", tmp_path / "m.mercer", "-o", tmp_path / "m.onnx"], check=True, capture_output=True)
    session = runtime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    label = session.run(["label"], {"features": X})[0]
    np.testing.assert_array_equal(np.ravel(label).astype(int), m.predict(X))


def test_arrays_and_labels():
    m = mercer.Auto(time=4, learner="svm", folds=3).fit(X, np.array(["a", "b", "c"])[y])
    assert m.score(X, np.array(["a", "b", "c"])[y]) > 0.9 and m.classes_.tolist() == ["a", "b", "c"]
    assert m.predict_proba(X).shape == (150, 3)


@pytest.mark.parametrize("labels", [np.array([4, 7]), np.array([0.0, 1.0]), np.array([False, True]), np.array(["no", "yes"], dtype=object)], ids=str)
def test_labels_come_back_as_they_were_given(labels):
    given = labels[(y > 0).astype(int)]
    m = mercer.Auto(time=2, learner="svm", folds=3).fit({"x": X[:, 0], "z": X[:, 2], "kind": given}, "kind")
    said = m.predict({"x": X[:, 0], "z": X[:, 2]})
    assert said.dtype == given.dtype and (said == given).mean() > 0.9 and m.classes_.tolist() == labels.tolist()
    assert m.score({"x": X[:, 0], "z": X[:, 2], "kind": given}, "kind") == (said == given).mean()


def test_what_is_wrong_is_said(houses):
    with pytest.raises(ValueError, match="no column 'prize'"):
        mercer.Auto().fit(houses, "prize")
    with pytest.raises(ValueError, match="unknown learner"):
        mercer.Auto(learner="svn").fit(houses, "price")
    gaps = houses.copy()
    gaps.loc[3, "area"] = np.nan
    with pytest.raises(ValueError, match="area"):
        mercer.Auto(time=5, learner="ridge").fit(gaps, "price")
    assert mercer.Auto(time=4, learner="ridge", missing="mean", folds=3).fit(gaps, "price").test_["r2"] > 0.9
