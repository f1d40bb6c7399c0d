"""Messages to the worker and back; `cmd/mercer/internal/worker/doc.go` says what they are."""

from __future__ import annotations

import json
import mmap
import os
import socket
import struct
import sys
from typing import IO, Any, Mapping, Protocol, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_START = struct.Struct("<IIQ")
_SHARED = 1
_INLINE = 1 << 16  # bytes of arrays that go through the socket; more are shared
_TYPES: dict[str, np.dtype[Any]] = {"f8": np.dtype("<f8"), "i8": np.dtype("<i8"), "i4": np.dtype("<i4"), "u1": np.dtype("u1")}
_NAMES = {v: k for k, v in _TYPES.items()}

SHARES = sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(socket, "send_fds")


class Layout:
    """Where the arrays of a message lie in its body."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.heads: dict[str, dict[str, Any]] = {}
        self.parts: list[tuple[int, Array]] = []
        self.size = 0
        for name, a in arrays.items():
            dtype = a.dtype.newbyteorder("<") if a.dtype.byteorder == ">" else a.dtype
            if dtype not in _NAMES:
                dtype = _TYPES["f8"]  # float32 and whole numbers become float64 while they are copied
            self.heads[name] = {"type": _NAMES[dtype], "shape": a.shape, "at": self.size}
            if a.size:
                self.parts.append((self.size, a))
                self.size += (a.size * dtype.itemsize + 63) // 64 * 64

    def write(self, body: Union[bytearray, mmap.mmap]) -> None:
        """Copies every array to its place: the only copy there is, whatever order or type it comes in."""
        for (at, a), head in zip(self.parts, (h for h in self.heads.values() if 0 not in h["shape"])):
            to = np.frombuffer(body, _TYPES[head["type"]], a.size, at).reshape(a.shape)
            np.copyto(to, a, casting="unsafe")

    def shared(self) -> int:
        """A descriptor of memory without a name that holds the arrays."""
        fd = os.memfd_create("mercer", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, self.size)
            for (at, a), head in zip(self.parts, (h for h in self.heads.values() if 0 not in h["shape"])):
                if a.flags.c_contiguous and a.dtype == _TYPES[head["type"]]:
                    _write_at(fd, memoryview(a.data).cast("B"), at)
                    continue
                first = at // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
                dtype = _TYPES[head["type"]]
                with mmap.mmap(fd, at - first + a.size * dtype.itemsize, offset=first) as body:
                    to = np.frombuffer(body, dtype, a.size, at - first).reshape(a.shape)
                    np.copyto(to, a, casting="unsafe")
                    del to  # the mapping closes only when nobody looks at it
        except BaseException:
            os.close(fd)
            raise
        return fd


def _write_at(fd: int, data: memoryview, at: int) -> None:
    while data:
        n = os.pwrite(fd, data, at)
        data, at = data[n:], at + n


class Ended(Exception):
    """The other side has closed its end."""


class Wire(Protocol):
    """A way to the worker and back."""

    def send(self, head: dict[str, Any], layout: Layout) -> None: ...
    def receive(self) -> tuple[dict[str, Any], dict[str, Array]]: ...
    def close(self) -> None: ...


def _frame(head: dict[str, Any], size: int, flags: int) -> bytearray:
    text = json.dumps(head, separators=(",", ":")).encode()
    frame = bytearray(_START.pack(len(text), flags, size))
    frame += text
    return frame


def _inline(head: dict[str, Any], layout: Layout) -> bytearray:
    frame = _frame(head, layout.size, 0)
    if layout.size:
        body = bytearray(layout.size)
        layout.write(body)
        frame += body
    return frame


def _arrays(head: dict[str, Any], body: Any) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name, h in (head.get("arrays") or {}).items():
        n = 1
        for d in h["shape"]:
            n *= d
        dtype = _TYPES[h["type"]]
        out[name] = (np.frombuffer(body, dtype, n, h["at"]) if n else np.empty(0, dtype)).reshape(h["shape"])
    return out


class SocketWire:
    """A socket that carries descriptors of shared memory beside the bytes."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._bytes = bytearray()
        self._files: list[int] = []

    def send(self, head: dict[str, Any], layout: Layout) -> None:
        if layout.size <= _INLINE:
            self._sock.sendall(_inline(head, layout))
            return
        try:
            fd = layout.shared()
        except OSError:  # a limit on files (ulimit -f) is one on such memory, too: the socket takes everything
            self._sock.sendall(_inline(head, layout))
            return
        try:
            frame = _frame(head, layout.size, _SHARED)
            sent = socket.send_fds(self._sock, [frame], [fd])
            if sent < len(frame):
                self._sock.sendall(memoryview(frame)[sent:])
        finally:
            os.close(fd)

    def _take(self, n: int) -> bytearray:
        while len(self._bytes) < n:
            data, files, _, _ = socket.recv_fds(self._sock, max(_INLINE, n - len(self._bytes)), 8)
            self._files += files
            if not data:
                raise Ended
            self._bytes += data
        out = self._bytes[:n]
        del self._bytes[:n]
        return out

    def receive(self) -> tuple[dict[str, Any], dict[str, Array]]:
        size, flags, body = _START.unpack(self._take(_START.size))
        head = json.loads(self._take(size))
        if not flags & _SHARED:
            return head, _arrays(head, self._take(body))
        fd = self._files.pop(0)
        try:
            shared = mmap.mmap(fd, body)
        finally:
            os.close(fd)
        return head, _arrays(head, shared)  # the arrays keep the mapping

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the worker was quicker
        self._sock.close()


class PipeWire:
    """Two pipes, where processes share no memory without a name."""

    def __init__(self, to: IO[bytes], back: IO[bytes]) -> None:
        self._to, self._back = to, back

    def send(self, head: dict[str, Any], layout: Layout) -> None:
        self._to.write(_inline(head, layout))
        self._to.flush()

    def _take(self, n: int) -> bytearray:
        out = bytearray()
        while len(out) < n:
            data = self._back.read(n - len(out))
            if not data:
                raise Ended
            out += data
        return out

    def receive(self) -> tuple[dict[str, Any], dict[str, Array]]:
        size, _, body = _START.unpack(self._take(_START.size))
        head = json.loads(self._take(size))
        return head, _arrays(head, self._take(body))

    def close(self) -> None:
        for end in (self._to, self._back):
            try:
                end.close()
            except OSError:
                pass


