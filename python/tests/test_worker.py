"""The worker: one for each process, ended with it, and never in the way."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, cross_val_predict

import mercer
from mercer import _wire, _worker

X, y = load_iris(return_X_y=True)
LINUX = sys.platform == "linux"


def running(pid):
    """Whether a process is there and is no zombie."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def wait_gone(pid):
    """Waits for a process to end; the time limit of the tests tells a hang."""
    while running(pid):
        time.sleep(0.01)


def in_python(program, *args):
    """Runs a program in a Python of its own and returns what it printed."""
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_worker_serves_all_calls():
    mercer.SVC().fit(X, y)
    first = _worker.worker().pid
    mercer.SVC().fit(X, y)
    assert _worker.worker().pid == first


def test_the_worker_ends_with_python():
    pid = int(in_python("import mercer._worker as w; print(w.worker().pid)"))
    wait_gone(pid)


def test_the_worker_ends_when_python_is_killed_and_leaves_nothing(tmp_path):
    program = """if True:
        import os, sys, numpy as np, mercer, mercer._worker as w
        print(w.worker().pid, flush=True)
        rng = np.random.default_rng(0)
        mercer.SVC(C=1e9, tol=1e-9).fit(rng.normal(size=(20000, 20)), rng.integers(0, 2, 20000))
    """
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    before = set(os.listdir("/dev/shm")) if LINUX else set()
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as python:
        pid = int(python.stdout.readline())
        python.send_signal(signal.SIGKILL)
    wait_gone(pid)
    assert os.listdir(tmp_path) == []
    if LINUX:
        assert set(os.listdir("/dev/shm")) <= before


def test_a_worker_that_is_killed_is_said_and_replaced():
    m = mercer.SVC().fit(X, y)
    expected = m.decision_function(X)
    pid = _worker.worker().pid
    fault = []

    def long_fit():
        rng = np.random.default_rng(0)
        try:
            mercer.SVC(C=1e9, tol=1e-9).fit(rng.normal(size=(20000, 20)), rng.integers(0, 2, 20000))
        except mercer.WorkerDied as died:
            fault.append(str(died))

    thread = threading.Thread(target=long_fit)
    thread.start()
    while not _worker.worker()._waiting:  # it is under way
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    thread.join()
    assert "signal 9" in fault[0] and "next call starts another" in fault[0]
    np.testing.assert_array_equal(m.decision_function(X), expected)  # the file is sent again
    assert _worker.worker().pid != pid


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_broken_connection_is_a_death(monkeypatch):
    w = _worker.worker()

    def send(head, layout):
        os.kill(w.pid, signal.SIGKILL)
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(w._wire, "send", send)
    monkeypatch.setattr(w._process, "poll", lambda: None)  # the system has not said so yet
    with pytest.raises(mercer.WorkerDied, match="signal 9"):
        w.call("hello", {}, {"x": np.zeros(3)}, "asking")


