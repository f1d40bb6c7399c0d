"""Kernels by name. DO NOT EDIT: python/tools/catalogue writes this from `mercer kernels --json`."""

from __future__ import annotations

from typing import Any, ClassVar

from ._kernel import Atom


class Linear(Atom):
    """⟨x,y⟩."""

    _name: ClassVar[str] = "linear"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class Polynomial(Atom):
    """(γ⟨x,y⟩+c)^p.

    Parameters
    ----------
    degree : default=2
        p = 1, 2, 3, …
    gamma : default=1
        factor of the inner product, > 0
    offset : default=0
        c ≥ 0
    """

    _name: ClassVar[str] = "poly"
    _on: ClassVar[str] = "numbers"

    def __init__(self, degree: Any = 2, gamma: Any = 1, offset: Any = 0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.offset = offset


class Exponential(Atom):
    """e^{γ⟨x,y⟩}.

    Parameters
    ----------
    gamma : default=1
        factor of the inner product, > 0
    """

    _name: ClassVar[str] = "exponential"
    _on: ClassVar[str] = "numbers"

    def __init__(self, gamma: Any = 1) -> None:
        self.gamma = gamma


class Taylor(Atom):
    """Σ aₙ⟨x,y⟩ⁿ.

    Parameters
    ----------
    coef : required
        a₀, a₁, …, all ≥ 0
    radius : default=0
        the series converges for |⟨x,y⟩| below this; 0 when it is a finite sum
    """

    _name: ClassVar[str] = "taylor"
    _on: ClassVar[str] = "numbers"

    def __init__(self, coef: Any, radius: Any = 0) -> None:
        self.coef = coef
        self.radius = radius


class Binomial(Atom):
    """(1-⟨x,y⟩)^{-α}, ‖x‖ < 1.

    Parameters
    ----------
    alpha : default=1
        α > 0
    """

    _name: ClassVar[str] = "binomial"
    _on: ClassVar[str] = "numbers"

    def __init__(self, alpha: Any = 1) -> None:
        self.alpha = alpha


class Sigmoid(Atom):
    """tanh(γ⟨x,y⟩+c).

    Parameters
    ----------
    gamma : default=1
        factor of the inner product, > 0
    offset : default=0
        c
    """

    _name: ClassVar[str] = "sigmoid"
    _on: ClassVar[str] = "numbers"

    def __init__(self, gamma: Any = 1, offset: Any = 0) -> None:
        self.gamma = gamma
        self.offset = offset


class Hartley(Atom):
    """cos⟨x,y⟩+sin⟨x,y⟩."""

    _name: ClassVar[str] = "hartley"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class Cosine(Atom):
    """⟨x,y⟩/(‖x‖‖y‖)."""

    _name: ClassVar[str] = "cosine"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class QuadraticForm(Atom):
    """xᵀAy.

    Parameters
    ----------
    a : required
        rows of A, symmetric positive semi-definite
    """

    _name: ClassVar[str] = "quadratic"
    _on: ClassVar[str] = "numbers"

    def __init__(self, a: Any) -> None:
        self.a = a


class Gaussian(Atom):
    """exp(-‖x-y‖²/(2ℓ²)).

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    gamma : default=None
        exp(-γ‖x-y‖²), as LIBSVM and scikit-learn write it, and kernlab as sigma: ℓ = 1/√(2γ)
    sigma : default=None
        exp(-‖x-y‖²/(2σ²)): ℓ = σ
    bandwidth : default=None
        ℓ by the name it has in smoothing
    variance : default=None
        σ², of exp(-‖x-y‖²/(2σ²)): ℓ = √σ²
    kernelscale : default=None
        exp(-‖x-y‖²/s²), as MATLAB writes it: ℓ = s/√2
    """

    _name: ClassVar[str] = "gaussian"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1, *, gamma: Any = None, sigma: Any = None, bandwidth: Any = None, variance: Any = None, kernelscale: Any = None) -> None:
        self.lengthscale = lengthscale
        self.gamma = gamma
        self.sigma = sigma
        self.bandwidth = bandwidth
        self.variance = variance
        self.kernelscale = kernelscale


class Laplace(Atom):
    """exp(-‖x-y‖/ℓ).

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    gamma : default=None
        exp(-γ‖x-y‖), as scikit-learn writes it, and kernlab as sigma: ℓ = 1/γ
    sigma : default=None
        ℓ by another name
    bandwidth : default=None
        ℓ by the name it has in smoothing
    """

    _name: ClassVar[str] = "laplace"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1, *, gamma: Any = None, sigma: Any = None, bandwidth: Any = None) -> None:
        self.lengthscale = lengthscale
        self.gamma = gamma
        self.sigma = sigma
        self.bandwidth = bandwidth


class LaplaceL1(Atom):
    """exp(-Σ|xᵢ-yᵢ|/ℓ).

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    gamma : default=None
        exp(-γ‖x-y‖), as scikit-learn writes it, and kernlab as sigma: ℓ = 1/γ
    sigma : default=None
        ℓ by another name
    bandwidth : default=None
        ℓ by the name it has in smoothing
    """

    _name: ClassVar[str] = "laplacel1"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1, *, gamma: Any = None, sigma: Any = None, bandwidth: Any = None) -> None:
        self.lengthscale = lengthscale
        self.gamma = gamma
        self.sigma = sigma
        self.bandwidth = bandwidth


class Matern(Atom):
    """2^{1-ν}/Γ(ν)·z^ν·K_ν(z), z = √(2ν)‖x-y‖/ℓ.

    Parameters
    ----------
    nu : required
        smoothness ν > 0; 0.5, 1.5 and 2.5 are fastest
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    """

    _name: ClassVar[str] = "matern"
    _on: ClassVar[str] = "numbers"

    def __init__(self, nu: Any, lengthscale: Any = 1) -> None:
        self.nu = nu
        self.lengthscale = lengthscale


class Wendland(Atom):
    """polynomial in r = ‖x-y‖/ℓ up to r = 1, 0 beyond.

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    smoothness : default=1
        0, 1 or 2: C⁰, C² or C⁴
    dim : default=3
        the most columns it is used on
    """

    _name: ClassVar[str] = "wendland"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1, smoothness: Any = 1, dim: Any = 3) -> None:
        self.lengthscale = lengthscale
        self.smoothness = smoothness
        self.dim = dim


class RationalQuadratic(Atom):
    """(1+‖x-y‖²/(2αℓ²))^{-α}.

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    alpha : default=1
        weight of the tails, α > 0
    """

    _name: ClassVar[str] = "rq"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1, alpha: Any = 1) -> None:
        self.lengthscale = lengthscale
        self.alpha = alpha


