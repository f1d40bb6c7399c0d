"""The Python side of a benchmark suite: loads inputs, times one call when asked.

A suite is a module beside this one. Each of its functions takes the inputs and
arguments of a case by name and returns (peer, run): the peer's name with its
version, and a function without arguments that does the work and returns its
result (an array, a number, or a dictionary of them). A function with an
attribute `times` does one part of so many equal ones; its time is multiplied.
"""
import importlib.util
import json
import os
import sys
import time

suite, folder = sys.argv[1], sys.argv[2]
replies = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print must not mix with the replies


def reply(**fields):
    replies.write(json.dumps(fields) + "\n")
    replies.flush()


def peak_of(run):
    """The most resident memory of one run above what was held before, in MB: what the system calls the process's peak, set back first."""
    import ctypes
    import gc

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")

    def kilobytes(name):
        with open("/proc/self/status") as f:
            return next(float(line.split()[1]) for line in f if line.startswith(name + ":"))

    held = kilobytes("VmRSS")
    run()
    return max(kilobytes("VmHWM") - held, 0) / 1024


run = result = None
for line in sys.stdin:
    request = json.loads(line)
    try:
        if request["op"] == "load":
            import numpy as np

            run = result = None
            # by its file: a suite may have the name of a standard module
            spec = importlib.util.spec_from_file_location("peer_" + suite, os.path.join(os.path.dirname(__file__), suite + ".py"))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            inputs = {k: np.load(v) for k, v in request["inputs"].items()}
            peer, run = getattr(module, request["function"])(**inputs, **(request["args"] or {}))
            reply(peer=peer)
        elif request["op"] == "time":
            start, cpu = time.perf_counter(), time.process_time()
            result = run()
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            # a result that was timed elsewhere (inside R, or the better of two ways) says so itself
            reply(seconds=getattr(result, "seconds", seconds) * getattr(run, "times", 1), cpu=getattr(result, "cpu", cpu))
        elif request["op"] == "memory":
            reply(mb=peak_of(run))
        elif request["op"] == "result":
            arrays = result if isinstance(result, dict) else {"result": result}
            files = {}
            for name, a in arrays.items():
                files[name] = os.path.join(folder, "result-" + name + ".npy")
                np.save(files[name], np.ascontiguousarray(a, dtype=np.float64))
            reply(result=files)
    except Exception as e:  # a missing or failing peer is said, not fatal
        reply(missing=f"{type(e).__name__}: {e}")
