"""Permutation tests in numpy that compute their Gram matrix once and permute it."""
import numpy as np


def gaussian(x, y, width):
    d = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * x @ y.T
    return np.exp(np.maximum(d, 0) / (-2 * width * width))


def mmd(x, y, width, draws):
    m, n = len(x), len(y)

    def statistic(k):
        xx, yy, xy = k[:m, :m], k[m:, m:], k[:m, m:]
        return (
            (xx.sum() - np.trace(xx)) / (m * (m - 1)) + (yy.sum() - np.trace(yy)) / (n * (n - 1)) - 2 * xy.mean()
        )

    def run():
        rng = np.random.default_rng(0)
        z = np.concatenate([x, y])
        k = gaussian(z, z, width)
        t = statistic(k)
        count = 0
        for _ in range(draws):
            p = rng.permutation(m + n)
            count += statistic(k[np.ix_(p, p)]) >= t
        return np.array([t, (1 + count) / (1 + draws)])

    return f"numpy {np.__version__}, K[p, p]", run


def mmd_product(x, y, width, draws):
    m, n = len(x), len(y)

    def run():
        rng = np.random.default_rng(0)
        z = np.concatenate([x, y])
        k = gaussian(z, z, width)
        d = np.diag(k).copy()
        np.fill_diagonal(k, 0)
        s = np.zeros((m + n, draws + 1))
        s[:m, 0] = 1
        for b in range(1, draws + 1):
            s[rng.permutation(m + n)[:m], b] = 1
        ks = k @ s
        a = (s * ks).sum(0)
        sums = ks.sum(0)
        total = k.sum()
        t = a / (m * (m - 1)) + (total - 2 * sums + a) / (n * (n - 1)) - 2 * (sums - a) / (m * n)
        return np.array([t[0], (1 + (t[1:] >= t[0]).sum()) / (1 + draws)])

    return f"numpy {np.__version__}, K @ S", run


def hsic(x, y, width, draws):
    n = len(x)

    def run():
        rng = np.random.default_rng(0)
        k, l = gaussian(x, x, width), gaussian(y, y, width)
        k = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        t = (k * l).sum()
        count = 0
        for _ in range(draws):
            p = rng.permutation(n)
            count += (k * l[np.ix_(p, p)]).sum() >= t
        return np.array([t / n**2, (1 + count) / (1 + draws)])

    return f"numpy {np.__version__}, L[p, p]", run
