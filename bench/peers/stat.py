"""scikit-learn and R's kernlab doing the work of project, cluster and stat."""
import os
import subprocess
import tempfile

import numpy as np
from stat_density import kde  # noqa: F401
from stat_tests import hsic, mmd, mmd_product  # noqa: F401


def kernel_pca(x, gamma, solver):
    import sklearn
    from sklearn.decomposition import KernelPCA

    def run():
        # eigen_solver="auto" takes ARPACK for few components of many points, or LAPACK
        m = KernelPCA(10, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0).fit(x)
        return m.eigenvalues_

    return f"scikit-learn {sklearn.__version__} KernelPCA {solver}", run


class R:
    """An R process that holds the inputs; the time is taken inside R, so that
    neither start-up nor the pipe is counted."""

    def __init__(self, setup, **arrays):
        self.dir = tempfile.mkdtemp()
        self.p = subprocess.Popen(["R", "--vanilla", "--slave", "--no-echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name, a in arrays.items():
            path = os.path.join(self.dir, name)
            np.asarray(a, "<f8").T.tofile(path)  # R is column-major
            self.say(f'{name} <- matrix(readBin("{path}", "double", {a.size}), {a.shape[0]})')
        self.say("suppressMessages(library(kernlab))")
        self.say(setup)
        self.version = self.ask('as.character(packageVersion("kernlab"))')[0]

    def say(self, line):
        self.p.stdin.write(line + "\n")

    def ask(self, expression):
        self.say(f'cat("<", {expression}, ">", sep="\\n"); flush(stdout())')
        self.p.stdin.flush()
        out = []
        while (line := self.p.stdout.readline()) != "<\n":
            if not line:
                raise RuntimeError("R stopped")
        while (line := self.p.stdout.readline()) != ">\n":
            if not line:
                raise RuntimeError("R stopped")
            out.append(line.strip())
        return out

    def timed(self, statement, result):
        self.say(f"elapsed <- system.time({statement})[['elapsed']]")
        seconds = float(self.ask("elapsed")[0])
        return Timed(np.array([float(v) for v in self.ask(result)]), seconds)


class Timed(np.ndarray):
    """A result that knows how long R took for it."""

    def __new__(cls, a, seconds):
        o = np.asarray(a).view(cls)
        o.seconds = seconds
        return o


def kernel_cca(x, y):
    r = R("", x=x, y=y)
    return f"kernlab {r.version} kcca", lambda: r.timed("k <- kcca(x, y, kernel='rbfdot', kpar=list(sigma=0.1), gamma=0.1, ncomps=10)", "sort(k@kcor, decreasing=TRUE)")


def spectral_clustering(x, sigma):
    r = R("set.seed(1)", x=x)
    return f"kernlab {r.version} specc", lambda: r.timed(f"s <- specc(x, centers=2, kernel='rbfdot', kpar=list(sigma={sigma}))", "as.integer(s@.Data)")
