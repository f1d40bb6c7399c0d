"""Texts of mercer's language as kernels; the grammar stands in package spec."""

from __future__ import annotations

import json
import re
from typing import Any

from ._catalogue import BY_NAME, Constant
from ._kernel import Kernel, On, Power, Product, Scaled

_TOKEN = re.compile(r'\s*(?:(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?[iI]nf)|(?P<name>[^\W\d][\w-]*)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<sign>[-+*^(),=\[\]]))')


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, at = text, list[tuple[str, str]](), 0
        text = text.rstrip()
        while at < len(text):
            m = _TOKEN.match(text, at)
            if m is None:
                raise ValueError(f"{text!r} at column {at + 1}: nothing of mercer's language begins with {text[at]!r}")
            kind = m.lastgroup or ""
            self.tokens.append((kind, m.group(kind)))
            at = m.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def sign(self, s: str) -> bool:
        if self.peek() == ("sign", s):
            self.at += 1
            return True
        return False

    def need(self, s: str) -> None:
        if not self.sign(s):
            raise ValueError(f"{self.text!r}: {s!r} is missing before {self.peek()[1] or 'the end'!r}")

    def expression(self) -> Any:
        out = self.term()
        while self.sign("+"):
            out = _plus(out, self.term())
        return out

    def term(self) -> Any:
        out = self.factor()
        while self.sign("*"):
            out = _times(out, self.factor())
        return out

    def factor(self) -> Any:
        out = self.atom()
        if self.sign("^"):
            out = Power(out, _number(self.take()[1]))
        if self.peek() == ("name", "on"):
            self.take()
            columns = [self.column()]
            while self.sign(","):
                columns.append(self.column())
            out = On(out, columns)
        return out

    def column(self) -> str:
        kind, word = self.take()
        if kind not in ("name", "text"):
            raise ValueError(f"{self.text!r}: the name of a column is missing after 'on'")
        return str(json.loads(word)) if kind == "text" else word

    def atom(self) -> Any:
        kind, word = self.take()
        if kind == "number":
            return _number(word)
        if kind == "text":
            return json.loads(word)
        if (kind, word) == ("sign", "("):
            out = self.expression()
            self.need(")")
            return out
        if (kind, word) == ("sign", "["):
            return self.several("]", self.expression)
        if kind == "name" and self.sign("("):
            return self.call(word)
        if kind == "name":
            return {"true": True, "false": False}.get(word, word)
        raise ValueError(f"{self.text!r}: {word or 'the end'!r} is no kernel")

    def several(self, end: str, one: Any) -> list[Any]:
        out: list[Any] = []
        while not self.sign(end):
            out.append(one())
            if not self.sign(","):
                self.need(end)
                break
        return out

    def call(self, name: str) -> Kernel:
        if name not in BY_NAME:
            raise ValueError(f"{self.text!r}: there is no kernel {name!r}")

        def argument() -> tuple[str, Any]:
            if self.peek()[0] == "name" and self.peek(1) == ("sign", "="):
                key = self.take()[1]
                self.take()
                return key, self.expression()
            return "", self.expression()

        places, named = [], {}
        known = set(BY_NAME[name]._names())
        for key, value in self.several(")", argument):
            if key:
                named[key if key in known else key + "_"] = value
            else:
                places.append(value)
        return BY_NAME[name](*places, **named)


def _number(word: str) -> float:
    return int(word) if re.fullmatch(r"-?\d+", word) else float(word)


def _plus(a: Any, b: Any) -> Any:
    return a + b if isinstance(a, Kernel) or isinstance(b, Kernel) else Constant(a) + b


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, Kernel) and isinstance(b, Kernel):
        return Product(a, b)
    if isinstance(a, Kernel):
        return Scaled(a, float(b))
    return Scaled(b, float(a)) if isinstance(b, Kernel) else a * b


def parse(text: str) -> Kernel:
    """A kernel from its text in mercer's language.

    Parameters
    ----------
    text : str
        Such as ``'0.5*gaussian(lengthscale=2) + linear()'``.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from mercer.kernels import parse
    >>> parse('0.5*gaussian(lengthscale=2) + linear()')
    0.5 * Gaussian(lengthscale=2) + Linear()
    """
    reader = _Reader(text)
    out: Any = reader.expression()
    if reader.peek()[0] != "end":
        raise ValueError(f"{text!r}: {reader.peek()[1]!r} is too much")
    if not isinstance(out, Kernel):
        if not isinstance(out, (int, float)):
            raise ValueError(f"{text!r} is no kernel")
        return Constant(out)
    return out


__all__ = ["parse"]
