"""Kernels as objects: ``Gaussian(2.0) + 0.5 * Linear()``, ``Matern(nu=1.5) @ ['a', 'b']``, ``Spectrum(3)``, ``WL(4)``.

Examples
--------
>>> import numpy as np
>>> from mercer.kernels import Gaussian, Linear
>>> k = Gaussian(2.0) + 0.5 * Linear()
>>> str(k)
'gaussian(lengthscale=2.0) + 0.5*linear()'
>>> k(np.array([[0.0], [1.0]])).round(3).tolist()
[[1.0, 0.882], [0.882, 1.5]]
"""

from __future__ import annotations

from . import _catalogue
from ._catalogue import *  # noqa: F403
from ._kernel import Kernel, On, Power, Product, Scaled, Sum
from ._parse import parse

__all__ = ["Kernel", "On", "Power", "Product", "Scaled", "Sum", "parse"]
__all__ += sorted({c.__name__ for c in _catalogue.BY_NAME.values()})
