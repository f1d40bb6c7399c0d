"""Kernels as objects."""

from __future__ import annotations


class Kernel:
    """A kernel."""
