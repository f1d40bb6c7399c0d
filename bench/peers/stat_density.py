"""scikit-learn's kernel density estimation."""


def kde(x, q, h, rtol):
    import sklearn
    from sklearn.neighbors import KernelDensity

    m = KernelDensity(bandwidth=h, kernel="gaussian", atol=0, rtol=rtol).fit(x)
    return f"scikit-learn {sklearn.__version__}", lambda: m.score_samples(q)
