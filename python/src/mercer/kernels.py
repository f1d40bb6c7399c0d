"""Kernels as objects."""

from __future__ import annotations


class Kernel:
    """A kernel."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Kernel:
    return Kernel(text)
