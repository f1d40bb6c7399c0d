"""LIBSVM's programs, LIBLINEAR and scikit-learn as support vector machines.

LIBSVM's time is that of the whole program, reading the file included.
"""
import os
import re
import shutil
import subprocess
import tempfile

import numpy as np


def version(package):
    out = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return out.stdout or "?"


def tool(name):
    path = shutil.which(name)
    if not path:
        raise RuntimeError(f"{name} is not installed; run bench/setup")
    return path


def svm_train(file, c, gamma):
    program = tool("svm-train")
    model = tempfile.NamedTemporaryFile(delete=False).name

    def run():
        out = subprocess.run([program, "-m", "2000", "-c", str(c), "-g", repr(gamma), file, model], capture_output=True, text=True, check=True)
        objectives = [float(v) for v in re.findall(r"obj = (\S+),", out.stdout)]
        total = re.findall(r"Total nSV = (\d+)", out.stdout)
        return {"objective": np.array([objectives[0] if len(objectives) == 1 else np.nan]), "vectors": np.array([float(total[-1])])}

    return f"LIBSVM {version('libsvm-tools')}", run


def sklearn_svc(file, c, gamma):
    import sklearn
    from sklearn.datasets import load_svmlight_file
    from sklearn.svm import SVC

    x, y = load_svmlight_file(file)
    x = x.toarray()

    def run():
        m = SVC(C=c, gamma=gamma, cache_size=2000).fit(x, y)
        return {"vectors": np.array([float(m.n_support_.sum())])}

    return f"scikit-learn {sklearn.__version__} SVC", run


def svm_predict(c, gamma, options=()):
    program, folder = tool("svm-predict"), os.path.join(os.getcwd(), "out")
    model, out = tempfile.NamedTemporaryFile(delete=False).name, tempfile.NamedTemporaryFile(delete=False).name
    test = os.path.join(folder, "svm-predict-test.txt")
    subprocess.run([tool("svm-train"), "-q", "-m", "2000", *options, "-c", str(c), "-g", repr(gamma), os.path.join(folder, "svm-predict-train.txt"), model], check=True)

    def run():
        subprocess.run([program, test, model, out], check=True, capture_output=True)
        return np.loadtxt(out)

    return f"LIBSVM {version('libsvm-tools')} svm-predict", run


def sklearn_svr(x, y, c, gamma, epsilon):
    import sklearn
    from sklearn.svm import SVR

    model = {}

    def run():
        model["m"] = SVR(C=c, gamma=gamma, epsilon=epsilon, cache_size=2000).fit(x, y.ravel())
        return model["m"].predict(x[:100])

    return f"scikit-learn {sklearn.__version__} SVR", run


def liblinear(file):
    """The fit alone: LIBLINEAR through scikit-learn, which calls the same C code in process."""
    import sklearn
    from sklearn.datasets import load_svmlight_file
    from sklearn.svm import LinearSVC

    x, y = load_svmlight_file(file)
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)

    def run():
        m = LinearSVC(C=1.0, tol=0.1, loss="squared_hinge", dual=True).fit(x, y)
        return m.predict(x)

    return f"LIBLINEAR (scikit-learn {sklearn.__version__})", run
