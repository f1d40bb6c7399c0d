"""Fitted models: mercer's files, held in memory."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _worker
from ._wire import Array


class Model:
    """The file of a fitted model, and the number under which the worker knows it."""

    __slots__ = ("_file", "_home", "_number", "__weakref__")

    def __init__(self, file: Union[bytes, Array], home: Optional[_worker.Worker] = None, number: int = 0) -> None:
        self._file = file  # bytes, or what came from the worker, which nobody may ever want
        self._home = home
        self._number = number

    @property
    def file(self) -> bytes:
        """The file."""
        if not isinstance(self._file, bytes):
            self._file = self._file.tobytes()
        return self._file

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.file,)

    def __copy__(self) -> Model:
        return Model(self._file)

    def __deepcopy__(self, memo: Any) -> Model:
        return Model(self._file)

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
        result, out = home.call(op, args, {**arrays, "model": np.frombuffer(self._file, np.uint8)}, what)
        self._home, self._number = home, result["model"]
        return result, out


def fit(args: Mapping[str, Any], arrays: Mapping[str, Array], what: str, op: str = "fit") -> tuple[Model, dict[str, Any], dict[str, Array]]:
    """Fits, and returns the model with what is known of it."""
    home = _worker.worker()
    result, out = home.call(op, args, arrays, what)
    return Model(out.pop("model"), home, result["model"]), result, out
