"""Kernels as values: the algebra by operators, texts that parse, matrices by the worker."""

from __future__ import annotations

import inspect
import json
from typing import Any, ClassVar, Iterable, Union

import numpy as np

from . import _validation as check
from . import _worker
from ._frame import is_frame, objects, table
from ._wire import Array


class Kernel:
    """A kernel: a function of two objects that is an inner product of features.

    ``k1 + k2``, ``k1 * k2``, ``0.5 * k``, ``k / 2``, ``k ** 2`` and ``k @ ['a', 'b']`` (on these columns) are kernels; ``k(X, Y)`` is the
    matrix of all pairs; ``str(k)`` is the text in mercer's language, and ``repr(k)`` the expression in Python's.
    """

    @classmethod
    def _names(cls) -> list[str]:
        return [n for n in inspect.signature(cls.__init__).parameters if n != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, and with ``deep`` those of parts as ``k1__lengthscale``."""
        out: dict[str, Any] = {}
        for name in self._names():
            value = getattr(self, name)
            out[name] = value
            if deep and isinstance(value, Kernel):
                out.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return out

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name."""
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in self._names():
                raise ValueError(f"Invalid parameter {first!r} for kernel {self!r}. Valid parameters are: {self._names()!r}.")
            if rest:
                getattr(self, first).set_params(**{rest: value})
            else:
                setattr(self, first, value)
        return self

    @property
    def on(self) -> str:
        """What it compares: 'numbers', or 'text', 'sequence', 'tree', 'set', 'graph', …; 'columns' of a table."""
        raise NotImplementedError

    def text(self) -> str:
        """The kernel in mercer's language."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kernel) and self.text() == other.text()

    def __hash__(self) -> int:
        return hash(self.text())

    def __add__(self, other: Any) -> Kernel:
        return Sum(self, _kernel(other))

    def __radd__(self, other: Any) -> Kernel:
        return self if type(other) is int and other == 0 else Sum(_kernel(other), self)  # sum() begins with 0

    def __mul__(self, other: Any) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, _weight(other))

    def __rmul__(self, other: Any) -> Kernel:
        return Scaled(self, _weight(other))

    def __truediv__(self, other: Any) -> Kernel:
        return Scaled(self, 1 / _weight(other))

    def __pow__(self, power: float) -> Kernel:
        return Power(self, power)

    def __matmul__(self, columns: Union[str, Iterable[str]]) -> Kernel:
        return On(self, [columns] if isinstance(columns, str) else list(columns))

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """The matrix of all pairs.

        Parameters
        ----------
        X, Y : array-like, CSR matrix, data frame or list of objects
            The objects; ``Y`` is ``X`` by default.

        Returns
        -------
        ndarray of shape (len(X), len(Y))
        """
        return self._ask(X, Y)

    def diag(self, X: Any) -> Array:
        """``k(x, x)`` of each object.

        Parameters
        ----------
        X : array-like, CSR matrix, data frame or list of objects
            The objects.

        Returns
        -------
        ndarray of shape (len(X),)
        """
        return self._ask(X, None, diagonal=True)

    def grad(self, X: Any, Y: Any = None) -> Array:
        """The derivative of ``k(x, y)`` by ``x``, of all pairs of rows of numbers.

        Parameters
        ----------
        X, Y : array-like of shape (n_samples, n_features)
            The rows; ``Y`` is ``X`` by default.

        Returns
        -------
        ndarray of shape (len(X), len(Y), n_features)
        """
        return self._ask(X, Y, gradient=True)

    @property
    def properties(self) -> dict[str, Any]:
        """What is known of it as a function: 'psd', 'stationary', 'universal', …, each True, False or None for unknown."""
        result, _ = _worker.call("describe", {"kernel": self.text()}, {}, "mercer.kernels")
        bounds: dict[str, Any] = result.get("bounds") or {}
        return {**result["properties"], **bounds}

    def _ask(self, X: Any, Y: Any, **how: Any) -> Array:
        args: dict[str, Any] = {"kernel": self.text(), **how}
        arrays: dict[str, Array] = {}
        for name, head, Z in (("x", "columns", X), ("y", "columnsY", Y)):
            if Z is None:
                continue
            if self.on != "numbers" or is_frame(Z) and self.on == "columns":
                args["kernel"], args[head], more = self.rows(name, Z)
                arrays.update(more)
            else:
                arrays.update(check.points(name, Z if check.is_sparse(Z) else _plain(Z)))
        _, out = _worker.call("matrix", args, arrays, "kernel matrix")
        return out["matrix"]

    def rows(self, name: str, X: Any) -> tuple[str, list[dict[str, Any]], dict[str, Array]]:
        """Objects, or a table, as a request has them: the text of the kernel on their columns, the columns, the arrays."""
        if is_frame(X):
            heads, arrays = table(name, X)
            if self.on not in ("numbers", "columns"):
                if len(heads) != 1:
                    raise ValueError(f"{self!r} is on one column of {self.on}; say which, as in k @ {heads[0]['name']!r}")
                heads, arrays = objects(name, X[heads[0]["name"]], self.on, str(heads[0]["name"]))
                return f"{_atom(self)} on {_column(heads[0]['name'])}", heads, arrays
            return self.text(), heads, arrays
        heads, arrays = objects(name, X, self.on, "x")
        return f"{_atom(self)} on x", heads, arrays


class Atom(Kernel):
    """A kernel with a name and parameters."""

    _name: ClassVar[str]
    _on: ClassVar[str] = "numbers"
    _words: ClassVar[frozenset[str]] = frozenset()

    def _said(self) -> list[tuple[str, Any]]:
        defaults = inspect.signature(type(self).__init__).parameters
        return [(n, getattr(self, n)) for n in self._names() if not _same(getattr(self, n), defaults[n].default)]

    @property
    def on(self) -> str:
        """What it compares."""
        inner = getattr(self, "kernel", None)
        return inner.on if isinstance(inner, Kernel) and self._on == "numbers" else self._on

    def text(self) -> str:
        """The kernel in mercer's language."""
        said = ", ".join(n.rstrip("_") + "=" + _value(v, n in self._words) for n, v in self._said())
        return f"{self._name}({said})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self._said())})"


class Sum(Kernel):
    """k1 + k2."""

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    @property
    def on(self) -> str:
        """What it compares."""
        return _together(self.k1, self.k2)

    def text(self) -> str:
        """The kernel in mercer's language."""
        return f"{self.k1} + {self.k2}"

    def __repr__(self) -> str:
        return f"{self.k1!r} + {_factor_repr(self.k2) if isinstance(self.k2, Sum) else repr(self.k2)}"


class Product(Kernel):
    """k1 · k2."""

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    @property
    def on(self) -> str:
        """What it compares."""
        return _together(self.k1, self.k2)

    def text(self) -> str:
        """The kernel in mercer's language."""
        return f"{_factor(self.k1)}*{_factor(self.k2)}"

    def __repr__(self) -> str:
        return f"{_factor_repr(self.k1)} * {_factor_repr(self.k2)}"


class Scaled(Kernel):
    """weight · k."""

    def __init__(self, kernel: Kernel, weight: float) -> None:
        self.kernel = kernel
        self.weight = weight

    @property
    def on(self) -> str:
        """What it compares."""
        return self.kernel.on

    def text(self) -> str:
        """The kernel in mercer's language."""
        return f"{_value(self.weight, False)}*{_factor(self.kernel)}"

    def __repr__(self) -> str:
        return f"{self.weight!r} * {_factor_repr(self.kernel)}"


class Power(Kernel):
    """k to a power."""

    def __init__(self, kernel: Kernel, power: float) -> None:
        self.kernel = kernel
        self.power = power

    @property
    def on(self) -> str:
        """What it compares."""
        return self.kernel.on

    def text(self) -> str:
        """The kernel in mercer's language."""
        return f"{_atom(self.kernel)}^{_value(self.power, False)}"

    def __repr__(self) -> str:
        return f"{_atom_repr(self.kernel)} ** {self.power!r}"


class On(Kernel):
    """k on some columns of a table."""

    def __init__(self, kernel: Kernel, columns: list[str]) -> None:
        self.kernel = kernel
        self.columns = columns

    @property
    def on(self) -> str:
        """Columns of a table."""
        return "columns"

    def text(self) -> str:
        """The kernel in mercer's language."""
        return f"{_atom(self.kernel)} on {','.join(_column(c) for c in self.columns)}"

    def __repr__(self) -> str:
        return f"{_atom_repr(self.kernel)} @ {self.columns!r}"


def _kernel(v: Any) -> Kernel:
    if isinstance(v, Kernel):
        return v
    from ._catalogue import Constant

    return Constant(_weight(v))


def _weight(v: Any) -> float:
    if isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool):
        return float(v)
    raise TypeError(f"{v!r} is neither a kernel nor a number")


