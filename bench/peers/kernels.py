"""scikit-learn doing the work of packages kernel, gram and rkhs."""
import numpy as np
import sklearn

NAME = f"scikit-learn {sklearn.__version__}"


def gaussian(x, lengthscale):
    from sklearn.metrics.pairwise import rbf_kernel

    return NAME, lambda: rbf_kernel(x, gamma=0.5 / lengthscale**2)[::97, ::89]


def matern52(x, lengthscale):
    from sklearn.gaussian_process.kernels import Matern

    k = Matern(length_scale=lengthscale, nu=2.5)
    return NAME + " Matern", lambda: k(x)[::97, ::89]


def predict(c, x, alpha, lengthscale):
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(kernel="rbf", gamma=0.5 / lengthscale**2)
    model.fit(c[:2], alpha[:2])
    model.X_fit_, model.dual_coef_ = c, alpha
    return NAME + " KernelRidge", lambda: model.predict(x)
