"""Tests of hypotheses, densities and curves as functions, and comparisons of models."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import numpy as np

from . import _worker
from ._estimator import Estimator
from ._frame import is_frame, table
from ._load import Loaded
from ._wire import Array
from .kernels import Kernel
from .kernels import parse as parse_kernel
from .neighbors import KernelDensity, LocalRegression, NadarayaWatson


@dataclass(frozen=True, repr=False)
class TestResult:
    """The outcome of a test.

    Attributes
    ----------
    test, measure : str
        What was tested, and what the statistic is.
    statistic, p : float
    reject : bool
        Whether ``p <= alpha``.
    alpha : float
    threshold : float or None
        What the statistic has to exceed.
    null : str
        How the distribution under the hypothesis was found.
    draws : ndarray
        That distribution, where it was sampled.
    kernels, doubts : list of str
        What was compared by, and what a reader should know.
    """

    __test__ = False  # it is no test of pytest's

    test: str
    measure: str
    statistic: float
    p: float
    reject: bool
    alpha: float
    threshold: Optional[float]
    null: str
    permutations: int
    kernels: list[str]
    doubts: list[str]
    text: str
    draws: Array

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdict = "rejected" if self.reject else "not rejected"
        return f"<{self.test}: statistic {self.statistic:.4g}, p = {self.p:.3g}, {verdict} at {self.alpha:g}>"

    def plot(self, ax: Any = None) -> Any:
        """The null distribution with the statistic in it, by matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        ax = _axes(ax)
        if len(self.draws):
            ax.hist(self.draws, bins=40, color="0.75", label=f"under the hypothesis ({self.permutations} draws)")
        if self.threshold is not None:
            ax.axvline(self.threshold, color="0.5", linestyle="--", label=f"threshold at {self.alpha:g}")
        ax.axvline(self.statistic, color="k", label=f"statistic, p = {self.p:.3g}")
        short = re.sub(r"\d+\.\d{3,}", lambda digits: f"{float(digits.group()):.3g}", self.measure)
        ax.set_xlabel(textwrap.fill(short, 40))
        ax.set_ylabel("draws")
        ax.set_title(self.test, fontsize="medium")
        ax.legend(fontsize="small")
        return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _text(kernel: Any) -> str:
    return "" if kernel is None else str(kernel)


def _matrix(X: Any) -> Array:
    X = np.asarray(X, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    if not np.isfinite(X).all():
        raise ValueError("Input contains NaN or infinity.")
    return np.asarray(X)


def _scaled(*samples: Array) -> list[Array]:
    """Samples with columns of mean 0 and deviation 1, by all of them together."""
    pooled = np.vstack(samples)
    spread = pooled.std(axis=0)
    return [(s - pooled.mean(axis=0)) / np.where(spread > 0, spread, 1) for s in samples]


def _test(args: dict[str, Any], arrays: dict[str, Array], what: str) -> TestResult:
    r, out = _worker.call("hypothesis", args, arrays, what)
    return TestResult(
        r["test"], r["measure"], r["statistic"], r["p"], r["reject"], r["alpha"], r.get("threshold"), r["null"], r["permutations"],
        r["kernels"] or [], r["doubts"] or [], r["text"], out["draws"],
    )  # fmt: skip


def mmd_test(
    x: Any, y: Any, *, kernel: Any = None, scale: bool = True, permutations: int = 1000, alpha: float = 0.05, seed: int = 0
) -> TestResult:
    """Were two samples drawn from one distribution? By the maximum mean discrepancy of a kernel.

    Parameters
    ----------
    x, y : array-like, or lists of objects with a kernel on them
        The samples.
    kernel : str or Kernel, optional
        One kernel; by default gaussians of nine widths at once, which the p-value accounts for.
    scale : bool, default=True
        Whether columns are scaled by both samples together.
    permutations : int, default=1000
        Draws from the null.
    alpha : float, default=0.05
        Level.
    seed : int, default=0
        Of the draws.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import mmd_test
    >>> rng = np.random.default_rng(0)
    >>> bool(mmd_test(rng.normal(size=(80, 2)), rng.normal(1.0, size=(80, 2))).p < 0.01)
    True
    """
    args: dict[str, Any] = {"kind": "two-sample", "kernel": _text(kernel), "widths": 9, "permutations": permutations, "alpha": alpha, "seed": seed}
    k = parse_kernel(kernel) if isinstance(kernel, str) else kernel
    if isinstance(k, Kernel) and k.on != "numbers" or is_frame(x) and k is not None and k.on == "columns":
        assert k is not None
        args["kernel"], args["columns"], first = k.rows("x", x)
        _, args["columnsY"], second = k.rows("y", y)
        return _test(args, {**first, **second}, "mmd_test")
    a, b = _matrix(x), _matrix(y)
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"the samples have {a.shape[1]} and {b.shape[1]} columns")
    if scale:
        a, b = _scaled(a, b)
    return _test(args, {"x": a, "y": b}, "mmd_test")


