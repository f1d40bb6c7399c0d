"""scikit-learn's five machines beside tune.Auto: SVC or SVR with the customary 10 × 10 grid by 5-fold
cross-validation, a Gaussian process by marginal likelihood, gradient boosting, a random forest of
500 trees, and a linear machine (of n-grams where there are texts) with a grid over its penalty."""
import time
import warnings

import numpy as np

GRID_ROWS = 400  # with more rows the grid is 5 × 5 and there are 3 folds
PROCESS_ROWS = 1300  # with more rows there is no Gaussian process: its n³ take hours
SEARCH_ROWS = 5000  # with more rows there is no grid of support vector machines either


def name():
    import sklearn

    return f"scikit-learn {sklearn.__version__}"


def version():
    return name(), lambda: np.zeros(1)


def texts(codes):
    """Texts from their code points, parted by zeros."""
    return "".join(map(chr, codes.ravel().astype(int))).split("\0")[:-1] if codes.size else None


def machines(x_train, y_train, x_test, y_test, classes, text_train, text_test):
    import scipy.sparse
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC, SVR, LinearSVC

    warnings.filterwarnings("ignore")
    y_train, y_test, classes = y_train.ravel(), y_test.ravel(), int(classes.ravel()[0])
    n, d = x_train.shape
    sparse = d > 1000 and np.mean(x_train != 0) < 0.1
    a, b = (scipy.sparse.csr_matrix(x_train), scipy.sparse.csr_matrix(x_test)) if sparse else (x_train, x_test)
    points, folds = (10, 5) if n <= GRID_ROWS else (5, 3)
    grid = {"C": np.logspace(-2, 3, points), "gamma": np.logspace(-4, 1, points)}
    words, unseen = texts(text_train), texts(text_test)

    def grams():
        return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)

    def classifiers():
        machine = GridSearchCV(SVC(), grid, cv=folds)
        yield (lambda: machine.fit(a, y_train).score(b, y_test)) if n <= SEARCH_ROWS else None
        # one machine for each class against the rest: up to three classes
        few = classes <= 3 and not sparse and n <= PROCESS_ROWS
        yield (lambda: GaussianProcessClassifier(ConstantKernel() * RBF(np.sqrt(d))).fit(a, y_train).score(b, y_test)) if few else None
        yield lambda: HistGradientBoostingClassifier(random_state=0).fit(x_train, y_train).score(x_test, y_test)
        yield lambda: RandomForestClassifier(500, random_state=0).fit(x_train, y_train).score(x_test, y_test)
        prices = np.logspace(-3, 3, 7)
        if words:
            line = GridSearchCV(make_pipeline(grams(), LinearSVC()), {"linearsvc__C": prices}, cv=5)
            yield lambda: line.fit(words, y_train).score(unseen, y_test)
        else:
            yield lambda: GridSearchCV(LinearSVC(), {"C": prices}, cv=5).fit(a, y_train).score(b, y_test)

    def regressors():
        mean, scale = y_train.mean(), y_train.std()
        y = (y_train - mean) / scale

        def rmse(model):
            return np.sqrt(np.mean((model.predict(b) * scale + mean - y_test) ** 2))

        machine = GridSearchCV(SVR(), grid, cv=folds, scoring="neg_root_mean_squared_error")
        yield (lambda: rmse(machine.fit(a, y))) if n <= SEARCH_ROWS else None
        # a length-scale for each column, as the customary example has it
        k = ConstantKernel() * RBF(np.ones(d)) + WhiteKernel(0.1)
        yield (lambda: rmse(GaussianProcessRegressor(k).fit(a, y))) if n <= PROCESS_ROWS else None
        yield lambda: rmse(HistGradientBoostingRegressor(random_state=0).fit(x_train, y))
        yield lambda: rmse(RandomForestRegressor(500, random_state=0).fit(x_train, y))
        yield lambda: rmse(RidgeCV(np.logspace(-6, 6, 25)).fit(a, y))

    def run():
        scores, seconds = [], []
        for machine in classifiers() if classes > 0 else regressors():
            start = time.perf_counter()
            scores.append(machine() if machine else np.nan)
            seconds.append(time.perf_counter() - start)
        return np.array(scores + seconds)

    return name(), run
