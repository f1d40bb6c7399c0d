"""scikit-learn's GridSearchCV and one fit of LIBSVM's svm-train beside package tune."""
import numpy as np

from machines import svm_train


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


def libsvm_one(x, y, file, c, gamma, gammas, prices, cells):
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    label = y.ravel().astype(int)
    # Cells of the grid that our side searches, to check it by; not timed.
    accuracy = [cross_val_score(SVC(gamma=gammas[g], C=prices[p], cache_size=1000), x, label, cv=folds_of(len(label), 5)).mean() for g, p in cells]
    peer, fit = svm_train(file, c, gamma)

    def run():
        return {**fit(), "accuracy": np.array(accuracy)}

    return peer, run


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


def evidence_search(x, y):
    import warnings

    import sklearn
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    warnings.filterwarnings("ignore")  # length-scales of columns that say nothing end at a bound

    def run():
        k = ConstantKernel(1.0) * RBF(np.ones(x.shape[1])) + WhiteKernel(0.1)
        m = GaussianProcessRegressor(k, alpha=0.0).fit(x, y.ravel())
        return np.array([m.log_marginal_likelihood_value_])

    return f"scikit-learn {sklearn.__version__} GaussianProcessRegressor", run
