"""Data frames and lists of objects, as the worker takes them: columns of one kind each."""

from __future__ import annotations

import json
from typing import Any, Iterable

import numpy as np

from ._wire import Array

_NO_TIME = np.iinfo(np.int64).min


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a table with names: pandas, polars, pyarrow, or a dict of columns."""
    return isinstance(X, dict) or hasattr(X, "column_names") or (hasattr(X, "columns") and hasattr(X, "__getitem__") and not isinstance(X, np.ndarray))


def names(X: Any) -> list[str]:
    """The names of the columns."""
    if isinstance(X, dict):
        return [str(n) for n in X]
    return [str(n) for n in (X.column_names if hasattr(X, "column_names") else X.columns)]


def column(X: Any, place: int) -> Any:
    """A column by its place."""
    if isinstance(X, dict):
        return list(X.values())[place]
    if hasattr(X, "iloc"):
        return X.iloc[:, place]
    if hasattr(X, "column_names"):
        return X.column(place)
    return X[X.columns[place]]


def table(name: str, X: Any) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """A table as columns: numbers, categories, times, texts."""
    heads: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}
    for i, n in enumerate(names(X)):
        head, more = _column(f"{name}.{i}", column(X, i))
        heads.append({"name": n, **head})
        arrays.update(more)
    return heads, arrays


def _column(at: str, values: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    if hasattr(values, "cat") and hasattr(values, "dtype") and hasattr(values.dtype, "categories") and hasattr(values.cat, "codes"):  # pandas
        levels = [str(v) for v in values.cat.categories]
        return {"kind": "categorical", "levels": levels}, {at: values.cat.codes.to_numpy().astype(np.int32)}
    plain = _array(values)
    if plain.dtype.kind in "iuf":
        return {"kind": "numeric"}, {at: plain.astype(np.float64)}
    if plain.dtype.kind == "b":
        return {"kind": "categorical", "levels": ["False", "True"]}, {at: plain.astype(np.int32)}
    if plain.dtype.kind == "M":
        micros = plain.astype("datetime64[us]").astype(np.int64)
        return {"kind": "time"}, {at: np.where(np.isnat(plain), _NO_TIME, micros)}
    return {"kind": "text"}, _texts(at, ("" if _missing(v) else str(v) for v in plain))


def _array(values: Any) -> Array:
    """A column as an array: of pandas, polars and pyarrow by their own ways, without Python objects where they have none."""
    dtype = getattr(values, "dtype", None)
    if hasattr(values, "to_numpy"):
        if dtype is not None and getattr(dtype, "kind", "") in ("i", "u", "f") and hasattr(values, "isna"):  # pandas, with its own missing values
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        try:
            out = np.asarray(values.to_numpy())
        except Exception:  # pyarrow copies only where it is told to
            out = np.asarray(values.to_numpy(zero_copy_only=False))
    else:
        out = np.asarray(values, dtype=None if not isinstance(values, list) else object if any(isinstance(v, str) for v in values) else None)
    if out.dtype.kind == "O":
        seen = [v for v in out if not _missing(v)]
        if seen and all(isinstance(v, (bool, np.bool_)) for v in seen):
            return np.array(["" if _missing(v) else str(v) for v in out], dtype=object)
        if seen and all(isinstance(v, (int, float, np.integer, np.floating)) for v in seen):
            return np.array([np.nan if _missing(v) else float(v) for v in out])
    return out


def _missing(v: Any) -> bool:
    return v is None or v is getattr(np, "NaT", object()) or type(v).__name__ in ("NAType", "NaTType") or (isinstance(v, (float, np.floating)) and v != v)


def _texts(at: str, values: Iterable[str]) -> dict[str, Array]:
    encoded = [v.encode() for v in values]
    ends = np.cumsum([len(v) for v in encoded], dtype=np.int64) if encoded else np.empty(0, np.int64)
    return {at: np.frombuffer(b"".join(encoded), np.uint8), f"{at}.ends": ends}


def objects(name: str, X: Any, kind: str, called: str) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """A list of objects as one column of their kind."""
    items = list(X)
    at = f"{name}.0"
    head: dict[str, Any] = {"name": called, "kind": kind}
    if kind in ("sequence", "bag"):
        steps = [np.atleast_2d(np.asarray(s, dtype=float).T).T for s in items]
        widths = {s.shape[1] for s in steps}
        if len(widths) > 1:
            raise ValueError(f"objects have steps of {sorted(widths)} numbers; all must have the same")
        head["channels"] = widths.pop() if widths else 1
        ends = np.cumsum([s.size for s in steps], dtype=np.int64)
        return [head], {at: np.concatenate([s.ravel() for s in steps]) if steps else np.empty(0), f"{at}.ends": ends}
    return [head], _texts(at, (_written(v, kind) for v in items))


def _written(v: Any, kind: str) -> str:
    """An object in the notation of a cell of its kind."""
    if isinstance(v, str):
        return v
    if kind == "set":
        return json.dumps(sorted(str(x) for x in v))
    if kind == "ranking":
        return " > ".join("=".join(map(str, t)) if isinstance(t, (list, tuple, set)) else str(t) for t in v)
    if kind == "fuzzy":
        return "; ".join(f"{k}:{float(m)!r}" for k, m in dict(v).items())
    if kind == "histogram":
        return ",".join(repr(float(x)) for x in v)
    if kind == "distribution":
        if isinstance(v, dict):
            return json.dumps(v)
        mean, cov = v
        return json.dumps({"mean": np.atleast_1d(mean).tolist(), "cov": np.atleast_2d(cov).tolist()})
    if kind == "tree":
        return _bracket(v)
    if kind == "graph":
        return json.dumps(_graph(v))
    raise TypeError(f"{v!r} is no {kind}")


def _bracket(v: Any) -> str:
    """A tree: ``('S', ('NP', 'the', 'cat'), ...)`` is a node with its children, a text a leaf."""
    if isinstance(v, str):
        return v
    label, *children = v
    return f"({label} {' '.join(_bracket(c) for c in children)})"


def _graph(v: Any) -> dict[str, Any]:
    """A graph: a dict as mercer writes it, or one of networkx; labels of nodes are numbered where they are no whole numbers."""
    if isinstance(v, dict):
        return v
    place = {n: i for i, n in enumerate(v.nodes)}
    out: dict[str, Any] = {"nodes": len(place), "edges": [[place[a], place[b]] for a, b in v.edges()]}
    labels = [d.get("label") for _, d in v.nodes(data=True)]
    if any(x is not None for x in labels):
        if not all(isinstance(x, (int, np.integer)) for x in labels):
            raise ValueError("labels of nodes are whole numbers, the same number for the same label in all graphs; map them first")
        out["node_labels"] = [int(x) for x in labels]
    weights = [d.get("weight") for _, _, d in v.edges(data=True)]
    if weights and all(w is not None for w in weights):
        out["weights"] = [float(w) for w in weights]
    return out
