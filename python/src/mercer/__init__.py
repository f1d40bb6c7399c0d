"""Kernel methods in scikit-learn's manner, computed by the mercer program."""

from __future__ import annotations

from ._errors import MercerError, MercerWarning, WorkerDied
from .discriminant import KernelFisher
from .gaussian_process import SGPR, GaussianProcessClassifier, GaussianProcessRegressor
from .large import Falkon, FalkonClassifier
from .online import KernelPerceptron, Perceptron
from .ridge import KernelRidge
from .sparse import RVC, RVR, KernelLogistic
from .svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM
from .cluster import KernelKMeans, SpectralClustering
from .decomposition import KernelCCA, KernelPCA
from .kernel_approximation import Nystroem, RandomFourier
from .neighbors import KernelDensity, LocalRegression, NadarayaWatson
