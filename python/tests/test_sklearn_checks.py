"""scikit-learn's own checks of every estimator."""

from __future__ import annotations

import pytest
import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

NEW = tuple(int(p) for p in sklearn.__version__.split(".")[:2]) >= (1, 6)

ESTIMATORS = [
    mercer.SVC(),
    mercer.SVC(kernel="linear"),
    mercer.SVC(kernel="precomputed"),
    mercer.SVC(probability=True),
    mercer.NuSVC(),
    mercer.SVR(),
    mercer.NuSVR(),
    mercer.OneClassSVM(),
    mercer.LinearSVC(),
    mercer.KernelRidge(),
    mercer.KernelRidge(kernel="rbf"),
    mercer.GaussianProcessRegressor(),
    mercer.GaussianProcessClassifier(),
    mercer.SGPR(gamma=0.5),
    mercer.KernelLogistic(gamma=0.5),
    mercer.RVC(gamma=0.5),
    mercer.RVR(gamma=0.5),
    mercer.Falkon(gamma=0.1, alpha=0.01),
    mercer.FalkonClassifier(gamma=0.5),
    mercer.KernelPerceptron(gamma=0.5),
    mercer.Perceptron(),
    mercer.KernelFisher(gamma=0.5),
    mercer.KernelPCA(n_components=2, kernel="rbf"),
    mercer.KernelCCA(),
    mercer.KernelKMeans(n_clusters=3),
    mercer.SpectralClustering(n_clusters=3),
    mercer.KernelDensity(),
    mercer.Nystroem(n_components=5),
    mercer.RandomFourier(n_components=20),
    mercer.NadarayaWatson(bandwidth=0.5),
    mercer.LocalRegression(),
]

# Checks that an estimator need not pass, each with the reason.
STOPS = "gamma='scale' is the spread of the rows given, and the solver stops at tol; test_weights.py asks the same with gamma=0.5, tol=1e-10"
SAME = {
    "check_sample_weight_equivalence_on_dense_data": STOPS,
    "check_sample_weight_equivalence_on_sparse_data": STOPS,
    "check_sample_weights_invariance": STOPS,  # as scikit-learn calls it before 1.6
}
FAILS: dict[str, dict[str, str]] = {name: SAME for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC")}


FAILS["NuSVC"] = {
    **SAME,
    "check_class_weight_classifiers": "ν is a share of the weight: with a class of 0.0001 and one of 1000 no ν above 2e-7 has a solution, which is said",
}
ORDER = "an online learner goes from row to row: a weight is the length of a step, not a row once more"
FAILS["KernelPerceptron"] = FAILS["Perceptron"] = {name: ORDER for name in SAME}
FAILS["LocalRegression"] = {name: "the span is a share of the rows, and a row twice is two rows" for name in SAME}
CLIMBS = "kernel parameters and inducing points are climbed for until a gradient is small: six digits, not seven, are the same"
FAILS["SGPR"] = {name: CLIMBS for name in SAME}


def expected(estimator):
    """What is known not to pass, for scikit-learn."""
    return FAILS.get(type(estimator).__name__, {})


if NEW:

    @parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
    def test_check(estimator, check):
        check(estimator)

else:

    @parametrize_with_checks(ESTIMATORS)
    def test_check(estimator, check):
        reason = expected(estimator).get(getattr(check, "func", check).__name__)
        if reason:
            pytest.xfail(reason)
        check(estimator)
