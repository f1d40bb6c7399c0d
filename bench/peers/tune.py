"""scikit-learn's GridSearchCV and one fit of LIBSVM's svm-train beside package tune."""
import subprocess

import numpy as np


def folds_of(n, m):
    index = np.arange(n)
    return [(index[index % m != f], index[index % m == f]) for f in range(m)]


def svm_grid(x, y, gammas, prices):
    import sklearn
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    y = y.ravel().astype(int)

    def run():
        g = GridSearchCV(SVC(kernel="rbf", cache_size=1000), {"gamma": gammas, "C": prices}, cv=folds_of(len(y), 5), n_jobs=2, refit=False)
        g.fit(x, y)
        return np.array([g.best_score_])

    return f"scikit-learn {sklearn.__version__} GridSearchCV", run


def libsvm_one(x, y):
    path = "out/libsvm_one.txt"
    with open(path, "w") as f:
        for row, label in zip(x, y.ravel()):
            f.write(f"{int(label)} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(row)) + "\n")

    def run():
        subprocess.run(["svm-train", "-q", "-m", "2000", "-c", "1", "-g", "0.02", path, "out/libsvm_one.model"], check=True)
        with open("out/libsvm_one.model") as f:
            for line in f:
                if line.startswith("total_sv"):
                    return np.array([float(line.split()[1])])

    return "LIBSVM svm-train", run


def ridge_grid(x, y, lambdas, lengths):
    import sklearn
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    y = y.ravel()
    gamma = 1 / (2 * lengths[10] ** 2)

    def run():
        g = GridSearchCV(KernelRidge(kernel="rbf", gamma=gamma), {"alpha": [lambdas[0], lambdas[-1]]},
                         cv=folds_of(len(y), 10), n_jobs=1, refit=False, scoring="neg_root_mean_squared_error")
        g.fit(x, y)
        return -g.cv_results_["mean_test_score"]

    run.times = 500
    return f"scikit-learn {sklearn.__version__} GridSearchCV", run