def test_a_fork_has_a_worker_of_its_own():
    m = mercer.SVC().fit(X, y)
    expected, ours = m.decision_function(X), _worker.worker().pid
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(m.decision_function(X), expected)
            os.write(write, f"{same} {_worker.worker().pid != ours}".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"True True"
    np.testing.assert_array_equal(m.decision_function(X), expected)
    assert _worker.worker().pid == ours


def test_a_fork_that_does_nothing_does_not_keep_the_worker_alive():
    program = """if True:
        import os, time, mercer._worker as w
        pid = w.worker().pid
        if os.fork() == 0:
            time.sleep(600)
        else:
            print(pid, flush=True)
            os._exit(0)
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True) as python:
        wait_gone(int(python.stdout.readline()))
        os.killpg(python.pid, signal.SIGKILL)  # the child that sleeps


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib(backend):
    with joblib.parallel_backend(backend):
        alone = cross_val_predict(mercer.SVC(), X, y, n_jobs=1)
        np.testing.assert_array_equal(cross_val_predict(mercer.SVC(), X, y, n_jobs=2), alone)
        search = GridSearchCV(mercer.SVC(), {"C": [1, 10], "gamma": [0.01, 0.1]}, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.95


def test_threads_fit_at_once():
    def one(seed):
        A, b = make_classification(150, 6, random_state=seed)
        return mercer.SVC().fit(A, b).decision_function(A)

    alone = [one(s) for s in range(24)]
    with ThreadPoolExecutor(8) as pool:
        for a, b in zip(alone, pool.map(one, range(24))):
            np.testing.assert_array_equal(a, b)


def test_requests_share_one_room(rng):
    """Arrays of one request lie where those of the last one lay, but never before that is answered."""
    m = mercer.SVC().fit(X, y)
    sets = [rng.normal(2, 2, size=(n, 4)) for n in (3000, 5000, 4000, 300_000, 3500)]  # the fourth is too large for it
    sets.append(np.asfortranarray(sets[0][::-1]))
    alone = [np.concatenate([m.decision_function(part) for part in np.array_split(A, len(A) // 100)]) for A in sets]  # within messages
    for _ in range(2):
        for A, expected in zip(sets, alone):
            np.testing.assert_array_equal(m.decision_function(A), expected)
    with ThreadPoolExecutor(6) as pool:
        for k, said in enumerate(pool.map(lambda k: m.decision_function(sets[k % 6]), range(60))):
            np.testing.assert_array_equal(said, alone[k % 6])


def test_a_room_is_free_when_a_stopped_request_is_answered(rng):
    home = _worker.worker()
    A, b = rng.normal(size=(8000, 20)), rng.integers(0, 2, 8000)
    interrupted(lambda: mercer.SVC(C=1e9, tol=1e-9).fit(A, b))
    m = mercer.SVC().fit(X, y)
    B = rng.normal(2, 2, size=(4000, 4))
    expected = np.concatenate([m.decision_function(part) for part in np.array_split(B, 40)])
    for _ in range(3):
        np.testing.assert_array_equal(m.decision_function(B), expected)
    if isinstance(home._wire, _wire.SocketWire):
        for _ in range(1000):  # the stopped one is answered when its step is done, and read by who calls next
            if home._wire._room_of is None:
                break
            time.sleep(0.02)
            m.predict(X)
        assert home._wire._room_of is None


def interrupted(work):
    """Raises KeyboardInterrupt in this thread once a request is under way."""
    home = _worker.worker()

    def strike():
        while not home._waiting:
            time.sleep(0.001)
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=strike)
    # A shell that starts the tests in the background has Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_a_fit_and_the_session_goes_on(rng):
    pid = _worker.worker().pid
    A, b = rng.normal(size=(8000, 20)), rng.integers(0, 2, 8000)
    unfinished = mercer.SVC(C=1e9, tol=1e-9)
    interrupted(lambda: unfinished.fit(A, b))
    assert not hasattr(unfinished, "support_")
    m = mercer.SVC().fit(X, y)
    assert m.score(X, y) > 0.9 and _worker.worker().pid == pid
    # what was stopped does not go on in the worker: it soon has nothing to do
    used = cpu(pid)
    while True:
        time.sleep(0.25)
        now = cpu(pid)
        if now - used < 0.1:
            break
        used = now


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGUSR1")
def test_a_stop_at_any_moment_loses_nothing():
    """The thread that asks reads the socket itself: what comes between two of its steps may cost its answer, never one of another call."""
    program = """if True:
        import os, signal, threading, time, numpy as np, mercer
        from sklearn.datasets import load_iris
        X, y = load_iris(return_X_y=True)
        m = mercer.SVC().fit(X, y)
        expected, over, said, armed = m.decision_function(X), threading.Event(), [], False

        def stop(*_):
            global armed
            if armed:
                armed = False
                raise KeyboardInterrupt

        def strike():
            for gap in np.random.default_rng(0).uniform(0, 2e-3, 400):
                time.sleep(gap)
                os.kill(os.getpid(), signal.SIGUSR1)
            over.set()

        def ask():
            try:
                said.append(np.array_equal(m.decision_function(X), expected))
            except mercer.WorkerDied:  # a request was cut in two
                pass

        def beside():
            while not over.is_set():
                ask()

        signal.signal(signal.SIGUSR1, stop)
        threads = [threading.Thread(target=f) for f in (beside, beside, strike)]
        for t in threads:
            t.start()
        stops = 0
        while not over.is_set():
            try:
                armed = True
                ask()
                armed = False
            except KeyboardInterrupt:
                stops += 1
        for t in threads:
            t.join()
        assert stops > 20, stops
        assert all(said) and np.array_equal(m.decision_function(X), expected)
        print("fine")
    """
    assert in_python(program) == "fine\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no SIGALRM")
def test_a_signal_may_ask_while_its_thread_waits():
    m = mercer.SVC().fit(X, y)
    expected, said = m.decision_function(X), []
    A, b = make_classification(3000, 20, random_state=0)
    alone = mercer.SVC(C=100).fit(A, b).dual_coef_
    before = signal.signal(signal.SIGALRM, lambda *_: said.append(m.decision_function(X)))
    try:
        while len(said) < 3:
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            np.testing.assert_array_equal(mercer.SVC(C=100).fit(A, b).dual_coef_, alone)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for s in said:
        np.testing.assert_array_equal(s, expected)


def cpu(pid):
    """Seconds of the processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_copies_say_the_same(again):
    m = mercer.SVC(probability=True).fit(X, y)
    other = again(m)
    np.testing.assert_array_equal(other.predict_proba(X), m.predict_proba(X))
    np.testing.assert_array_equal(other.dual_coef_, m.dual_coef_)
    del m
    gc.collect()
    assert other.score(X, y) > 0.9


def test_joblib_files(tmp_path):
    m = mercer.SVC().fit(X, y)
    joblib.dump(m, tmp_path / "m.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "m.joblib").decision_function(X), m.decision_function(X))


def test_a_pickle_works_in_another_process(tmp_path):
    m = mercer.SVC().fit(X, y)
    (tmp_path / "m").write_bytes(pickle.dumps((m, X, m.decision_function(X))))
    program = "import pickle, sys; m, X, d = pickle.load(open(sys.argv[1], 'rb')); print((m.decision_function(X) == d).all())"
    assert in_python(program, str(tmp_path / "m")) == "True\n"


def test_models_that_python_forgot_are_forgotten():
    rows, labels = X[:60], y[:60] > 0
    home = _worker.worker()
    for _ in range(20):
        mercer.SVC().fit(rows, labels)
    gc.collect()
    assert len(home.unused) <= 2  # told with each request
    kept = [mercer.SVC().fit(rows, labels) for _ in range(300)]  # more than the worker keeps
    np.testing.assert_array_equal(kept[0].decision_function(rows), kept[-1].decision_function(rows))


def memory(pid):
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_memory_is_flat_over_many_fits():
    count = int(os.environ.get("MERCER_FITS", "1500"))  # 10000 for all that is promised
    rows, labels = X[:60], y[:60] > 0
    home = _worker.worker()
    for _ in range(count // 3):
        mercer.SVC().fit(rows, labels).predict(rows)
    gc.collect()
    ours, theirs, files = memory(os.getpid()), memory(home.pid), len(os.listdir("/proc/self/fd"))
    for _ in range(count):
        mercer.SVC().fit(rows, labels).predict(rows)
    gc.collect()
    assert memory(os.getpid()) - ours < 5e6
    # Its collector takes memory back when it likes: after some thousand fits it is where it stays.
    assert memory(home.pid) - theirs < (20e6 if count >= 10_000 else 60e6)
    assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.skipif(not _wire.SHARES, reason="no shared memory here")
def test_large_arrays_leave_no_descriptors(rng):
    A, b = rng.normal(size=(4000, 30)), rng.integers(0, 2, 4000)
    m = mercer.LinearSVC(max_iter=3).fit(A, b)
    home = _worker.worker()
    m.decision_function(np.vstack([A] * 5))
    here, there = len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{home.pid}/fd"))
    for _ in range(30):
        m.decision_function(np.vstack([A] * 5))
    assert len(os.listdir("/proc/self/fd")) == here
    assert len(os.listdir(f"/proc/{home.pid}/fd")) <= there + 2  # one may be on its way to be closed


def test_pipes_do_what_the_socket_does(monkeypatch):
    expected = mercer.SVC().fit(X, y).decision_function(X)
    monkeypatch.setattr(_worker, "SHARES", False)
    monkeypatch.setattr(_worker, "_current", None)
    np.testing.assert_array_equal(mercer.SVC().fit(X, y).decision_function(X), expected)
    big = np.vstack([X] * 200)
    np.testing.assert_array_equal(mercer.SVC().fit(X, y).decision_function(big)[: len(X)], expected)
    _worker._current.close()


def test_a_program_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("MERCER_PROGRAM", "/nowhere/mercer")
    monkeypatch.setattr(_worker, "_current", None)
    with pytest.raises(FileNotFoundError, match="MERCER_PROGRAM is /nowhere/mercer"):
        mercer.SVC().fit(X, y)