class Multiquadric(Atom):
    """√(1+‖x-y‖²/ℓ²), to interpolate with.

    Parameters
    ----------
    lengthscale : default=1
        distance over which the function changes, > 0; a list gives one for each column, inf leaves it out
    """

    _name: ClassVar[str] = "multiquadric"
    _on: ClassVar[str] = "numbers"

    def __init__(self, lengthscale: Any = 1) -> None:
        self.lengthscale = lengthscale


class ThinPlate(Atom):
    """Green's functions r^{2m-d}(log r) of ∫|Dᵐf|², and f at few places.

    Parameters
    ----------
    order : default=0
        m, 2m > d; 0: the least, at least 2
    origin : default=None
        of the places; [] means 0
    unit : default=1
        between the places, > 0
    """

    _name: ClassVar[str] = "thinplate"
    _on: ClassVar[str] = "numbers"

    def __init__(self, order: Any = 0, origin: Any = None, unit: Any = 1) -> None:
        self.order = order
        self.origin = origin
        self.unit = unit


class Periodic(Atom):
    """exp(-2Σsin²(π(xᵢ-yᵢ)/p)/ℓ²).

    Parameters
    ----------
    period : default=1
        p > 0
    lengthscale : default=1
        ℓ > 0
    """

    _name: ClassVar[str] = "periodic"
    _on: ClassVar[str] = "numbers"

    def __init__(self, period: Any = 1, lengthscale: Any = 1) -> None:
        self.period = period
        self.lengthscale = lengthscale


class Fourier(Atom):
    """k̂₀+2Σk̂_l·cos(l(x-y)) on a circle.

    Parameters
    ----------
    coef : required
        k̂₀, k̂₁, …, all ≥ 0
    period : default=None
        T > 0, length of the circle: x and x + T are one place
    """

    _name: ClassVar[str] = "fourier"
    _on: ClassVar[str] = "numbers"

    def __init__(self, coef: Any, period: Any = None) -> None:
        self.coef = coef
        self.period = period


class Theta(Atom):
    """(1/2π)Σe^{-σ²l²/2}e^{il(x-y)} on a circle.

    Parameters
    ----------
    sigma : default=1
        σ > 0, as an angle
    period : default=None
        T > 0, length of the circle: x and x + T are one place
    """

    _name: ClassVar[str] = "theta"
    _on: ClassVar[str] = "numbers"

    def __init__(self, sigma: Any = 1, period: Any = None) -> None:
        self.sigma = sigma
        self.period = period


class Sinc(Atom):
    """Πsin(a(xᵢ-yᵢ))/(a(xᵢ-yᵢ)).

    Parameters
    ----------
    bandwidth : default=1
        a > 0
    """

    _name: ClassVar[str] = "sinc"
    _on: ClassVar[str] = "numbers"

    def __init__(self, bandwidth: Any = 1) -> None:
        self.bandwidth = bandwidth


class Sobolev(Atom):
    """spline kernel of order m on [0,1].

    Parameters
    ----------
    order : default=1
        m = 1 or 2
    """

    _name: ClassVar[str] = "sobolev"
    _on: ClassVar[str] = "numbers"

    def __init__(self, order: Any = 1) -> None:
        self.order = order


class RadialSobolev(Atom):
    """e^{-max(x,y)}·sinh(min(x,y))/(xy), x > 0."""

    _name: ClassVar[str] = "radialsobolev"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class ChiSquare(Atom):
    """exp(-γΣ(xᵢ-yᵢ)²/(xᵢ+yᵢ)), x ≥ 0.

    Parameters
    ----------
    gamma : default=1
        γ > 0
    """

    _name: ClassVar[str] = "chi2"
    _on: ClassVar[str] = "numbers"

    def __init__(self, gamma: Any = 1) -> None:
        self.gamma = gamma


class AdditiveChiSquare(Atom):
    """Σ2xᵢyᵢ/(xᵢ+yᵢ), x ≥ 0."""

    _name: ClassVar[str] = "addchi2"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class Intersection(Atom):
    """Σmin(xᵢ,yᵢ), x ≥ 0."""

    _name: ClassVar[str] = "intersection"
    _on: ClassVar[str] = "numbers"

    def __init__(self) -> None:
        pass


class Overlap(Atom):
    """Σwⱼδ(xⱼ,yⱼ)/Σwⱼ, codes of categories.

    Parameters
    ----------
    weights : default=None
        of the columns, ≥ 0; [] means 1 for each
    """

    _name: ClassVar[str] = "overlap"
    _on: ClassVar[str] = "numbers"

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights


class Categorical(Atom):
    """Πexp(-θwⱼ(1-δ(xⱼ,yⱼ))), codes of categories.

    Parameters
    ----------
    decay : default=1
        θ > 0
    weights : default=None
        of the columns, ≥ 0; [] means 1 for each
    """

    _name: ClassVar[str] = "categorical"
    _on: ClassVar[str] = "numbers"

    def __init__(self, decay: Any = 1, weights: Any = None) -> None:
        self.decay = decay
        self.weights = weights


class PolynomialBasis(Atom):
    """φ(x)ᵀφ(y), φ = (1, xᵢ, xᵢ², …).

    Parameters
    ----------
    degree : default=1
        highest power
    """

    _name: ClassVar[str] = "polynomialbasis"
    _on: ClassVar[str] = "numbers"

    def __init__(self, degree: Any = 1) -> None:
        self.degree = degree


class GaussianBasis(Atom):
    """φ(x)ᵀφ(y), φⱼ = exp(-(x-μⱼ)²/(2s²)).

    Parameters
    ----------
    centers : required
        μ₁, μ₂, …
    width : default=1
        s > 0
    """

    _name: ClassVar[str] = "gaussianbasis"
    _on: ClassVar[str] = "numbers"

    def __init__(self, centers: Any, width: Any = 1) -> None:
        self.centers = centers
        self.width = width


class SigmoidBasis(Atom):
    """φ(x)ᵀφ(y), φⱼ = 1/(1+e^{-(x-μⱼ)/s}).

    Parameters
    ----------
    centers : required
        μ₁, μ₂, …
    width : default=1
        s > 0
    """

    _name: ClassVar[str] = "sigmoidbasis"
    _on: ClassVar[str] = "numbers"

    def __init__(self, centers: Any, width: Any = 1) -> None:
        self.centers = centers
        self.width = width


class SinusoidBasis(Atom):
    """Σᵢ Σ_{l≤L} cos(2πl(xᵢ-yᵢ)/p), φ = (sin, cos, sin 2 …).

    Parameters
    ----------
    degree : default=1
        L, the highest frequency
    period : default=None
        p > 0
    """

    _name: ClassVar[str] = "sinusoidbasis"
    _on: ClassVar[str] = "numbers"

    def __init__(self, degree: Any = 1, period: Any = None) -> None:
        self.degree = degree
        self.period = period


