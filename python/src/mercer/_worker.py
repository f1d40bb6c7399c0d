"""The worker: the program as a process of one's own, started on first use and ended with Python."""

from __future__ import annotations

import atexit
import itertools
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from typing import Any, Mapping, Optional

from ._errors import MercerError, WorkerDied
from ._program import program
from ._progress import AFTER, Progress
from ._wire import SHARES, Array, Ended, Layout, PipeWire, SocketWire, Wire

PROTOCOL = 2

Answer = tuple[dict[str, Any], dict[str, Array]]
_READ = object()  # said to a call: nobody reads the socket, do it


class UnknownModel(Exception):
    """The worker does not have a model (any more): it wants its file."""


class Worker:
    """A process that answers; several threads may ask at once."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile()  # has no name: nothing is left of it
        self._sending = threading.Lock()
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[Any]] = {}
        self._next = itertools.count(1)
        self._died: Optional[str] = None
        self._mourned = threading.Event()  # _died says how
        self.unused: deque[int] = deque()  # models that no Python object has any more
        self._reading: dict[str, int] = {}  # "thread": the one that reads for all
        self._process, self._wire = self._start()
        self.pid = self._process.pid
        if isinstance(self._wire, PipeWire):
            threading.Thread(target=self._read, args=(self._wire,), name="mercer-worker", daemon=True).start()

    def _start(self) -> tuple[subprocess.Popen[bytes], Wire]:
        command = [program(), "worker"]
        environment = dict(os.environ)
        if "GOMAXPROCS" not in environment and environment.get("OMP_NUM_THREADS", "").isdigit():
            environment["GOMAXPROCS"] = environment["OMP_NUM_THREADS"]  # by which joblib shares out the cores
        if SHARES:
            ours, theirs = socket.socketpair()
            with theirs:
                process = subprocess.Popen(
                    command, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=self._said, env=environment, start_new_session=True
                )
            return process, SocketWire(ours)
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C is for Python, which says what is to stop
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, env=environment,
            start_new_session=sys.platform != "win32", creationflags=flags,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        return process, PipeWire(process.stdin, process.stdout)

    def _read(self, pipes: PipeWire) -> None:
        """Hands out what comes back over pipes, which Ctrl-C must not come between: a thread of its own does it."""
        self._reading["thread"] = threading.get_ident()
        try:
            while True:
                self._hand_out(*pipes.receive())
        except (Ended, OSError, ValueError):
            self._mourn()

    def _hand_out(self, head: dict[str, Any], arrays: dict[str, Array]) -> None:
        with self._lock:
            waiting = self._waiting.get(head["id"])
        if waiting is not None:
            waiting.put((head, arrays))

    def _hear(self, waiting: queue.SimpleQueue[Any], seconds: Optional[float]) -> Any:
        """What is said next to a call. Of the calls that wait one reads the socket, for all; the others are told when it stops."""
        me = threading.get_ident()
        wire = self._wire
        while True:
            if not isinstance(wire, SocketWire) or self._reading.setdefault("thread", me) != me:
                got = waiting.get(timeout=seconds)
                if got is not _READ:
                    return got
                continue
            try:
                while waiting.empty():
                    message = wire.message()
                    if message is not None:
                        head, arrays, rest = message
                        self._hand_out(head, arrays)
                        wire.leave(rest)
                    elif not wire.listen(seconds):
                        raise queue.Empty
            except (Ended, OSError, ValueError):
                self._mourn()
            got = waiting.get()
            if got is not _READ:
                return got

    def _stop_reading(self) -> None:
        """Another call reads from now on, if one waits and nobody does."""
        if self._reading.get("thread") == threading.get_ident():
            del self._reading["thread"]
        with self._lock:
            if self._waiting and not self._reading:
                next(iter(self._waiting.values())).put(_READ)

    @property
    def reads_here(self) -> bool:
        """Whether a call of this thread is under way: what a signal starts meanwhile needs another worker."""
        return self._reading.get("thread") == threading.get_ident()

    def _mourn(self) -> None:
        if self._mourned.is_set():
            return
        code = self._process.wait()
        how = f"exit code {code}"
        if code < 0:
            how = f"signal {-code}, {signal.strsignal(-code)}" + (": perhaps memory ran out" if code == -9 else "")
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - 4000))
        words = self._said.read().decode(errors="replace").strip()
        with self._lock:
            self._died = f"the mercer worker (process {self._process.pid}) has ended: {how}; the next call starts another"
            if words:
                self._died += "\n" + words
            waiting, self._waiting = self._waiting, {}
        self._mourned.set()
        for q in waiting.values():
            q.put(None)

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._died is None and self._process.poll() is None

    def call(self, op: str, args: Mapping[str, Any], arrays: Mapping[str, Array], what: str) -> Answer:
        """Asks, and waits for the answer."""
        progress = Progress(what)
        number = next(self._next)
        waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        layout = Layout(arrays)
        head = {"id": number, "op": op, "args": args, "arrays": layout.heads, "steps": progress.wanted}
        if self.unused:
            head["forget"] = [self.unused.popleft() for _ in range(len(self.unused))]
        with self._lock:
            if self._died is not None:
                raise WorkerDied(self._died)
            self._waiting[number] = waiting
        try:
            self._send(head, layout)
            return self._answer(waiting, progress)
        except BaseException as stopped:
            if not isinstance(stopped, Exception) and self.alive:
                self._send({"id": number, "op": "cancel"}, Layout({}))
            raise
        finally:
            with self._lock:
                self._waiting.pop(number, None)
            self._stop_reading()
            progress.done()

    def _send(self, head: dict[str, Any], layout: Layout) -> None:
        with self._sending:
            try:
                self._wire.send(head, layout)
            except OSError as fault:
                # A broken connection is a worker that ends, even where the system does not say so yet.
                if layout.size and not isinstance(fault, ConnectionError) and self._process.poll() is None:  # no memory to share
                    raise MercerError(f"{layout.size} bytes could not be sent to the worker: {fault}") from fault
                if isinstance(self._wire, PipeWire):
                    self._mourned.wait(60)  # the thread that reads finds out how
                else:
                    self._mourn()
                raise WorkerDied(self._died or f"the mercer worker (process {self._process.pid}) has ended; the next call starts another") from fault
            except BaseException:
                self._process.kill()  # half a message is on its way: there is no going on with this worker
                raise

    def _answer(self, waiting: queue.SimpleQueue[Any], progress: Progress) -> Answer:
        pause = AFTER if progress.wanted or sys.platform == "win32" else None  # locks of Windows do not hear Ctrl-C
        while True:
            try:
                got = self._hear(waiting, pause)
            except queue.Empty:
                pause = 0.2
                progress.show()
                continue
            if got is None:
                raise WorkerDied(self._died)
            head, arrays = got
            if head.get("step"):
                progress.step(head["step"])
                progress.show()
                continue
            error = head.get("error")
            if error is None:
                return head.get("result") or {}, arrays
            if error["kind"] == "unknown-model":
                raise UnknownModel
            if error["kind"] == "input":
                raise ValueError(error["message"])
            raise MercerError(error["message"])

    def close(self) -> None:
        """Ends the process."""
        self._wire.close()

    def abandon(self) -> None:
        """Forgets a worker that belongs to the process that this one was forked from."""
        self._died = "it belongs to another process"
        if isinstance(self._wire, SocketWire):
            self._wire.abandon()


_current: Optional[Worker] = None
_spare: Optional[Worker] = None
_starting = threading.Lock()


def worker() -> Worker:
    """The worker of this process; a new one where there is none, or the last one died."""
    global _current, _spare
    with _starting:
        if _current is not None and _current.reads_here:
            _spare = _living(_spare)
            return _spare
        _current = _living(_current)
        return _current


def _living(one: Optional[Worker]) -> Worker:
    if one is not None:
        if one.alive:
            return one
        one.close()
    fresh = Worker()
    result, _ = fresh.call("hello", {}, {}, "starting mercer")
    if result.get("protocol") != PROTOCOL:
        fresh.close()
        raise MercerError(
            f"{program()} is version {result.get('version')}, which this package does not speak with; "
            "install both from one release, and see that MERCER_PROGRAM names no other"
        )
    return fresh


def call(op: str, args: Mapping[str, Any], arrays: Mapping[str, Array], what: str = "working") -> Answer:
    """Asks the worker of this process."""
    return worker().call(op, args, arrays, what)


def _forked() -> None:
    global _current, _spare, _starting
    for one in (_current, _spare):
        if one is not None:
            one.abandon()
    _current, _spare, _starting = None, None, threading.Lock()


def _end() -> None:
    for one in (_current, _spare):
        if one is not None and one.alive:
            one.close()
            try:
                one._process.wait(1)  # it ends with its input
            except subprocess.TimeoutExpired:
                pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
atexit.register(_end)