def hsic_test(
    x: Any, y: Any, *, kernel: Any = None, kernel_y: Any = None, scale: bool = True, permutations: int = 1000, alpha: float = 0.05, seed: int = 0
) -> TestResult:
    """Do two variables say anything about each other? By the Hilbert–Schmidt independence criterion.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        Pairs of values, in the same order.
    kernel, kernel_y : str or Kernel, optional
        On each; by default gaussians of five widths at once, which the p-value accounts for.
    scale : bool, default=True
        Whether columns are scaled.
    permutations, alpha, seed
        As in :func:`mmd_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import hsic_test
    >>> x = np.random.default_rng(0).uniform(-1, 1, 80)
    >>> hsic_test(x, x**2).reject
    True
    """
    a, b = _pairs(scale, x, y)
    args = {
        "kind": "independence", "kernel": _text(kernel), "kernelY": _text(kernel_y), "widths": 5, "permutations": permutations, "alpha": alpha, "seed": seed,
    }  # fmt: skip
    return _test(args, {"x": a, "y": b}, "hsic_test")


def conditional_test(
    x: Any, y: Any, z: Any, *, kernel: Any = None, scale: bool = True, permutations: int = 1000, alpha: float = 0.05, seed: int = 0
) -> TestResult:
    """Do two variables say anything about each other once a third is known? Both are regressed on it, and what is left is tested.

    Parameters
    ----------
    x, y, z : array-like of shape (n_samples,) or (n_samples, n_features)
        Values of the three, in the same order.
    kernel : str or Kernel, optional
        Of the regressions on z; by default the best of five gaussians.
    scale : bool, default=True
        Whether columns are scaled.
    permutations, alpha, seed
        As in :func:`mmd_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import conditional_test, hsic_test
    >>> rng = np.random.default_rng(1)
    >>> z = rng.normal(size=80)
    >>> a, b = z + 0.5 * rng.normal(size=80), z + 0.5 * rng.normal(size=80)
    >>> hsic_test(a, b).reject, conditional_test(a, b, z).reject
    (True, False)
    """
    a, b, c = _pairs(scale, x, y, z)
    args = {"kind": "conditional", "kernel": _text(kernel), "permutations": permutations, "alpha": alpha, "seed": seed}
    return _test(args, {"x": a, "y": b, "z": c}, "conditional_test")


def _pairs(scale: bool, *samples: Any) -> list[Array]:
    out = [_matrix(s) for s in samples]
    if len({len(s) for s in out}) > 1:
        raise ValueError(f"the variables have {', '.join(str(len(s)) for s in out)} values; they go in pairs")
    return [_scaled(s)[0] for s in out] if scale else out


