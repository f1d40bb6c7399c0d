"""Kernels as scikit-learn's parameters say them, in mercer's language."""

from __future__ import annotations

from typing import Any, Callable, Union

import numpy as np

from ._validation import is_sparse
from .kernels import Kernel

KernelLike = Union[str, Kernel, Callable[..., Any]]


def number(v: Any) -> str:
    """A number with every bit, as mercer reads it."""
    return repr(float(v))


def width(gamma: Any, X: Any) -> float:
    """``gamma`` as a number: 'scale' is 1/(columns · variance of all entries), 'auto' 1/columns."""
    if gamma is None or isinstance(gamma, str) and gamma == "auto":
        return float(1.0 / X.shape[1])
    if isinstance(gamma, str):
        if gamma != "scale":
            raise ValueError(f"gamma is {gamma!r}; give 'scale', 'auto' or a positive number")
        var = X.multiply(X).mean() - X.mean() ** 2 if is_sparse(X) else np.asarray(X, dtype=float).var()
        return float(1.0 / (X.shape[1] * var)) if var > 0 else 1.0
    if not gamma > 0:
        raise ValueError(f"gamma is {gamma!r}; give 'scale', 'auto' or a positive number")
    return float(gamma)


def kernel_text(kernel: KernelLike, X: Any, gamma: Any = "scale", degree: Any = 3, coef0: Any = 0.0) -> str:
    """The kernel in mercer's language; a text that is no name of scikit-learn's is already in it."""
    if isinstance(kernel, Kernel):
        return str(kernel)
    if kernel == "linear":
        return "linear()"
    if kernel == "rbf":
        return f"gaussian(gamma={number(width(gamma, X))})"
    if kernel in ("poly", "polynomial"):
        return f"poly(degree={number(degree)}, gamma={number(width(gamma, X))}, offset={number(coef0)})"
    if kernel == "sigmoid":
        return f"sigmoid(gamma={number(width(gamma, X))}, offset={number(coef0)})"
    if kernel == "laplacian":
        return f"laplacel1(gamma={number(width(gamma, X))})"
    if kernel == "chi2":
        return f"chi2(gamma={number(1.0 if gamma is None else width(gamma, X))})"
    if kernel == "cosine":
        return "cosine()"
    if isinstance(kernel, str) and "(" in kernel:
        return kernel
    raise ValueError(
        f"kernel is {kernel!r}; give 'linear', 'poly', 'rbf', 'sigmoid', 'laplacian', 'chi2', 'cosine', 'precomputed', "
        "a callable, one of mercer.kernels, or a text such as 'matern(nu=1.5) + linear()'"
    )
