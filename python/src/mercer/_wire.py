"""Messages to the worker and back; `cmd/mercer/internal/worker/doc.go` says what they are."""

from __future__ import annotations

import array
import json
import mmap
import os
import select
import socket
import struct
import sys
from typing import IO, Any, Mapping, Optional, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_START = struct.Struct("<IIQ")
_SHARED = 1
_IN_ROOM = 2
_ROOM = 8 << 20  # bytes of shared memory that requests use one after the other, each page of it since it was first used
_INLINE = 1 << 16  # bytes of arrays that go through the socket; more are shared
_RIGHTS = 1 << 8  # bytes of descriptors that may come at once
_TYPES: dict[str, np.dtype[Any]] = {"f8": np.dtype("<f8"), "i8": np.dtype("<i8"), "i4": np.dtype("<i4"), "u1": np.dtype("u1")}
_NAMES = {v: k for k, v in _TYPES.items()}

SHARES = sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(socket, "send_fds")


class Layout:
    """Where the arrays of a message lie in its body."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.heads: dict[str, dict[str, Any]] = {}
        self.parts: list[tuple[int, np.dtype[Any], Array]] = []
        self.size = 0
        for name, a in arrays.items():
            dtype = a.dtype.newbyteorder("<") if a.dtype.byteorder == ">" else a.dtype
            if dtype not in _NAMES:
                dtype = _TYPES["f8"]  # float32 and whole numbers become float64 while they are copied
            self.heads[name] = {"type": _NAMES[dtype], "shape": a.shape, "at": self.size}
            if a.size:
                self.parts.append((self.size, dtype, a))
                self.size += (a.size * dtype.itemsize + 63) // 64 * 64

    def inline(self) -> list[Any]:
        """The body in pieces that follow each other."""
        out: list[Any] = []
        for _, dtype, a in self.parts:
            out.append(np.ascontiguousarray(a, dtype).data.cast("B"))
            out.append(bytes(-len(out[-1]) % 64))
        return out

    def shared(self) -> int:
        """A descriptor of memory without a name that holds the arrays, each copied once whatever order or type it comes in."""
        fd = _memory(self.size)
        try:
            self.into(fd)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def into(self, fd: int) -> None:
        """Copies the arrays to their places in shared memory."""
        for at, dtype, a in self.parts:
            if a.flags.c_contiguous and a.dtype == dtype:
                _write_at(fd, a.data.cast("B"), at)
                continue
            first = at // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
            with mmap.mmap(fd, at - first + a.size * dtype.itemsize, offset=first) as body:
                to = np.frombuffer(body, dtype, a.size, at - first).reshape(a.shape)
                np.copyto(to, a, casting="unsafe")
                del to  # the mapping closes only when nobody looks at it


def _memory(size: int) -> int:
    fd = os.memfd_create("mercer", os.MFD_CLOEXEC)
    try:
        os.ftruncate(fd, size)
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
    def close(self) -> None: ...


_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # made once: that takes as long as its work


def _frame(head: dict[str, Any], size: int, flags: int) -> bytes:
    text = _text(head).encode()
    return _START.pack(len(text), flags, size) + text


def _arrays(head: dict[str, Any], body: Any) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name, h in (head.get("arrays") or {}).items():
        n = 1
        for d in h["shape"]:
            n *= d
        dtype = _TYPES[h["type"]]
        out[name] = (np.frombuffer(body, dtype, n, h["at"]) if n else np.empty(0, dtype)).reshape(h["shape"])
    return out


class _Heard:
    """What came in and was not taken yet: bytes with the descriptors among them, and then answers of the system as they were."""

    __slots__ = ("bytes", "files", "more")

    def __init__(self, data: bytes, files: tuple[int, ...]) -> None:
        self.bytes, self.files = data, files
        self.more: list[Any] = []

    def length(self) -> int:
        return len(self.bytes) + sum(len(m[0]) for m in self.more)

    def joined(self) -> _Heard:
        fds = array.array("i")
        for _, rights, _, _ in self.more:
            for _, kind, data in rights:
                if kind == socket.SCM_RIGHTS:
                    fds.frombytes(data[: len(data) // fds.itemsize * fds.itemsize])
        return _Heard(b"".join((self.bytes, *(m[0] for m in self.more))), (*self.files, *fds))


class SocketWire:
    """A socket that carries descriptors of shared memory beside the bytes.

    Ctrl-C may come between any two steps of Python, and must neither lose bytes nor take them twice: what comes in is put
    away by one call of C (``extend``), and a message is taken out by one assignment.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._heard = _Heard(b"", ())
        self._missing = 0
        self._room: Optional[int] = None  # its descriptor
        self._room_of: Optional[int] = None  # the request whose arrays it holds
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)

    def send(self, head: dict[str, Any], layout: Layout) -> None:
        if _INLINE < layout.size <= _ROOM and self._room_of is None:
            self._room_of = head["id"]  # until it is answered
            try:
                if self._room is None:
                    self._room = _memory(_ROOM)
                layout.into(self._room)
            except OSError:
                self._room_of = -1  # a limit on files is one on such memory, too: there is no room
            else:
                self._frame_and(self._room, _frame(head, layout.size, _SHARED | _IN_ROOM))
                return
        if layout.size > _INLINE:
            try:
                fd = layout.shared()
            except OSError:  # then the socket takes everything
                pass
            else:
                try:
                    self._frame_and(fd, _frame(head, layout.size, _SHARED))
                finally:
                    os.close(fd)
                return
        self._all([_frame(head, layout.size, 0), *layout.inline()], [])

    def _frame_and(self, fd: int, frame: bytes) -> None:
        self._all([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])

    def _all(self, pieces: list[Any], rights: list[Any]) -> None:
        sent = self._sock.sendmsg(pieces, rights)
        for piece in pieces:
            if sent < len(piece):
                self._sock.sendall(memoryview(piece)[sent:])
            sent = max(0, sent - len(piece))

    def listen(self, seconds: Optional[float]) -> bool:
        """Waits for bytes, so many seconds at most, and puts them away. False where none came."""
        if seconds is not None and not self._poll.poll(seconds * 1e3):
            return False
        more = self._heard.more
        more.extend(map(self._sock.recvmsg, (max(_INLINE, self._missing),), (_RIGHTS,)))
        if not more[-1][0]:
            raise Ended
        return True

    def message(self) -> Optional[tuple[dict[str, Any], dict[str, Array], _Heard]]:
        """A message and what is left without it, until which is told to ``leave`` it comes again. None where there is no whole one yet."""
        heard, need = self._heard, _START.size
        self._missing = need - heard.length()
        if self._missing > 0:
            return None
        if heard.more:
            self._heard = heard = heard.joined()
        size, flags, body = _START.unpack_from(heard.bytes)
        at, shared = need + size, bool(flags & _SHARED)
        need = at if shared else at + body
        self._missing = need - len(heard.bytes)
        if self._missing > 0:
            return None
        head = json.loads(heard.bytes[_START.size : at].decode())
        if head["id"] == self._room_of and "step" not in head:
            self._room_of = None
        if not shared:
            return head, _arrays(head, bytearray(memoryview(heard.bytes)[at:need])), _Heard(heard.bytes[need:], heard.files)
        return head, _arrays(head, mmap.mmap(heard.files[0], body)), _Heard(heard.bytes[need:], heard.files[1:])  # the arrays keep the mapping

    def leave(self, rest: _Heard) -> None:
        """Takes the message away that came last."""
        before, self._heard = self._heard, rest
        for fd in before.files[: len(before.files) - len(rest.files)]:
            os.close(fd)

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the worker was quicker
        self.abandon()

    def abandon(self) -> None:
        """Closes this end alone, and without a shutdown: a process that this one was forked from has it still."""
        self._sock.close()
        room, self._room = self._room, None
        if room is not None:
            os.close(room)


class PipeWire:
    """Two pipes, where processes share no memory without a name."""

    def __init__(self, to: IO[bytes], back: IO[bytes]) -> None:
        self._to, self._back = to, back

    def send(self, head: dict[str, Any], layout: Layout) -> None:
        self._to.writelines([_frame(head, layout.size, 0), *layout.inline()])
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


