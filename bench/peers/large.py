"""scikit-learn and NumPy doing the work of many rows and few centres."""
import numpy as np


def nystroem(x, y, test, gamma, alpha, centers):
    import sklearn
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    def run():
        model = make_pipeline(Nystroem(kernel="rbf", gamma=gamma, n_components=centers, random_state=0), Ridge(alpha=alpha))
        return model.fit(x, y.ravel()).predict(test)

    return f"scikit-learn {sklearn.__version__} Nystroem + Ridge", run


BLOCK = 8192


def tiles(x, centers, gamma):
    """exp(-gamma |x - c|²) in blocks of rows, by one SGEMM each, in place."""
    norms = (centers * centers).sum(1)
    for lo in range(0, len(x), BLOCK):
        part = x[lo:lo + BLOCK]
        k = part @ centers.T
        k *= -2
        k += norms
        k += (part * part).sum(1)[:, None]
        k *= -gamma
        np.exp(k, out=k)
        yield lo, k


def pair(x, centers, v, gamma):
    x, centers, v = x.astype(np.float32), centers.astype(np.float32), v.astype(np.float32).ravel()

    def run():
        out = np.zeros(len(centers))
        for _, k in tiles(x, centers, gamma):
            out += k.T @ (k @ v)
        return out

    return f"NumPy {np.__version__}, SGEMM + exp in blocks", run


def falkon(x, y, test, gamma, lam, centers, steps):
    """The package of FALKON's authors on its CPU path where it is installed, else the algorithm in NumPy."""
    try:
        import falkon as package
        import torch
    except ImportError:
        return plain_falkon(x, y, test, gamma, lam, centers, steps)
    a, b, c = (torch.from_numpy(v.astype(np.float32)) for v in (x, y.reshape(-1, 1), test))

    def run():
        kernel = package.kernels.GaussianKernel(sigma=(1 / (2 * gamma)) ** 0.5)
        options = package.FalkonOptions(use_cpu=True)
        model = package.Falkon(kernel=kernel, penalty=lam, M=centers, maxiter=steps, seed=0, options=options)
        return model.fit(a, b).predict(c).numpy().ravel()

    return f"falkon {package.__version__}, CPU", run


def plain_falkon(x, y, test, gamma, lam, centers, steps):
    from scipy.linalg import solve_triangular
    x, y, test = x.astype(np.float32), y.astype(np.float32).ravel(), test.astype(np.float32)
    n = len(x)

    def run():
        c = x[np.random.default_rng(0).choice(n, centers, replace=False)]
        kmm = np.concatenate([k for _, k in tiles(c, c, gamma)]).astype(np.float64)
        t = np.linalg.cholesky(kmm + 1e-6 * centers * np.eye(centers)).T
        a = np.linalg.cholesky(t @ t.T / centers + lam * np.eye(centers)).T

        def products(alpha=None):
            out = np.zeros(centers)
            small = None if alpha is None else alpha.astype(np.float32)
            for lo, k in tiles(x, c, gamma):
                out += k.T @ (y[lo:lo + BLOCK] if small is None else k @ small)
            return out

        def down(v):
            return solve_triangular(t, solve_triangular(a, v))

        def bhb(u):
            w = solve_triangular(a, u)
            inner = solve_triangular(t, products(solve_triangular(t, w)), trans=1) / n + lam * w
            return solve_triangular(a, inner, trans=1)

        r = solve_triangular(a, solve_triangular(t, products(), trans=1) / n, trans=1)
        beta, p, rho = np.zeros(centers), r.copy(), r @ r
        for _ in range(steps):
            h = bhb(p)
            step = rho / (p @ h)
            beta, r = beta + step * p, r - step * h
            new = r @ r
            p, rho = r + new / rho * p, new
        alpha = down(beta).astype(np.float32)
        return np.concatenate([k @ alpha for _, k in tiles(test, c, gamma)])

    return f"NumPy {np.__version__}, FALKON from the paper", run


def sgpr(x, y, test, inducing, steps):
    """The collapsed bound of Titsias in GPyTorch on processors, in double precision, by steps of Adam."""
    import gpytorch
    import torch
    a, b, c = (torch.from_numpy(np.ascontiguousarray(v)) for v in (x, y.ravel(), test))

    class Process(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(a, b, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=a.shape[1]))
            base.base_kernel.lengthscale = a.shape[1] ** 0.5
            chosen = torch.from_numpy(np.random.default_rng(0).choice(len(a), inducing, replace=False))
            self.covar_module = gpytorch.kernels.InducingPointKernel(base, inducing_points=a[chosen].clone(), likelihood=likelihood)

        def forward(self, points):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(points), self.covar_module(points))

    def run():
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        likelihood.noise = 0.1 * float(b.var())
        model = Process(likelihood).double()
        model.train(), likelihood.train()
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        bound = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        for _ in range(steps):
            optimiser.zero_grad()
            loss = -bound(model(a), b)
            loss.backward()
            optimiser.step()
        model.eval(), likelihood.eval()
        with torch.no_grad():
            return model(c).mean.numpy()

    return f"GPyTorch {gpytorch.__version__}, CPU", run


def full_ridge(x, y, test, gamma, alpha, rows):
    """Kernel ridge regression by factorising the Gram matrix of some of the rows."""
    import sklearn
    from sklearn.kernel_ridge import KernelRidge

    def run():
        return KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma).fit(x[:rows], y[:rows].ravel()).predict(test)

    return f"scikit-learn {sklearn.__version__} KernelRidge of {rows} rows", run