def _together(a: Kernel, b: Kernel) -> str:
    kinds = {a.on, b.on} - ({"numbers"} if any(type(k).__name__ == "Constant" for k in (a, b)) and a.on != b.on else set())
    if len(kinds) == 1:
        return kinds.pop()
    if "columns" in kinds:
        return "columns"
    raise ValueError(f"{a!r} is on {a.on} and {b!r} on {b.on}: say which columns of a table, as in k @ 'name'")


def _atom(k: Kernel) -> str:
    return str(k) if isinstance(k, Atom) else f"({k})"


def _factor(k: Kernel) -> str:
    return f"({k})" if isinstance(k, (Sum, On)) else str(k)


def _atom_repr(k: Kernel) -> str:
    return repr(k) if isinstance(k, Atom) else f"({k!r})"


def _factor_repr(k: Kernel) -> str:
    return repr(k) if isinstance(k, (Atom, Power)) else f"({k!r})"


def _column(name: Any) -> str:
    name = str(name)
    return name if name.replace("_", "a").replace("-", "a").isalnum() and name[:1].isalpha() and name.isascii() else json.dumps(name, ensure_ascii=False)


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or type(a) in (int, float, str) and a == b
    except Exception:  # an array that has no truth
        return False


def _value(v: Any, word: bool) -> str:
    """A value in mercer's language, with every bit."""
    if isinstance(v, Kernel):
        return str(v)
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (int, np.integer)):
        return repr(int(v))
    if isinstance(v, (float, np.floating)):
        return repr(float(v))
    if isinstance(v, str):
        return v if word else json.dumps(v, ensure_ascii=False)
    if isinstance(v, (list, tuple, np.ndarray)):
        return f"[{', '.join(_value(x, word) for x in v)}]"
    raise TypeError(f"{v!r} is no value of a kernel's parameter; give a number, a text, a list or a kernel")


def _plain(X: Any) -> Array:
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: reshape with X.reshape(-1, 1) for one column")
    return np.asarray(X if X.dtype in (np.float32, np.float64) else X.astype(float))


__all__ = ["Atom", "Kernel", "On", "Power", "Product", "Scaled", "Sum"]