class Factorlatent(Atom):
    """∫ N(x; Wz+μ, Ψ)·N(y; Wz+μ, Ψ)·N(z; 0, I) dz; normalize(…) is Seeger's covariance kernel.

    Parameters
    ----------
    loadings : required
        W, a row for each column of the table
    noise : required
        the diagonal of Ψ, all > 0
    mean : default=None
        μ; [] means 0
    """

    _name: ClassVar[str] = "factorlatent"
    _on: ClassVar[str] = "numbers"

    def __init__(self, loadings: Any, noise: Any, mean: Any = None) -> None:
        self.loadings = loadings
        self.noise = noise
        self.mean = mean


class Forest(Atom):
    """share of the trees of a forest, grown by the target, in which x and y are in one leaf.

    Parameters
    ----------
    trees : default=100
        number of trees
    depth : default=0
        cuts above a leaf at most; 0: no bound
    min : default=1
        rows of a leaf at least
    random : default=None
        true: cuts at random, as of extremely randomised trees
    seed : default=0
        of the trees
    """

    _name: ClassVar[str] = "forest"
    _on: ClassVar[str] = "numbers"

    def __init__(self, trees: Any = 100, depth: Any = 0, min: Any = 1, random: Any = None, seed: Any = 0) -> None:
        self.trees = trees
        self.depth = depth
        self.min = min
        self.random = random
        self.seed = seed


class Mondrian(Atom):
    """share of the trees of a Mondrian forest in which x and y are in one leaf: near exp(-λ·Σ|xⱼ-yⱼ|).

    Parameters
    ----------
    trees : default=100
        number of trees
    lifetime : default=1
        λ, 1 over the length-scale
    seed : default=0
        of the trees
    """

    _name: ClassVar[str] = "mondrian"
    _on: ClassVar[str] = "numbers"

    def __init__(self, trees: Any = 100, lifetime: Any = 1, seed: Any = 0) -> None:
        self.trees = trees
        self.lifetime = lifetime
        self.seed = seed


class Isolation(Atom):
    """share of the trees of an isolation forest in which x and y are in one leaf.

    Parameters
    ----------
    trees : default=100
        number of trees
    sample : default=256
        rows of a tree at most
    depth : default=None
        cuts above a leaf at most
    seed : default=0
        of the trees
    """

    _name: ClassVar[str] = "isolation"
    _on: ClassVar[str] = "numbers"

    def __init__(self, trees: Any = 100, sample: Any = 256, depth: Any = None, seed: Any = 0) -> None:
        self.trees = trees
        self.sample = sample
        self.depth = depth
        self.seed = seed


class ARD(Atom):
    """k(x/ℓ, y/ℓ), a length-scale for each column.

    Parameters
    ----------
    kernel : required
        the kernel it changes
    lengthscales : required
        ℓ₁, ℓ₂, …, all > 0; inf leaves a column out
    """

    _name: ClassVar[str] = "ard"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any, lengthscales: Any) -> None:
        self.kernel = kernel
        self.lengthscales = lengthscales


class Mahalanobis(Atom):
    """k in the metric (x-y)ᵀΣ⁻¹(x-y).

    Parameters
    ----------
    kernel : required
        the kernel it changes
    sigma : required
        rows of Σ, symmetric positive definite
    """

    _name: ClassVar[str] = "mahalanobis"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any, sigma: Any) -> None:
        self.kernel = kernel
        self.sigma = sigma


class Constant(Atom):
    """c.

    Parameters
    ----------
    c : default=1
        its value, ≥ 0
    """

    _name: ClassVar[str] = "constant"
    _on: ClassVar[str] = "numbers"

    def __init__(self, c: Any = 1) -> None:
        self.c = c


class Exp(Atom):
    """exp(k(x,y)).

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "exp"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class Normalize(Atom):
    """k(x,y)/√(k(x,x)·k(y,y)).

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "normalize"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class Tanimoto(Atom):
    """k(x,y)/(k(x,x)+k(y,y)-k(x,y)).

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "tanimoto"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class PolynomialOf(Atom):
    """Σ aₙ·k(x,y)ⁿ.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    coef : required
        a₀, a₁, …, all ≥ 0
    bound : default=0
        |k| stays below this, for a truncated series
    error : default=0
        what the truncation leaves out
    """

    _name: ClassVar[str] = "polynomial"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any, coef: Any, bound: Any = 0, error: Any = 0) -> None:
        self.kernel = kernel
        self.coef = coef
        self.bound = bound
        self.error = error


class Substitute(Atom):
    """κ(‖φ(x)-φ(y)‖²), the outer kernel on the feature distances of the inner.

    Parameters
    ----------
    outer : required
        a kernel of the squared distance, such as gaussian
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "substitute"
    _on: ClassVar[str] = "numbers"

    def __init__(self, outer: Any, kernel: Any) -> None:
        self.outer = outer
        self.kernel = kernel


class Arccosine(Atom):
    """infinitely many units max(0,z)ⁿ.

    Parameters
    ----------
    kernel : default=None
        the kernel it is made from
    order : default=1
        n: 0 steps, 1 ramps, 2 their squares
    depth : default=1
        layers of units, 1 to 1000
    """

    _name: ClassVar[str] = "arccosine"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any = None, order: Any = 1, depth: Any = 1) -> None:
        self.kernel = kernel
        self.order = order
        self.depth = depth


class Arcsine(Atom):
    """infinitely many units erf z.

    Parameters
    ----------
    kernel : default=None
        the kernel it is made from
    depth : default=1
        layers of units, 1 to 1000
    """

    _name: ClassVar[str] = "arcsine"
    _on: ClassVar[str] = "numbers"

    def __init__(self, kernel: Any = None, depth: Any = 1) -> None:
        self.kernel = kernel
        self.depth = depth


class Chars(Atom):
    """Σ n_c(x)·n_c(y) over characters c."""

    _name: ClassVar[str] = "chars"
    _on: ClassVar[str] = "text"

    def __init__(self) -> None:
        pass


class Spectrum(Atom):
    """Σ n_s(x)·n_s(y) over runs s of k letters.

    Parameters
    ----------
    k : default=3
        letters of a run
    """

    _name: ClassVar[str] = "spectrum"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 3) -> None:
        self.k = k


class Blended(Atom):
    """Σ λ^|s|·n_s(x)·n_s(y) over runs s of 1 to k letters.

    Parameters
    ----------
    k : default=3
        letters of a run
    decay : default=1
        λ > 0
    weights : default=None
        one for each length from 1 on, ≥ 0, in place of the decay
    """

    _name: ClassVar[str] = "blended"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 3, decay: Any = 1, weights: Any = None) -> None:
        self.k = k
        self.decay = decay
        self.weights = weights


