"""scikit-learn doing the work of package learn."""
import numpy as np

from machines import *  # noqa: F401,F403 - the support vector machines


def ridge(x, y, gamma, alpha):
    import sklearn
    from sklearn.kernel_ridge import KernelRidge

    def run():
        return KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma).fit(x, y.ravel()).dual_coef_

    return f"scikit-learn {sklearn.__version__} KernelRidge", run


def process(x, y, thetas):
    import sklearn
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    d = x.shape[1]
    target = y.ravel()

    def run():
        values = []

        def look(objective, start, bounds):
            best = None
            for t in np.log(thetas):
                value, grad = objective(t)  # negative log marginal likelihood and gradient
                values.append(np.concatenate([[-value], -grad]))
                if best is None or value < best[1]:
                    best = (t, value)
            return best

        k = ConstantKernel(1.0) * RBF(np.ones(d)) + WhiteKernel(1.0)
        GaussianProcessRegressor(k, alpha=0.0, optimizer=look).fit(x, target)
        return np.concatenate(values)

    return f"scikit-learn {sklearn.__version__} GaussianProcessRegressor", run
