"""LIBSVM in process, by its own Python binding (PyPI's libsvm-official): the fit alone."""
import numpy as np


def fit(file, options):
    from importlib.metadata import version

    from libsvm.svmutil import svm_parameter, svm_problem, svm_read_problem, svm_train

    y, x = svm_read_problem(file, return_scipy=True)
    problem, parameter = svm_problem(y, x), svm_parameter(options + " -q")

    def run():
        m = svm_train(problem, parameter)
        return np.array([float(m.get_nr_sv())])

    return f"libsvm-official {version('libsvm-official')}", run