@dataclass(frozen=True, repr=False)
class Curve:
    """A density or a smooth curve of one column, at places on a line.

    Attributes
    ----------
    x, y : ndarray
        Places, and the curve there.
    low, high : ndarray or None
        Ends of its band.
    model : Estimator
    rows : ndarray of shape (n_samples, 1) or (n_samples, 2)
        The numbers, or the pairs, that it was made of.
    band : str
        What the band is: kernel regression says where the middle of the values lies, local polynomials where the curve does.
    """

    x: Array
    y: Array
    low: Optional[Array]
    high: Optional[Array]
    model: Any
    rows: Array
    band: str

    def __repr__(self) -> str:
        what = "density" if self.low is None else "curve with its band"
        return f"<{what} of {len(self.rows)} rows, at {len(self.x)} places from {self.x[0]:.4g} to {self.x[-1]:.4g}>"

    def plot(self, ax: Any = None) -> Any:
        """The curve over its rows, by matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        ax = _axes(ax)
        ax.set_xlabel("x")
        ax.set_ylabel("density" if self.low is None else "y")
        if self.low is None:
            foot = -0.03 * self.y.max()
            ax.plot(self.rows[:, 0], np.full(len(self.rows), foot), "|", color="0.5", markersize=6)
        else:
            ax.fill_between(self.x, self.low, self.high, color="0.85", linewidth=0, label=self.band)
            ax.plot(self.rows[:, 0], self.rows[:, 1], ".", color="0.5", markersize=4)
            ax.legend(fontsize="small")
        ax.plot(self.x, self.y, color="k")
        return ax


def _line(x: Array, beyond: float, points: int) -> Array:
    return np.linspace(x.min() - beyond, x.max() + beyond, points)


def density(x: Any, *, bandwidth: Any = "silverman", kernel: str = "gaussian", points: int = 200) -> Curve:
    """The density of numbers, at places on a line.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        The numbers.
    bandwidth : float or str, default='silverman'
        A number or a rule, as in :class:`KernelDensity`.
    kernel : str, default='gaussian'
        Smoothing kernel.
    points : int, default=200
        Places.

    Returns
    -------
    Curve

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import density
    >>> d = density(np.random.default_rng(0).normal(size=200))
    >>> bool(abs((d.y * np.gradient(d.x)).sum() - 1) < 0.01)
    True
    """
    x = _matrix(x)
    if x.shape[1] != 1:
        raise ValueError(f"a density is drawn of one column, not of {x.shape[1]}; use KernelDensity")
    m = KernelDensity(bandwidth=bandwidth, kernel=kernel).fit(x)
    at = _line(x, 3 * float(np.max(m.bandwidth_)), points)
    return Curve(at, np.exp(m.score_samples(at[:, None])), None, None, m, x, "")


def smooth(x: Any, y: Any, *, method: str = "nw", bandwidth: Any = None, span: float = 0.75, degree: int = 1, robust: int = 0, level: float = 0.95, points: int = 200) -> Curve:
    """A smooth curve through pairs of numbers, with its band.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        The pairs.
    method : {'nw', 'local'}, default='nw'
        Kernel regression, or local polynomials.
    bandwidth : float, optional
        The width; by default found by leave-one-out cross-validation, or from the span.
    span, degree, robust
        Of local polynomials, as in :class:`LocalRegression`.
    level : float, default=0.95
        Of the band.
    points : int, default=200
        Places.

    Returns
    -------
    Curve

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import smooth
    >>> x = np.linspace(0, 6, 100)
    >>> c = smooth(x, np.sin(x))
    >>> bool(abs(c.y - np.sin(c.x)).max() < 0.1)
    True
    """
    x, y = _matrix(x), np.asarray(y, dtype=float)
    if x.shape[1] != 1:
        raise ValueError(f"a curve is drawn of one column, not of {x.shape[1]}; use NadarayaWatson or LocalRegression")
    if method not in ("nw", "local"):
        raise ValueError(f"method is {method!r}; give 'nw' or 'local'")
    m = NadarayaWatson(bandwidth=bandwidth) if method == "nw" else LocalRegression(span=span, bandwidth=bandwidth, degree=degree, robust=robust)
    m.fit(x, y)
    at = _line(x, 0, points)
    band = m.predict_band(at[:, None], level)
    meaning = f"{100 * level:g} % of the values" if method == "nw" else f"{100 * level:g} % interval of the curve"
    return Curve(at, band[:, 0], band[:, 1], band[:, 2], m, np.column_stack([x, y]), meaning)


@dataclass(frozen=True)
class Difference:
    """How far apart two models are by one measure, and whether chance would do it.

    Attributes
    ----------
    measure : str
    first, second, difference : float
        Of each model, and ``first - second``.
    low, high : float
        Ends of the difference's 95 % interval.
    statistic : float
        The difference, by the name that results of tests have for it.
    p : float
    reject : bool
        Whether ``p <= alpha``.
    null : str
        How p was found: 'sign-flip' or 'mcnemar'.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    reject: bool
    null: str

    @property
    def statistic(self) -> float:
        return self.difference


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two models on the same rows, by every measure that both have.

    Attributes
    ----------
    measures : dict of str to Difference
    rows : int
        Rows that both judged.
    alpha : float
        Level of the tests.
    """

    measures: dict[str, Difference]
    rows: int
    alpha: float

    def __getitem__(self, measure: str) -> Difference:
        return self.measures[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __str__(self) -> str:
        said = (f"{d.measure}: {d.first:.4g} against {d.second:.4g}, p = {d.p:.3g} ({d.null})" for d in self.measures.values())
        return "\n".join(said)

    __repr__ = __str__

    def plot(self, ax: Any = None) -> Any:
        """The differences with their 95 % intervals, each in half widths of its own, by matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        ax = _axes(ax)
        all_of_them = list(self.measures.values())
        for at, d in enumerate(all_of_them):
            unit = (d.high - d.low) / 2 or 1.0
            ax.plot([d.low / unit, d.high / unit], [at, at], color="0.75", linewidth=6, solid_capstyle="butt")
            ax.plot([d.difference / unit], [at], "ko")
        ax.axvline(0, color="k", linewidth=0.8)
        ax.set_yticks(range(len(all_of_them)), [f"{d.measure}\n{d.difference:+.3g}, p = {d.p:.2g}" for d in all_of_them])
        ax.set_ylim(len(all_of_them) - 0.5, -0.5)
        ax.set_xlabel("first − second, in half widths of the 95 % interval")
        return ax