class Substrings(Atom):
    """Σ λ^|s|·n_s(x)·n_s(y) over all substrings s.

    Parameters
    ----------
    decay : default=1
        λ > 0
    longest : default=0
        the longest that count; 0: all
    weights : default=None
        one for each length from 1 on, ≥ 0, in place of the decay
    """

    _name: ClassVar[str] = "substrings"
    _on: ClassVar[str] = "text"

    def __init__(self, decay: Any = 1, longest: Any = 0, weights: Any = None) -> None:
        self.decay = decay
        self.longest = longest
        self.weights = weights


class Mismatch(Atom):
    """runs of k letters that differ in at most m places.

    Parameters
    ----------
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    k : default=3
        letters of a run
    m : default=0
        places that may differ
    """

    _name: ClassVar[str] = "mismatch"
    _on: ClassVar[str] = "text"

    def __init__(self, alphabet: Any, k: Any = 3, m: Any = 0) -> None:
        self.alphabet = alphabet
        self.k = k
        self.m = m


class Wildcard(Atom):
    """patterns of k letters with holes that match any letter.

    Parameters
    ----------
    k : default=3
        letters of a run
    holes : default=0
        the most of a pattern
    decay : default=1
        λ for each hole
    """

    _name: ClassVar[str] = "wildcard"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 3, holes: Any = 0, decay: Any = 1) -> None:
        self.k = k
        self.holes = holes
        self.decay = decay


class Substitution(Atom):
    """runs of k letters that are likely to come from the same run.

    Parameters
    ----------
    limit : required
        of -Σ log P(a|b)
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    given : required
        P(a|b), a row for each b
    k : default=3
        letters of a run
    """

    _name: ClassVar[str] = "substitution"
    _on: ClassVar[str] = "text"

    def __init__(self, limit: Any, alphabet: Any, given: Any, k: Any = 3) -> None:
        self.limit = limit
        self.alphabet = alphabet
        self.given = given
        self.k = k


class Gappy(Atom):
    """runs of k letters with gaps, within windows.

    Parameters
    ----------
    k : default=3
        letters of a run
    window : default=0
        letters of a window; 0: k+1
    decay : default=0
        λ for each letter left out; 0: gaps cost nothing
    """

    _name: ClassVar[str] = "gappy"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 3, window: Any = 0, decay: Any = 0) -> None:
        self.k = k
        self.window = window
        self.decay = decay


class GappyPairs(Atom):
    """pairs of runs of k letters with as many letters between them.

    Parameters
    ----------
    k : default=1
        letters of a run
    gap : default=10
        the most letters between the runs
    """

    _name: ClassVar[str] = "gappypairs"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 1, gap: Any = 10) -> None:
        self.k = k
        self.gap = gap


class SSK(Atom):
    """Σ λ^(spans) over common subsequences of k letters.

    Parameters
    ----------
    k : default=3
        letters of a subsequence
    decay : default=0.5
        λ for each letter of the stretch it is spread over, > 0
    weights : default=None
        one for each length from 1 on, ≥ 0, in place of the decay
    """

    _name: ClassVar[str] = "ssk"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 3, decay: Any = 0.5, weights: Any = None) -> None:
        self.k = k
        self.decay = decay
        self.weights = weights


class WeightedDegree(Atom):
    """runs of up to k letters at the same place of both.

    Parameters
    ----------
    k : default=5
        letters of a run
    """

    _name: ClassVar[str] = "weighteddegree"
    _on: ClassVar[str] = "text"

    def __init__(self, k: Any = 5) -> None:
        self.k = k


class LocalAlignment(Atom):
    """Σ exp(β·score) over local alignments.

    Parameters
    ----------
    scores : required
        blosum62 or pam250
    beta : default=0.5
        β > 0
    open : default=11
        what a gap costs
    extend : default=1
        what each further letter of a gap costs
    """

    _name: ClassVar[str] = "local"
    _on: ClassVar[str] = "text"

    def __init__(self, scores: Any, beta: Any = 0.5, open: Any = 11, extend: Any = 1) -> None:
        self.scores = scores
        self.beta = beta
        self.open = open
        self.extend = extend


class PairHMM(Atom):
    """probability that a pair hidden Markov model writes both.

    Parameters
    ----------
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    joint : required
        probabilities of pairs of letters, a row for each
    open : default=0.1
        a gap begins
    continue_ : default=0.5
        a gap goes on
    end : default=0.01
        the strings end
    """

    _name: ClassVar[str] = "pairhmm"
    _on: ClassVar[str] = "text"

    def __init__(self, alphabet: Any, joint: Any, open: Any = 0.1, continue_: Any = 0.5, end: Any = 0.01) -> None:
        self.alphabet = alphabet
        self.joint = joint
        self.open = open
        self.continue_ = continue_
        self.end = end


class ContextTree(Atom):
    """mean likelihood of both under context-tree models.

    Parameters
    ----------
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    depth : default=2
        letters of a context
    branch : default=0.5
        probability that a context has longer ones
    prior : default=0.5
        of the letters, > 0
    sigma : default=1
        σ > 0
    """

    _name: ClassVar[str] = "contexttree"
    _on: ClassVar[str] = "text"

    def __init__(self, alphabet: Any, depth: Any = 2, branch: Any = 0.5, prior: Any = 0.5, sigma: Any = 1) -> None:
        self.alphabet = alphabet
        self.depth = depth
        self.branch = branch
        self.prior = prior
        self.sigma = sigma


class Words(Atom):
    """Σ n_w(x)·n_w(y) over words w.

    Parameters
    ----------
    fold : default=None
        true: upper and lower case are one, and signs at the edges of words are dropped
    """

    _name: ClassVar[str] = "words"
    _on: ClassVar[str] = "text"

    def __init__(self, fold: Any = None) -> None:
        self.fold = fold


class NGrams(Atom):
    """Σ n_t(x)·n_t(y) over runs t of characters or words.

    Parameters
    ----------
    from_ : default=1
        the shortest run
    to : default=0
        the longest run; 0: as the shortest
    words : default=None
        true: runs of words, not of characters
    fold : default=None
        true: upper and lower case are one, and signs at the edges of words are dropped
    split : default=None
        true: runs of words, which are two or more letters and digits
    ends : default=None
        true: runs of characters keep to words, whose ends are a blank
    """

    _name: ClassVar[str] = "ngrams"
    _on: ClassVar[str] = "text"

    def __init__(self, from_: Any = 1, to: Any = 0, words: Any = None, fold: Any = None, split: Any = None, ends: Any = None) -> None:
        self.from_ = from_
        self.to = to
        self.words = words
        self.fold = fold
        self.split = split
        self.ends = ends


