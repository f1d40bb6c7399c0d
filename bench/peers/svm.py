"""LIBSVM in process, by its own Python binding (PyPI's libsvm-official): the fit alone.

It computes kernel rows by OpenMP, in loops so short that threads that wait for each other may cost several times
what they save (on a busy machine ten times). So each time it runs with one thread and with all, and the better counts.
"""
import ctypes
import os
import time

import numpy as np


class Best(np.ndarray):
    """The number of support vectors, and what the faster run took."""

    seconds = cpu = 0.0


def fit(file, options):
    from importlib.metadata import version

    from libsvm.svmutil import svm_parameter, svm_problem, svm_read_problem, svm_train

    y, x = svm_read_problem(file, return_scipy=True)
    problem, parameter = svm_problem(y, x), svm_parameter(options + " -q")
    openmp = ctypes.CDLL("libgomp.so.1")

    def run():
        times = []
        for threads in {1, int(os.environ.get("OMP_NUM_THREADS", "1"))}:
            openmp.omp_set_num_threads(threads)
            start, cpu = time.perf_counter(), time.process_time()
            m = svm_train(problem, parameter)
            times.append((time.perf_counter() - start, time.process_time() - cpu))
        out = np.array([float(m.get_nr_sv())]).view(Best)
        out.seconds, out.cpu = min(times)
        return out

    return f"libsvm-official {version('libsvm-official')}", run


def predict(file, model, probable):
    """svm_predict row by row, which is all that LIBSVM offers, on rows that were read before."""
    from importlib.metadata import version

    from libsvm.svm import gen_svm_nodearray, libsvm
    from libsvm.svmutil import svm_load_model, svm_read_problem

    m = svm_load_model(model)
    _, rows = svm_read_problem(file)
    nodes = [gen_svm_nodearray(row)[0] for row in rows]
    values = (ctypes.c_double * max(m.get_nr_class(), 1))()
    openmp = ctypes.CDLL("libgomp.so.1")

    def run():
        times = []
        for threads in {1, int(os.environ.get("OMP_NUM_THREADS", "1"))}:
            openmp.omp_set_num_threads(threads)
            start, cpu = time.perf_counter(), time.process_time()
            for node in nodes:
                out = libsvm.svm_predict_probability(m, node, values) if probable else libsvm.svm_predict(m, node)
            times.append((time.perf_counter() - start, time.process_time() - cpu))
        result = np.array([out]).view(Best)
        result.seconds, result.cpu = min(times)
        return result

    return f"libsvm-official {version('libsvm-official')}", run
