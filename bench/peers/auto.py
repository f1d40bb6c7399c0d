"""scikit-learn with the customary 10 × 10 grid beside tune.Auto: the better, by
cross-validation, of SVC/SVR and (for regression) a Gaussian process."""
import numpy as np


def grid_search(x_train, y_train, x_test, y_test, classes):
    import sklearn
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.svm import SVC, SVR

    y_train, y_test = y_train.ravel(), y_test.ravel()
    grid = {"C": np.logspace(-2, 3, 10), "gamma": np.logspace(-4, 1, 10)}

    def run():
        if classes.ravel()[0] > 0:
            g = GridSearchCV(SVC(), grid, cv=5, n_jobs=2).fit(x_train, y_train)
            return np.array([g.score(x_test, y_test)])
        mean, scale = y_train.mean(), y_train.std()
        y = (y_train - mean) / scale
        g = GridSearchCV(SVR(), grid, cv=5, n_jobs=2, scoring="neg_root_mean_squared_error").fit(x_train, y)
        best = g
        if len(y) <= 1000:
            gp = GaussianProcessRegressor(ConstantKernel() * RBF(np.ones(x_train.shape[1])) + WhiteKernel(0.1))
            if cross_val_score(gp, x_train, y, cv=5, scoring="neg_root_mean_squared_error", n_jobs=2).mean() > g.best_score_:
                best = gp.fit(x_train, y)
        error = best.predict(x_test) * scale + mean - y_test
        return np.array([np.sqrt(np.mean(error**2))])

    return f"scikit-learn {sklearn.__version__} 10×10", run