class Hashed(Atom):
    """ngrams with the runs put into buckets by a signed hash.

    Parameters
    ----------
    from_ : default=1
        the shortest run
    to : default=0
        the longest run; 0: as the shortest
    words : default=None
        true: runs of words, not of characters
    fold : default=None
        true: upper and lower case are one, and signs at the edges of words are dropped
    split : default=None
        true: runs of words, which are two or more letters and digits
    ends : default=None
        true: runs of characters keep to words, whose ends are a blank
    buckets : default=1048576
        their number
    seed : default=0
        of the hash
    """

    _name: ClassVar[str] = "hashed"
    _on: ClassVar[str] = "text"

    def __init__(self, from_: Any = 1, to: Any = 0, words: Any = None, fold: Any = None, split: Any = None, ends: Any = None, buckets: Any = 1048576, seed: Any = 0) -> None:
        self.from_ = from_
        self.to = to
        self.words = words
        self.fold = fold
        self.split = split
        self.ends = ends
        self.buckets = buckets
        self.seed = seed


class TfIdf(Atom):
    """Σ φ_t(x)·φ_t(y), φ_t(x) = tf(n_t(x))·idf(d_t).

    Parameters
    ----------
    texts : required
        N, the texts it was fitted to
    documents : required
        the terms in quotes
    counts : required
        d of each, in how many texts it is
    from_ : default=1
        the shortest run
    to : default=0
        the longest run; 0: as the shortest
    words : default=None
        true: runs of words, not of characters
    fold : default=None
        true: upper and lower case are one, and signs at the edges of words are dropped
    split : default=None
        true: runs of words, which are two or more letters and digits
    ends : default=None
        true: runs of characters keep to words, whose ends are a blank
    tf : default=None
        log: log(1+n), raw: n, sublinear: 1+log n, binary: 1
    idf : default=None
        shifted: log(N/(1+d)), plain: log(N/d), smooth: log((1+N)/(1+d))+1, none: 1
    """

    _name: ClassVar[str] = "tfidf"
    _on: ClassVar[str] = "text"
    _words: ClassVar[frozenset[str]] = frozenset(["idf", "tf"])

    def __init__(self, texts: Any, documents: Any, counts: Any, from_: Any = 1, to: Any = 0, words: Any = None, fold: Any = None, split: Any = None, ends: Any = None, tf: Any = None, idf: Any = None) -> None:
        self.texts = texts
        self.documents = documents
        self.counts = counts
        self.from_ = from_
        self.to = to
        self.words = words
        self.fold = fold
        self.split = split
        self.ends = ends
        self.tf = tf
        self.idf = idf


class Over(Atom):
    """k on strings of the alphabet alone.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    """

    _name: ClassVar[str] = "over"
    _on: ClassVar[str] = "text"

    def __init__(self, kernel: Any, alphabet: Any) -> None:
        self.kernel = kernel
        self.alphabet = alphabet


class Log(Atom):
    """log k(x,y)/s, of kernels that know their logarithms; not positive semi-definite.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    scale : default=1
        s > 0
    """

    _name: ClassVar[str] = "log"
    _on: ClassVar[str] = "text"

    def __init__(self, kernel: Any, scale: Any = 1) -> None:
        self.kernel = kernel
        self.scale = scale


class GAK(Atom):
    """Σ Π κ over all alignments of two series.

    Parameters
    ----------
    width : default=1
        σ of the Gaussian between two steps, > 0
    """

    _name: ClassVar[str] = "gak"
    _on: ClassVar[str] = "sequence"

    def __init__(self, width: Any = 1) -> None:
        self.width = width


class TGA(Atom):
    """gak within a band around the diagonal.

    Parameters
    ----------
    width : default=1
        σ of the Gaussian between two steps, > 0
    band : default=0
        steps that an alignment may be off; 0: any
    """

    _name: ClassVar[str] = "tga"
    _on: ClassVar[str] = "sequence"

    def __init__(self, width: Any = 1, band: Any = 0) -> None:
        self.width = width
        self.band = band


class Signature(Atom):
    """Σ ⟨S_m(x), S_m(y)⟩ over the levels m of the signatures.

    Parameters
    ----------
    level : default=3
        the highest level of the signature
    order : default=1
        how often a step may be repeated
    scale : default=1
        multiplies the series, > 0
    static : default=None
        a kernel on vectors that lifts the steps
    """

    _name: ClassVar[str] = "signature"
    _on: ClassVar[str] = "sequence"

    def __init__(self, level: Any = 3, order: Any = 1, scale: Any = 1, static: Any = None) -> None:
        self.level = level
        self.order = order
        self.scale = scale
        self.static = static


class LowRankSignature(Atom):
    """signature by factors of low rank, linear in the length.

    Parameters
    ----------
    level : default=3
        the highest level of the signature
    rank : default=100
        numbers of a level
    scale : default=1
        multiplies the series, > 0
    seed : default=0
        of the projections
    static : default=None
        a kernel on vectors that lifts the steps
    landmarks : default=None
        points that stand for the static kernel
    """

    _name: ClassVar[str] = "lowranksignature"
    _on: ClassVar[str] = "sequence"

    def __init__(self, level: Any = 3, rank: Any = 100, scale: Any = 1, seed: Any = 0, static: Any = None, landmarks: Any = None) -> None:
        self.level = level
        self.rank = rank
        self.scale = scale
        self.seed = seed
        self.static = static
        self.landmarks = landmarks


class SigPDE(Atom):
    """⟨S(x), S(y)⟩ of whole signatures.

    Parameters
    ----------
    grid : default=0
        parts of a step; 0: exact in each cell
    scale : default=1
        multiplies the series, > 0
    static : default=None
        a kernel on vectors that lifts the steps
    """

    _name: ClassVar[str] = "sigpde"
    _on: ClassVar[str] = "sequence"

    def __init__(self, grid: Any = 0, scale: Any = 1, static: Any = None) -> None:
        self.grid = grid
        self.scale = scale
        self.static = static


class DTW(Atom):
    """exp(-D²/(2σ²)), D of dynamic time warping; not positive semi-definite.

    Parameters
    ----------
    width : default=1
        σ of the Gaussian between two steps, > 0
    band : default=0
        steps that an alignment may be off; 0: any
    """

    _name: ClassVar[str] = "dtw"
    _on: ClassVar[str] = "sequence"

    def __init__(self, width: Any = 1, band: Any = 0) -> None:
        self.width = width
        self.band = band


class FourierSeries(Atom):
    """Π (1-q²)/(2(1-2q·cos(x_t-y_t)+q²)), series of one length.

    Parameters
    ----------
    decay : default=0.5
        0 < q < 1
    """

    _name: ClassVar[str] = "fourierseries"
    _on: ClassVar[str] = "sequence"

    def __init__(self, decay: Any = 0.5) -> None:
        self.decay = decay


