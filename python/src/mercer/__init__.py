"""Kernel methods in scikit-learn's manner, computed by the mercer program."""

from __future__ import annotations

from . import kernels
from ._errors import MercerError, MercerWarning, WorkerDied
from ._load import Loaded, load
from ._program import program
from .auto import Auto
from .cluster import KernelKMeans, SpectralClustering
from .decomposition import KernelCCA, KernelPCA
from .discriminant import KernelFisher
from .ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from .gaussian_process import SGPR, GaussianProcessClassifier, GaussianProcessRegressor
from .kernel_approximation import Nystroem, RandomFourier
from .kernels import WL, Gaussian, Kernel, Laplace, Linear, Matern, Periodic, Polynomial, RationalQuadratic, Spectrum, parse
from .large import Falkon, FalkonClassifier
from .neighbors import KernelDensity, LocalRegression, NadarayaWatson
from .online import KernelPerceptron, Perceptron
from .ridge import KernelRidge
from .sparse import RVC, RVR, KernelLogistic
from .stats import Comparison, Curve, Difference, TestResult, compare, conditional_test, density, hsic_test, mmd_test, smooth
from .svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

__version__ = "0.1.0.dev0"

# a list that checkers of types can read: with --strict what is not in it is not exported
__all__ = [
    "Auto", "compare", "Comparison", "conditional_test", "Curve", "density", "Difference", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "Falkon", "FalkonClassifier", "Gaussian", "GaussianProcessClassifier",
    "GaussianProcessRegressor", "GradientBoostingClassifier", "GradientBoostingRegressor", "hsic_test", "Kernel",
    "KernelCCA", "KernelDensity", "KernelFisher", "KernelKMeans", "KernelLogistic", "KernelPCA", "KernelPerceptron",
    "KernelRidge", "kernels", "Laplace", "Linear", "LinearSVC", "load", "Loaded", "LocalRegression", "Matern",
    "MercerError", "MercerWarning", "mmd_test", "NadarayaWatson", "NuSVC", "NuSVR", "Nystroem", "OneClassSVM", "parse",
    "Perceptron", "Periodic", "Polynomial", "program", "RandomForestClassifier", "RandomForestRegressor",
    "RandomFourier", "RationalQuadratic", "RVC", "RVR", "SGPR", "smooth", "SpectralClustering", "Spectrum", "SVC",
    "SVR", "TestResult", "WL", "WorkerDied",
]
