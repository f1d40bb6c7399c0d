"""numpy, scipy and scikit-learn doing the work of internal/engine/simd and internal/engine/linalg."""
import numpy as np


def blas():
    try:
        from threadpoolctl import threadpool_info

        for pool in threadpool_info():
            if pool.get("user_api") == "blas":
                return f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}".strip()
    except ImportError:
        pass
    return "BLAS"


def gemm(a, b):
    out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    return f"numpy {np.__version__}", lambda: np.matmul(a, b, out=out)


def cholesky(a):
    import scipy
    from scipy.linalg import lapack

    def run():
        # the fastest call scipy has: Fortran order, no copy back, no checks
        c, info = lapack.dpotrf(a.T, lower=0, clean=0, overwrite_a=0)
        assert info == 0
        return np.array([np.log(np.diag(c)).sum() * 2])

    return f"scipy {scipy.__version__}", run


def eigh(a):
    import scipy

    def run():
        w, v = scipy.linalg.eigh(a, check_finite=False, driver="evd")
        return w

    return f"scipy {scipy.__version__} eigh", run


def eigsh(a):
    import scipy
    from scipy.sparse.linalg import eigsh as solve

    def run():
        w, v = solve(a, k=10, which="LA", tol=1e-8)
        return {"values": w[::-1], "vectors": v[:, ::-1]}

    return f"scipy {scipy.__version__} eigsh", run


def exp(x):
    x = x.ravel()
    out = np.empty_like(x)
    return f"numpy {np.__version__}", lambda: np.exp(x, out=out)[:1000]


def rbf(x, gamma):
    import sklearn
    from sklearn.metrics.pairwise import rbf_kernel

    def run():
        k = rbf_kernel(x, gamma=gamma)
        return k[::97, ::89]

    return f"scikit-learn {sklearn.__version__}", run


def csr(ptr, index, value, columns):
    import scipy.sparse

    ptr = ptr.ravel().astype(np.int32)
    return scipy.sparse.csr_matrix((value.ravel(), index.ravel().astype(np.int32), ptr), shape=(len(ptr) - 1, columns))


def sparse_gram(ptr, index, value, columns):
    import scipy

    m = csr(ptr, index, value, columns)
    return f"scipy {scipy.__version__} sparse", lambda: (m @ m.T).toarray()


def sparse_dense(ptr, index, value, x, columns):
    import scipy

    m = csr(ptr, index, value, columns)
    return f"scipy {scipy.__version__} sparse", lambda: m @ x