class Windows(Atom):
    """mean of κ over all windows of both.

    Parameters
    ----------
    length : default=1
        steps of a window
    kernel : default=None
        κ on vectors
    """

    _name: ClassVar[str] = "windows"
    _on: ClassVar[str] = "sequence"

    def __init__(self, length: Any = 1, kernel: Any = None) -> None:
        self.length = length
        self.kernel = kernel


class Autoregressive(Atom):
    """mean likelihood of both under autoregressive models.

    Parameters
    ----------
    lags : default=1
        steps that a model looks back
    weight : default=1
        of a series, > 0
    prior : default=0
        of the coefficients
    degrees : default=0
        of the prior of the noise
    """

    _name: ClassVar[str] = "autoregressive"
    _on: ClassVar[str] = "sequence"

    def __init__(self, lags: Any = 1, weight: Any = 1, prior: Any = 0, degrees: Any = 0) -> None:
        self.lags = lags
        self.weight = weight
        self.prior = prior
        self.degrees = degrees


class WithTime(Atom):
    """k of the series with the time as a channel.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "withtime"
    _on: ClassVar[str] = "sequence"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class WithStart(Atom):
    """k of the series with a step at 0 before the first.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "withstart"
    _on: ClassVar[str] = "sequence"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class WithLag(Atom):
    """k of the series with the step before as further channels.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "withlag"
    _on: ClassVar[str] = "sequence"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class LeadLag(Atom):
    """k of the series beside itself a step later.

    Parameters
    ----------
    kernel : required
        the kernel it is made from
    """

    _name: ClassVar[str] = "leadlag"
    _on: ClassVar[str] = "sequence"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class Profile(Atom):
    """runs of k letters that are likely in both, of series whose steps are probabilities of letters.

    Parameters
    ----------
    limit : required
        of -Σ log p(letter)
    alphabet : required
        dna, rna, protein, protein-ambiguous, or the letters in quotes
    k : default=3
        letters of a run
    """

    _name: ClassVar[str] = "profile"
    _on: ClassVar[str] = "sequence"

    def __init__(self, limit: Any, alphabet: Any, k: Any = 3) -> None:
        self.limit = limit
        self.alphabet = alphabet
        self.k = k


class SubTree(Atom):
    """Σ λ^|s| over common complete subtrees.

    Parameters
    ----------
    decay : default=0.4
        λ for each production of a fragment, > 0
    leaves : default=None
        true: a leaf alone is a fragment too
    """

    _name: ClassVar[str] = "subtree"
    _on: ClassVar[str] = "tree"

    def __init__(self, decay: Any = 0.4, leaves: Any = None) -> None:
        self.decay = decay
        self.leaves = leaves


class SubsetTree(Atom):
    """Σ λ^|s| over common fragments whose nodes have all of their children or none.

    Parameters
    ----------
    decay : default=0.4
        λ for each production of a fragment, > 0
    leaves : default=None
        true: a leaf alone is a fragment too
    """

    _name: ClassVar[str] = "subsettree"
    _on: ClassVar[str] = "tree"

    def __init__(self, decay: Any = 0.4, leaves: Any = None) -> None:
        self.decay = decay
        self.leaves = leaves


class PartialTree(Atom):
    """common fragments whose nodes have any of their children.

    Parameters
    ----------
    gap : default=0.4
        λ for children left out, > 0
    depth : default=0.4
        μ for each node, > 0
    span : default=None
        true: λ for every child from the first to the last, as Moschitti's formula is printed
    """

    _name: ClassVar[str] = "partialtree"
    _on: ClassVar[str] = "tree"

    def __init__(self, gap: Any = 0.4, depth: Any = 0.4, span: Any = None) -> None:
        self.gap = gap
        self.depth = depth
        self.span = span


class Jaccard(Atom):
    """|A∩B|/|A∪B|."""

    _name: ClassVar[str] = "jaccard"
    _on: ClassVar[str] = "set"

    def __init__(self) -> None:
        pass


class SharedSubsets(Atom):
    """(1+w)^|A∩B|.

    Parameters
    ----------
    weight : default=1
        w of each element, > 0
    largest : default=0
        subset that counts; 0: all do
    """

    _name: ClassVar[str] = "sharedsubsets"
    _on: ClassVar[str] = "set"

    def __init__(self, weight: Any = 1, largest: Any = 0) -> None:
        self.weight = weight
        self.largest = largest


class SetOU(Atom):
    """exp(-λ·|A Δ B|).

    Parameters
    ----------
    rate : default=1
        λ > 0
    """

    _name: ClassVar[str] = "setou"
    _on: ClassVar[str] = "set"

    def __init__(self, rate: Any = 1) -> None:
        self.rate = rate


class FuzzyIntersection(Atom):
    """Σ T(A(e), B(e)) over elements e.

    Parameters
    ----------
    norm : default=None
        T: minimum, product or hamacher
    """

    _name: ClassVar[str] = "fuzzyintersection"
    _on: ClassVar[str] = "fuzzy"
    _words: ClassVar[frozenset[str]] = frozenset(["norm"])

    def __init__(self, norm: Any = None) -> None:
        self.norm = norm


class FuzzyCross(Atom):
    """Σ Σ κ(e, f)·A(e)·B(f) over the elements of both.

    Parameters
    ----------
    elements : required
        κ on the names of elements
    degrees : default=None
        a kernel on the two degrees, in place of A(e)·B(f)
    """

    _name: ClassVar[str] = "fuzzycross"
    _on: ClassVar[str] = "fuzzy"
    _words: ClassVar[frozenset[str]] = frozenset(["degrees"])

    def __init__(self, elements: Any, degrees: Any = None) -> None:
        self.elements = elements
        self.degrees = degrees


class Kendall(Atom):
    """(pairs alike - pairs apart)/pairs."""

    _name: ClassVar[str] = "kendall"
    _on: ClassVar[str] = "ranking"

    def __init__(self) -> None:
        pass


class Spearman(Atom):
    """correlation of the places."""

    _name: ClassVar[str] = "spearman"
    _on: ClassVar[str] = "ranking"

    def __init__(self) -> None:
        pass


class Mallows(Atom):
    """exp(-λ·pairs apart).

    Parameters
    ----------
    rate : default=1
        λ for each pair in a different order, > 0
    """

    _name: ClassVar[str] = "mallows"
    _on: ClassVar[str] = "ranking"

    def __init__(self, rate: Any = 1) -> None:
        self.rate = rate


class MallowsMean(Atom):
    """mean of mallows over all that the rankings leave open.

    Parameters
    ----------
    rate : default=1
        λ for each pair in a different order, > 0
    pairs : default=0
        drawn for each ranking
    seed : default=0
        of the draws
    """

    _name: ClassVar[str] = "mallowsmean"
    _on: ClassVar[str] = "ranking"

    def __init__(self, rate: Any = 1, pairs: Any = 0, seed: Any = 0) -> None:
        self.rate = rate
        self.pairs = pairs
        self.seed = seed


class MultiInstance(Atom):
    """Σ Σ κ(x,y)^p over the members of both.

    Parameters
    ----------
    kernel : required
        κ on the vectors
    power : default=1
        p = 1, 2, 3, …
    """

    _name: ClassVar[str] = "multiinstance"
    _on: ClassVar[str] = "bag"

    def __init__(self, kernel: Any, power: Any = 1) -> None:
        self.kernel = kernel
        self.power = power


class MeanEmbedding(Atom):
    """mean of κ(x,y) over the members of both.

    Parameters
    ----------
    kernel : required
        κ on the vectors
    """

    _name: ClassVar[str] = "meanembedding"
    _on: ClassVar[str] = "bag"

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel


class Pyramid(Atom):
    """matches in grids from fine to coarse.

    Parameters
    ----------
    side : default=1
        of the finest cells, > 0
    levels : default=0
        of coarser grids
    origin : default=None
        that cells are counted from
    """

    _name: ClassVar[str] = "pyramid"
    _on: ClassVar[str] = "bag"

    def __init__(self, side: Any = 1, levels: Any = 0, origin: Any = None) -> None:
        self.side = side
        self.levels = levels
        self.origin = origin


class SemigroupVariance(Atom):
    """|I+Σ/η|^{-1/2}, Σ the covariance of both together.

    Parameters
    ----------
    ridge : default=1
        η > 0
    """

    _name: ClassVar[str] = "semigroupvariance"
    _on: ClassVar[str] = "bag"

    def __init__(self, ridge: Any = 1) -> None:
        self.ridge = ridge


class WL(Atom):
    """Weisfeiler–Lehman subtrees in common.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "wl"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, edges: Any = None) -> None:
        self.h = h
        self.edges = edges


