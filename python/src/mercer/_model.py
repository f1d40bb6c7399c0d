"""Fitted models: mercer's files, held in memory."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from . import _worker
from ._wire import Array


class Model:
    """The file of a fitted model, and the number under which the worker knows it."""

    __slots__ = ("file", "_home", "_number", "__weakref__")

    def __init__(self, file: bytes, home: Optional[_worker.Worker] = None, number: int = 0) -> None:
        self.file = file
        self._home = home
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.file,)

    def __copy__(self) -> Model:
        return Model(self.file)

    def __deepcopy__(self, memo: Any) -> Model:
        return Model(self.file)

    def __del__(self) -> None:
        if self._home is not None:
            self._home.unused.append(self._number)  # told with the next request

    def call(self, op: str, args: Mapping[str, Any], arrays: Mapping[str, Array], what: str) -> _worker.Answer:
        """Asks the worker about this model; sends the file where it does not have it."""
        home = _worker.worker()
        if self._home is home:
            try:
                return home.call(op, {**args, "model": self._number}, arrays, what)
            except _worker.UnknownModel:
                pass
        result, out = home.call(op, args, {**arrays, "model": np.frombuffer(self.file, np.uint8)}, what)
        self._home, self._number = home, result["model"]
        return result, out


def fit(args: Mapping[str, Any], arrays: Mapping[str, Array], what: str, op: str = "fit") -> tuple[Model, dict[str, Any], dict[str, Array]]:
    """Fits, and returns the model with what is known of it."""
    home = _worker.worker()
    result, out = home.call(op, args, arrays, what)
    return Model(out.pop("model").tobytes(), home, result["model"]), result, out
