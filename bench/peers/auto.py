"""scikit-learn with the customary 10 × 10 grid beside tune.Auto: SVC or SVR by
5-fold cross-validation, and a Gaussian process by marginal likelihood."""
import time
import warnings

import numpy as np


def name():
    import sklearn

    return f"scikit-learn {sklearn.__version__}"


def version():
    return name(), lambda: np.zeros(1)


def grid_search(x_train, y_train, x_test, y_test, classes):
    import scipy.sparse
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC, SVR

    warnings.filterwarnings("ignore")
    y_train, y_test, classes = y_train.ravel(), y_test.ravel(), int(classes.ravel()[0])
    d = x_train.shape[1]
    sparse = d > 1000 and np.mean(x_train != 0) < 0.1
    grid = {"C": np.logspace(-2, 3, 10), "gamma": np.logspace(-4, 1, 10)}

    def timed(f):
        start = time.perf_counter()
        return f(), time.perf_counter() - start

    def run():
        a, b = x_train, x_test
        if sparse:
            a, b = scipy.sparse.csr_matrix(a), scipy.sparse.csr_matrix(b)
        gp, gp_s = np.nan, np.nan
        if classes > 0:
            svm, svm_s = timed(lambda: GridSearchCV(SVC(), grid, cv=5, n_jobs=1).fit(a, y_train).score(b, y_test))
            # one machine for each class against the rest: up to three classes
            if classes <= 3 and not sparse:
                k = ConstantKernel() * RBF(np.sqrt(d))
                gp, gp_s = timed(lambda: GaussianProcessClassifier(k).fit(a, y_train).score(b, y_test))
            return np.array([svm, gp, svm_s, gp_s])
        mean, scale = y_train.mean(), y_train.std()
        y = (y_train - mean) / scale

        def rmse(model):
            return np.sqrt(np.mean((model.predict(b) * scale + mean - y_test) ** 2))

        svm, svm_s = timed(lambda: rmse(GridSearchCV(SVR(), grid, cv=5, n_jobs=1, scoring="neg_root_mean_squared_error").fit(a, y)))
        # a length-scale for each column, as the customary example has it
        k = ConstantKernel() * RBF(np.ones(d)) + WhiteKernel(0.1)
        gp, gp_s = timed(lambda: rmse(GaussianProcessRegressor(k).fit(a, y)))
        return np.array([svm, gp, svm_s, gp_s])

    return name(), run


def trees(x_train, y_train, x_test, y_test, classes):
    """Gradient boosting and a random forest with the parameters they have by default but for 500 trees."""
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    warnings.filterwarnings("ignore")
    y_train, y_test, classes = y_train.ravel(), y_test.ravel(), int(classes.ravel()[0])

    def run():
        if classes > 0:
            models = HistGradientBoostingClassifier(random_state=0), RandomForestClassifier(500, random_state=0)
            return np.array([m.fit(x_train, y_train).score(x_test, y_test) for m in models])
        models = HistGradientBoostingRegressor(random_state=0), RandomForestRegressor(500, random_state=0)
        return np.array([np.sqrt(np.mean((m.fit(x_train, y_train).predict(x_test) - y_test) ** 2)) for m in models])

    return name(), run