class WLOA(Atom):
    """the best assignment of nodes by Weisfeiler–Lehman labels.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "wloa"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, edges: Any = None) -> None:
        self.h = h
        self.edges = edges


class WLAlign(Atom):
    """edges that line up by Weisfeiler–Lehman labels.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "wlalign"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, edges: Any = None) -> None:
        self.h = h
        self.edges = edges


class WLEdge(Atom):
    """edges with the same labels at their ends, each round.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "wledge"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, edges: Any = None) -> None:
        self.h = h
        self.edges = edges


class WLPath(Atom):
    """shortest paths with the same labels at their ends, each round.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "wlpath"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, edges: Any = None) -> None:
        self.h = h
        self.edges = edges


class ShortestPath(Atom):
    """shortest paths of one length with the same labels at their ends.

    Parameters
    ----------
    attributes : default=None
        a kernel on the attributes of nodes
    """

    _name: ClassVar[str] = "shortestpath"
    _on: ClassVar[str] = "graph"

    def __init__(self, attributes: Any = None) -> None:
        self.attributes = attributes


class Graphlet(Atom):
    """shares of the subgraphs on k nodes.

    Parameters
    ----------
    size : default=3
        k = 3, 4 or 5
    connected : default=None
        true: connected subgraphs alone
    samples : default=0
        drawn; 0: all are counted
    seed : default=0
        of the draws
    """

    _name: ClassVar[str] = "graphlet"
    _on: ClassVar[str] = "graph"

    def __init__(self, size: Any = 3, connected: Any = None, samples: Any = 0, seed: Any = 0) -> None:
        self.size = size
        self.connected = connected
        self.samples = samples
        self.seed = seed


class GeometricWalk(Atom):
    """Σ λ^k over pairs of walks of k steps.

    Parameters
    ----------
    lambda_ : default=0.1
        λ, below 1/ρ²
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "geometricwalk"
    _on: ClassVar[str] = "graph"

    def __init__(self, lambda_: Any = 0.1, edges: Any = None) -> None:
        self.lambda_ = lambda_
        self.edges = edges


class StepWalk(Atom):
    """Σ λ^k over pairs of walks of at most p steps.

    Parameters
    ----------
    steps : required
        p
    lambda_ : default=1
        λ > 0
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "stepwalk"
    _on: ClassVar[str] = "graph"

    def __init__(self, steps: Any, lambda_: Any = 1, edges: Any = None) -> None:
        self.steps = steps
        self.lambda_ = lambda_
        self.edges = edges


