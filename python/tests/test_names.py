"""Every parameter, fitted attribute and method of scikit-learn's estimators is here, or in the table of docs/python.md that says why not."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn import cluster, decomposition, ensemble, gaussian_process, kernel_approximation, kernel_ridge, linear_model, neighbors, svm

import mercer

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"

pytestmark = [
    pytest.mark.skipif(not PAGE.exists(), reason="the documents are not here: names are NOT compared with scikit-learn's"),
    pytest.mark.skipif(sklearn.__version__.startswith(("1.4", "1.5")), reason="the table is of the newest scikit-learn"),
]

MODULES = (svm, kernel_ridge, gaussian_process, decomposition, cluster, neighbors, kernel_approximation, linear_model, ensemble)
PAIRS = {n: getattr(m, n) for n in mercer.__all__ for m in MODULES if inspect.isclass(getattr(m, n, None)) and hasattr(getattr(m, n), "fit")}
PAIRS["RandomFourier"] = kernel_approximation.RBFSampler
# What both sides are fitted with, so that they solve one problem to the same digits.
PARAMS = {
    "SVC": {"tol": 1e-9}, "NuSVC": {"tol": 1e-9}, "SVR": {"tol": 1e-9}, "NuSVR": {"tol": 1e-9}, "OneClassSVM": {"tol": 1e-9},
    "LinearSVC": {"tol": 1e-9, "max_iter": 100_000}, "GaussianProcessRegressor": {"alpha": 0.01, "optimizer": None},
    "GaussianProcessClassifier": {"optimizer": None}, "KernelPCA": {"n_components": 2, "fit_inverse_transform": True},
    "SpectralClustering": {"n_clusters": 3, "gamma": 0.2}, "Nystroem": {"n_components": 20}, "Perceptron": {"max_iter": 10},
}  # fmt: skip


def listed(name):
    """The names that the table has for an estimator, by what is said of them."""
    out = {"missing": set(), "default": set(), "type": set(), "value": set(), "one": set()}
    section = PAGE.read_text().split("### What is not here")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = line.split("|")
        if len(cells) != 5 or name not in re.findall(r"`(\w+)`", cells[1]):
            continue
        assert cells[3].strip(), f"no reason: {line}"
        for part in cells[2].split(";"):
            names = set(re.findall(r"`(\w+)`", part))
            if "of neighbours" in part:
                continue
            kind = next((k for k, word in {"default": "default of", "type": "type of", "value": "the value", "one": "other than the default"}.items() if word in part), "missing")
            out[kind] |= names
    return out


def parameters(estimator):
    return {n: p.default for n, p in inspect.signature(estimator.__init__).parameters.items() if n != "self"}


def methods(estimator):
    return {
        n for n in dir(estimator)
        if not n.startswith("_") and not re.fullmatch(r"set_\w+_request", n) and inspect.isroutine(getattr(estimator, n, None))
    }  # fmt: skip


def attributes(fitted):
    """The fitted attributes that can be read."""
    return {n: getattr(fitted, n) for n in dir(fitted) if n.endswith("_") and not n.startswith("_") and hasattr(fitted, n)}


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    code = np.arange(60) % 3
    X[:, 0] += 4 * code
    return X, code, X @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=60)


@pytest.fixture(scope="module", params=sorted(PAIRS))
def pair(request):
    """A name, both classes, and both fitted."""
    name = request.param
    ours, theirs = getattr(mercer, name), PAIRS[name]
    X, code, values = rows()
    y = values if sklearn.base.is_regressor(theirs()) else code
    params = PARAMS.get(name, {})
    return name, ours, theirs, ours(**params).fit(X, y), theirs(**params).fit(X, y)


def test_every_name_is_here_or_in_the_table(pair):
    name, ours, theirs, our_fit, their_fit = pair
    there = set(parameters(theirs)) | methods(theirs) | set(attributes(their_fit))
    here = set(parameters(ours)) | methods(ours) | set(attributes(our_fit))
    assert there - here == listed(name)["missing"], "the names that are not here are not those of the table"


def test_defaults_are_those_of_scikit_learn(pair):
    name, ours, theirs, _, _ = pair
    a, b = parameters(ours), parameters(theirs)
    assert {n for n in a if n in b and a[n] != b[n]} == listed(name)["default"]


def test_a_parameter_of_one_value_refuses_others(pair):
    name, ours, _, _, _ = pair
    X, code, values = rows()
    one = listed(name)["one"]
    assert set(ours._alone) | ({"loss"} & one) == one, "the parameters of one value are not those of the table"
    for parameter in one:
        with pytest.raises(ValueError, match=parameter):
            ours(**{parameter: "something else"}).fit(X, code)


def test_attributes_have_the_shapes_and_types_of_scikit_learn(pair):
    name, _, _, our_fit, their_fit = pair
    a, b = attributes(our_fit), attributes(their_fit)
    other = set()
    for n in set(a) & set(b):
        x, y = np.asarray(a[n]), np.asarray(b[n])
        if x.dtype == object or y.dtype == object:
            other |= {n} if type(a[n]) is not type(b[n]) else set()
        elif (x.shape, x.dtype) != (y.shape, y.dtype):
            other.add(n)
    assert other == listed(name)["type"]


COUNTS = {"n_iter_"}  # of steps: other solvers take others
SIGNS = {"eigenvectors_", "X_transformed_fit_", "dual_coef_"}  # of components: either is right


def test_attributes_have_the_values_of_scikit_learn(pair):
    name, _, _, our_fit, their_fit = pair
    a, b = attributes(our_fit), attributes(their_fit)
    other = set()
    for n in (set(a) & set(b)) - COUNTS:
        x, y = np.asarray(a[n]), np.asarray(b[n])
        if x.dtype == object or x.shape != y.shape:
            continue
        if name == "KernelPCA" and n in SIGNS:
            x, y = np.abs(x), np.abs(y)
        if n == "labels_":
            same = len(set(zip(x.tolist(), y.tolist()))) == len(set(x.tolist()))
        elif x.dtype.kind == "f":
            same = np.allclose(x, y, rtol=1e-4, atol=1e-4 * np.abs(y).max(initial=0))
        else:
            same = np.array_equal(x, y)
        if not same:
            other.add(n)
    assert other == listed(name)["value"]


@pytest.mark.parametrize("classes", [2, 3])
def test_sigmoids_of_machines_are_what_probabilities_come_from(classes):
    X, code, _ = rows()
    X, code = X[code < classes], code[code < classes]
    m = mercer.SVC(probability=True, decision_function_shape="ovo").fit(X, code)
    machines = classes * (classes - 1) // 2
    assert m.probA_.shape == m.probB_.shape == m.n_iter_.shape == (machines,)
    np.testing.assert_allclose(m.probA_, svm.SVC(probability=True).fit(X, code).probA_, rtol=0.5)  # by other folds
    f = m.decision_function(X).reshape(len(X), machines)
    if classes == 2:
        first = 1 / (1 + np.exp(m.probA_ * -f + m.probB_))  # f is positive for the second
        np.testing.assert_allclose(m.predict_proba(X)[:, 0], first[:, 0], atol=1e-12)
        return
    first = 1 / (1 + np.exp(m.probA_ * f + m.probB_))
    p = m.predict_proba(X)
    sure = first[:, 0] > 0.9  # of the first class, not of the second
    assert sure.any() and (p[sure, 0] > p[sure, 1]).all()


def test_rows_drawn_from_a_density_are_those_of_scikit_learn():
    X, _, _ = rows()
    w = np.linspace(0, 2, len(X))
    for weights in (None, w):
        a = mercer.KernelDensity(bandwidth=0.3).fit(X, sample_weight=weights)
        b = neighbors.KernelDensity(bandwidth=0.3).fit(X, sample_weight=None if weights is None else weights + 1e-300)
        np.testing.assert_allclose(a.sample(50, 7), b.sample(50, 7), atol=1e-12)
    flat = mercer.KernelDensity(bandwidth=0.3, kernel="tophat").fit(X)
    far = flat.sample(500, 0)
    nearest = np.sqrt(((far[:, None] - X[None]) ** 2).sum(axis=2)).min(axis=1)
    assert nearest.max() <= 0.3 and nearest.max() > 0.25
    with pytest.raises(NotImplementedError, match="linear"):
        mercer.KernelDensity(kernel="linear").fit(X).sample()


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_of_bandwidths_are_those_of_scikit_learn_times_the_deviation(rule, rng=np.random.default_rng(0)):
    X = rng.normal(size=(50, 2)) * [1, 10]
    ours = mercer.KernelDensity(bandwidth=rule).fit(X).bandwidth_
    theirs = neighbors.KernelDensity(bandwidth=rule).fit(X).bandwidth_
    np.testing.assert_allclose(ours, theirs * X.std(axis=0, ddof=1), rtol=1e-6)


def test_a_callable_may_be_one_of_two_rows():
    X, _, t = rows()
    calls = []

    def near(a, b, wide=1.0):
        calls.append(np.shape(a))
        return float(np.exp(-np.sum((a - b) ** 2) / wide))

    ours = mercer.KernelRidge(kernel=near, kernel_params={"wide": 2.0}).fit(X[:40], t[:40])
    theirs = kernel_ridge.KernelRidge(kernel=near, kernel_params={"wide": 2.0}).fit(X[:40], t[:40])
    np.testing.assert_allclose(ours.predict(X[40:]), theirs.predict(X[40:]), atol=1e-8)
    calls.clear()
    product = lambda a, b: calls.append(np.shape(a)) or a @ b.T  # noqa: E731 - both at once
    mercer.KernelRidge(kernel=product).fit(X, t)
    assert len(calls) == 4, "a product of matrices was asked row by row"


def test_scores_are_mapped_back_as_scikit_learn_does():
    X, _, _ = rows()
    how = {"n_components": 2, "kernel": "rbf", "gamma": 0.2, "fit_inverse_transform": True, "alpha": 0.01}
    a, b = mercer.KernelPCA(**how).fit(X), decomposition.KernelPCA(**how).fit(X)
    np.testing.assert_allclose(a.inverse_transform(a.transform(X)), b.inverse_transform(b.transform(X)), atol=1e-6)
    assert not hasattr(mercer.KernelPCA(2).fit(X), "inverse_transform")
    with pytest.raises(ValueError, match="inverse_transform"):
        mercer.KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)


def test_weights_may_be_sparse():
    X, code, _ = rows()
    for make in (mercer.LinearSVC, mercer.Perceptron):
        m = make().fit(X, code)
        before, said = m.coef_.copy(), m.decision_function(X)
        np.testing.assert_array_equal(m.sparsify().coef_.toarray(), before)
        np.testing.assert_array_equal(m.decision_function(X), said)
        np.testing.assert_array_equal(m.densify().coef_, before)
        assert X.shape[1] == before.shape[1] and len(before) == 3
