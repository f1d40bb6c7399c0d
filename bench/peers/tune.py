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


def process_search(x, y, steps, factor):
    """A process of GPyTorch with a length-scale for each column, by steps of Adam."""
    import gpytorch
    import torch

    a, b = torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(y.ravel().copy())
    largest = gpytorch.settings.max_cholesky_size(10**9 if factor else 800)

    class Process(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(a, b, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            base = gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=a.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(base)
            base.lengthscale, self.covar_module.outputscale = 1.0, 1.0

        def forward(self, points):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(points), self.covar_module(points))

    def run():
        torch.manual_seed(0)
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        model = Process(likelihood).double()
        likelihood.noise = 0.1
        model.train(), likelihood.train()
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        with largest:
            for _ in range(steps):
                optimiser.zero_grad()
                loss = -evidence(model(a), b)
                loss.backward()
                optimiser.step()
        with torch.no_grad(), gpytorch.settings.max_cholesky_size(10**9):
            return np.array([likelihood(model(a)).log_prob(b).item()])

    return f"GPyTorch {gpytorch.__version__}, {steps} steps of Adam", run


def outputs_search(x, y, steps):
    """A multitask process of GPyTorch: any B (rank as many as there are outputs), a noise for each, by steps of Adam."""
    import gpytorch
    import torch

    a, b = (torch.from_numpy(np.ascontiguousarray(v)) for v in (x, y))
    tasks = b.shape[1]

    class Process(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(a, b, likelihood)
            self.mean_module = gpytorch.means.MultitaskMean(gpytorch.means.ZeroMean(), num_tasks=tasks)
            self.covar_module = gpytorch.kernels.MultitaskKernel(gpytorch.kernels.RBFKernel(), num_tasks=tasks, rank=tasks)
            self.covar_module.data_covar_module.lengthscale = 1.0

        def forward(self, points):
            return gpytorch.distributions.MultitaskMultivariateNormal(self.mean_module(points), self.covar_module(points))

    def run():
        torch.manual_seed(0)
        likelihood = gpytorch.likelihoods.MultitaskGaussianLikelihood(num_tasks=tasks, rank=0, has_global_noise=False).double()
        model = Process(likelihood).double()
        model.train(), likelihood.train()
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        for _ in range(steps):
            optimiser.zero_grad()
            loss = -evidence(model(a), b)
            loss.backward()
            optimiser.step()
        with torch.no_grad():
            return np.array([likelihood(model(a)).log_prob(b).item()])

    return f"GPyTorch {gpytorch.__version__} multitask, {steps} steps of Adam", run