class ExponentialWalk(Atom):
    """Σ λ^k/k! over pairs of walks of k steps.

    Parameters
    ----------
    lambda_ : default=1
        λ > 0
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "exponentialwalk"
    _on: ClassVar[str] = "graph"

    def __init__(self, lambda_: Any = 1, edges: Any = None) -> None:
        self.lambda_ = lambda_
        self.edges = edges


class Marginalised(Atom):
    """probability that two random walks meet the same labels.

    Parameters
    ----------
    stop : default=0.1
        a walk ends at a node
    edges : default=None
        true: the labels of edges count too
    """

    _name: ClassVar[str] = "marginalised"
    _on: ClassVar[str] = "graph"

    def __init__(self, stop: Any = 0.1, edges: Any = None) -> None:
        self.stop = stop
        self.edges = edges


class Multiscale(Atom):
    """multiscale Laplacian kernel.

    Parameters
    ----------
    levels : default=0
        of neighbourhoods
    gamma : default=0
        γ > 0
    eta : default=0
        η > 0
    attributes : default=None
        a kernel on the attributes of nodes
    """

    _name: ClassVar[str] = "multiscale"
    _on: ClassVar[str] = "graph"

    def __init__(self, levels: Any = 0, gamma: Any = 0, eta: Any = 0, attributes: Any = None) -> None:
        self.levels = levels
        self.gamma = gamma
        self.eta = eta
        self.attributes = attributes


class NeighbourhoodHash(Atom):
    """labels of bits that spread to neighbours.

    Parameters
    ----------
    rounds : required
        of hashing
    bits : default=0
        of a label
    counts : default=None
        true: neighbours of one label are counted
    """

    _name: ClassVar[str] = "neighbourhoodhash"
    _on: ClassVar[str] = "graph"

    def __init__(self, rounds: Any, bits: Any = 0, counts: Any = None) -> None:
        self.rounds = rounds
        self.bits = bits
        self.counts = counts


class Filtration(Atom):
    """Weisfeiler–Lehman labels while edges come in.

    Parameters
    ----------
    h : required
        rounds of the Weisfeiler–Lehman test
    cuts : required
        values of edges that end a stage, falling
    gamma : default=1
        γ > 0
    """

    _name: ClassVar[str] = "filtration"
    _on: ClassVar[str] = "graph"

    def __init__(self, h: Any, cuts: Any, gamma: Any = 1) -> None:
        self.h = h
        self.cuts = cuts
        self.gamma = gamma


class TraceAlignment(Atom):
    """alignments of two complexity traces.

    Parameters
    ----------
    sigma : default=1
        σ > 0
    """

    _name: ClassVar[str] = "tracealignment"
    _on: ClassVar[str] = "graph"

    def __init__(self, sigma: Any = 1) -> None:
        self.sigma = sigma


class TraceReproducing(Atom):
    """Σ ½exp(-|sᵢ-s'ᵢ|) over two complexity traces.

    Parameters
    ----------
    layers : default=10
        of a trace
    """

    _name: ClassVar[str] = "tracereproducing"
    _on: ClassVar[str] = "graph"

    def __init__(self, layers: Any = 10) -> None:
        self.layers = layers


class ProbProduct(Atom):
    """Σ pᵢ^ρ·qᵢ^ρ; ρ = 0.5: Bhattacharyya's kernel.

    Parameters
    ----------
    rho : default=0.5
        ρ > 0; 1: expected likelihood
    """

    _name: ClassVar[str] = "probproduct"
    _on: ClassVar[str] = "histogram"

    def __init__(self, rho: Any = 0.5) -> None:
        self.rho = rho


class Hilbertian(Atom):
    """1-D(p,q), D a divergence whose root is a distance in a Hilbert space.

    Parameters
    ----------
    of : default=None
        D: hellinger, jensenshannon, chisquare or totalvariation
    """

    _name: ClassVar[str] = "hilbertian"
    _on: ClassVar[str] = "histogram"
    _words: ClassVar[frozenset[str]] = frozenset(["of"])

    def __init__(self, of: Any = None) -> None:
        self.of = of


class SemigroupEntropy(Atom):
    """exp(-t·H((p+q)/2)), H the entropy.

    Parameters
    ----------
    rate : default=1
        t > 0
    """

    _name: ClassVar[str] = "semigroupentropy"
    _on: ClassVar[str] = "histogram"

    def __init__(self, rate: Any = 1) -> None:
        self.rate = rate


class MixtureProduct(Atom):
    """∫ p(x)^ρ·q(x)^ρ dx; ρ = 0.5: Bhattacharyya's kernel.

    Parameters
    ----------
    rho : default=1
        ρ > 0; other than 1 for distributions of one part
    """

    _name: ClassVar[str] = "mixtureproduct"
    _on: ClassVar[str] = "distribution"

    def __init__(self, rho: Any = 1) -> None:
        self.rho = rho


BY_NAME: dict[str, type[Atom]] = {
    "linear": Linear,
    "poly": Polynomial,
    "exponential": Exponential,
    "taylor": Taylor,
    "binomial": Binomial,
    "sigmoid": Sigmoid,
    "hartley": Hartley,
    "cosine": Cosine,
    "quadratic": QuadraticForm,
    "gaussian": Gaussian,
    "laplace": Laplace,
    "laplacel1": LaplaceL1,
    "matern": Matern,
    "wendland": Wendland,
    "rq": RationalQuadratic,
    "multiquadric": Multiquadric,
    "thinplate": ThinPlate,
    "periodic": Periodic,
    "fourier": Fourier,
    "theta": Theta,
    "sinc": Sinc,
    "sobolev": Sobolev,
    "radialsobolev": RadialSobolev,
    "chi2": ChiSquare,
    "addchi2": AdditiveChiSquare,
    "intersection": Intersection,
    "overlap": Overlap,
    "categorical": Categorical,
    "polynomialbasis": PolynomialBasis,
    "gaussianbasis": GaussianBasis,
    "sigmoidbasis": SigmoidBasis,
    "sinusoidbasis": SinusoidBasis,
    "factorlatent": Factorlatent,
    "forest": Forest,
    "mondrian": Mondrian,
    "isolation": Isolation,
    "ard": ARD,
    "mahalanobis": Mahalanobis,
    "constant": Constant,
    "exp": Exp,
    "normalize": Normalize,
    "tanimoto": Tanimoto,
    "polynomial": PolynomialOf,
    "substitute": Substitute,
    "arccosine": Arccosine,
    "arcsine": Arcsine,
    "chars": Chars,
    "spectrum": Spectrum,
    "blended": Blended,
    "substrings": Substrings,
    "mismatch": Mismatch,
    "wildcard": Wildcard,
    "substitution": Substitution,
    "gappy": Gappy,
    "gappypairs": GappyPairs,
    "ssk": SSK,
    "weighteddegree": WeightedDegree,
    "local": LocalAlignment,
    "pairhmm": PairHMM,
    "contexttree": ContextTree,
    "words": Words,
    "ngrams": NGrams,
    "hashed": Hashed,
    "tfidf": TfIdf,
    "over": Over,
    "log": Log,
    "gak": GAK,
    "tga": TGA,
    "signature": Signature,
    "lowranksignature": LowRankSignature,
    "sigpde": SigPDE,
    "dtw": DTW,
    "fourierseries": FourierSeries,
    "windows": Windows,
    "autoregressive": Autoregressive,
    "withtime": WithTime,
    "withstart": WithStart,
    "withlag": WithLag,
    "leadlag": LeadLag,
    "profile": Profile,
    "subtree": SubTree,
    "subsettree": SubsetTree,
    "partialtree": PartialTree,
    "jaccard": Jaccard,
    "sharedsubsets": SharedSubsets,
    "setou": SetOU,
    "fuzzyintersection": FuzzyIntersection,
    "fuzzycross": FuzzyCross,
    "kendall": Kendall,
    "spearman": Spearman,
    "mallows": Mallows,
    "mallowsmean": MallowsMean,
    "multiinstance": MultiInstance,
    "meanembedding": MeanEmbedding,
    "pyramid": Pyramid,
    "semigroupvariance": SemigroupVariance,
    "wl": WL,
    "wloa": WLOA,
    "wlalign": WLAlign,
    "wledge": WLEdge,
    "wlpath": WLPath,
    "shortestpath": ShortestPath,
    "graphlet": Graphlet,
    "geometricwalk": GeometricWalk,
    "stepwalk": StepWalk,
    "exponentialwalk": ExponentialWalk,
    "marginalised": Marginalised,
    "multiscale": Multiscale,
    "neighbourhoodhash": NeighbourhoodHash,
    "filtration": Filtration,
    "tracealignment": TraceAlignment,
    "tracereproducing": TraceReproducing,
    "probproduct": ProbProduct,
    "hilbertian": Hilbertian,
    "semigroupentropy": SemigroupEntropy,
    "mixtureproduct": MixtureProduct,
}
