"""What can go wrong besides a ValueError for input that is at fault."""

from __future__ import annotations


class MercerError(RuntimeError):
    """The work could not be done, and the input is not to blame."""


class WorkerDied(MercerError):
    """The worker process ended while it was at work; the next call starts another."""


class MercerWarning(UserWarning):
    """What a fit or a test has to say about its own result."""
