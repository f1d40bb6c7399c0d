"""Kernel methods in scikit-learn's manner, computed by the mercer program."""

from __future__ import annotations

from ._errors import MercerError, MercerWarning, WorkerDied
from .svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

__all__ = ["SVC", "SVR", "LinearSVC", "MercerError", "MercerWarning", "NuSVC", "NuSVR", "OneClassSVM", "WorkerDied"]