def compare(first: Any, second: Any, X: Any, y: Any, *, alpha: float = 0.05, permutations: int = 9999, seed: int = 1) -> Comparison:
    """Is one of two fitted models better on these rows by more than chance? Tests are paired.

    Parameters
    ----------
    first, second : fitted estimators, or models of :func:`load`
        Both of one task.
    X : data frame or array-like
        Rows that neither was fitted on.
    y : str or array-like
        The answers: a column of the frame, or values.
    alpha : float, default=0.05
        Level of the tests.
    permutations : int, default=9999
        Draws of signs.
    seed : int, default=1
        Of the draws.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from mercer import SVC, compare
    >>> from mercer.kernels import Linear
    >>> X = [[a, b] for a in range(8) for b in range(8)]
    >>> y = [(a < 4) != (b < 4) for a, b in X]
    >>> compare(SVC().fit(X, y), SVC(kernel=Linear()).fit(X, y), X, y)['accuracy'].p < 0.01
    True
    """
    from .auto import _with_target

    frame, target = _with_target(X, y)
    if any(getattr(m, "classes_", None) is not None for m in (first, second)):
        frame = {n: frame[n] for n in (frame if isinstance(frame, dict) else list(frame.columns))}
        frame[target] = np.asarray([str(v) for v in frame[target]], dtype=object)
    heads, arrays = table("data", frame)
    args = ["compare", "first", "second", "data", "--json", "--target", target, "--alpha", str(alpha), "--permutations", str(permutations), "--seed", str(seed)]
    files = {name: np.frombuffer(_file(m), np.uint8) for name, m in (("first", first), ("second", second))}
    result, _ = _worker.call("run", {"args": args, "tables": {"data": heads}, "models": ["first", "second"]}, {**arrays, **files}, "compare")
    if result["code"] != 0:
        raise ValueError(result["err"].strip())
    out: dict[str, Any] = json.loads(result["out"])
    found = [
        Difference(
            c["measure"], _number(c["first"]), _number(c["second"]), _number(c["difference"]), _number(c["low"]), _number(c["high"]), _number(c["p"]),
            c["reject"], c["test"],
        )
        for c in out["comparisons"]
    ]  # fmt: skip
    return Comparison({d.measure: d for d in found}, out["rows"], out["alpha"])


def _number(v: Any) -> float:
    return float("nan") if v is None else float(v)


def _file(m: Any) -> bytes:
    if isinstance(m, Loaded):
        return m._model.file
    if isinstance(m, Estimator):
        return m._fitted().file
    raise TypeError(f"{m!r} is no model of mercer's")


__all__ = ["Comparison", "Curve", "Difference", "TestResult", "compare", "conditional_test", "density", "hsic_test", "mmd_test", "smooth"]
