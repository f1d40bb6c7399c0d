"""bench/run python: the Python package beside scikit-learn and Intel's scikit-learn-intelex, all called from Python.

What is timed is what a person waits for: rows checked, sent to the worker, answered. Sides take turns, and the best of their runs counts.
"""
import argparse
import json
import math
import os
import signal
import statistics
import sys
import threading
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
SETTLE = 0.15  # seconds: threads of BLAS and OpenMP spin for some time after a call

# rows, columns, classes
SHAPES = [
    (100, 5, 2), (100, 50, 3), (500, 20, 2), (1000, 5, 2), (1000, 100, 10), (1000, 500, 2), (3000, 16, 26), (5000, 20, 2), (10000, 10, 2), (10000, 50, 5),
]  # fmt: skip
# the bars of the package
FROM, SMALL_MS, MEAN_SKLEARN, MEAN_INTELEX = 500, 2.0, 5.0, 2.0
WORST = 6  # rows that are named beside each mean


def classes(n, d, k, seed=0):
    """Rows around centres, a few for each class, that overlap."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(3 * k, d))
    at = rng.integers(0, 3 * k, n)
    spread = 0.6 if d > 20 else 0.4
    return centres[at] + spread * rng.normal(size=(n, d)), at % k


def texts(n, words, length=60, seed=0):
    """Sparse rows as TF-IDF makes them: words of Zipf's law, whose shares depend on the class."""
    import scipy.sparse

    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    rank = 1.0 / np.arange(1, words + 1)
    shares = [rank * rng.uniform(0.5, 1.5, words) for _ in range(2)]
    rows = [rng.choice(words, length, p=shares[c] / shares[c].sum()) for c in y]
    X = scipy.sparse.csr_matrix((np.ones(n * length), np.concatenate(rows), np.arange(0, n * length + 1, length)), shape=(n, words))
    X.sum_duplicates()
    X = X.multiply(np.log(n / (1 + np.bincount(X.indices, minlength=words)))).tocsr()
    return X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))).tocsr(), y


def sides(kind):
    """Who fits: a name and a constructor each."""
    import mercer
    import sklearn
    import sklearn.svm

    out = {"mercer": getattr(mercer, kind), f"scikit-learn {sklearn.__version__}": getattr(sklearn.svm, kind)}
    try:
        import importlib.metadata

        import sklearnex.svm

        out[f"intelex {importlib.metadata.version('scikit-learn-intelex')}"] = getattr(sklearnex.svm, kind, None)
    except ImportError as why:
        print(f"intelex is missing: {why}", file=sys.stderr)
    return {name: make for name, make in out.items() if make is not None}


def timed(run):
    """Seconds of one run, and what it gave."""
    time.sleep(SETTLE)
    start = time.perf_counter()
    got = run()
    return time.perf_counter() - start, got


def best(runs, repeats):
    """The best time of each side; they take turns. And what each gave last."""
    times, got, rounds = {name: [] for name in runs}, {}, 0
    while rounds < repeats or not repeats and rounds < min(40, max(2, 10 / max(max(t) for t in times.values()) if rounds else 2)):
        for name, run in runs.items():
            s, got[name] = timed(run)
            times[name].append(s)
        rounds += 1
    return {name: min(t) for name, t in times.items()}, got


def measure(work, kind, params, X, y, new, repeats):
    """The two rows of one shape: fit and predict."""
    who = sides(kind)
    for name, make in who.items():  # a first call, which starts the worker and loads libraries
        make(**params).fit(X[:50], y[:50] if len(set(y[:50])) > 1 else np.arange(50) % 2)
    fitting, models = best({name: lambda make=make: make(**params).fit(X, y) for name, make in who.items()}, repeats)
    using, said = best({name: lambda m=m: m.predict(new) for name, m in models.items()}, repeats)
    ours = said.pop("mercer")
    wrong = {name: float(np.mean(s != ours)) for name, s in said.items()}
    for what, times in (("fit", fitting), ("predict", using)):
        mine = times.pop("mercer")
        yield {"work": f"{work}: {what}", "rows": X.shape[0], "columns": X.shape[1], "ours_s": mine, "theirs_s": times,
               "ratio": {name: t / mine for name, t in times.items()}, "differ": wrong}  # fmt: skip


def round_trip():
    """Seconds that a call costs over the computation: one that computes nothing, with the rows of a small fit."""
    from mercer import _worker

    rows = {"x": np.zeros((100, 20))}
    return statistics.median(timed_plainly(lambda: _worker.call("hello", {}, rows)) for _ in range(300))


def timed_plainly(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def stop():
    """Seconds from Ctrl-C until Python goes on, and processor seconds that the worker used afterwards."""
    import mercer
    from mercer import _worker

    X, y = classes(6000, 20, 2)
    home, struck = _worker.worker(), []

    def used():
        with open(f"/proc/{home.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def strike():
        time.sleep(0.5)
        struck.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    threading.Thread(target=strike).start()
    try:
        mercer.SVC(C=1e9, tol=1e-12).fit(X, np.random.default_rng(0).permutation(y))
    except KeyboardInterrupt:
        pass
    waited, before = time.perf_counter() - struck[0], used()
    time.sleep(1)
    return waited, used() - before


def worst(rows, peer):
    """How many times as long a peer takes, and the work, of each row that it has."""
    for row in rows:
        for name, ratio in row["ratio"].items():
            if name.startswith(peer + " "):
                yield ratio, row["work"]


def verdict(rows):
    """Prints the means and the worst rows, and says which bars do not hold."""
    missed = []
    means = {}
    for row in rows:
        for name, ratio in row["ratio"].items():
            means.setdefault(name.split()[0], []).append(ratio)
            if not name.startswith("scikit-learn"):
                continue
            slower = (row["ours_s"] - row["theirs_s"][name]) * 1e3
            if row["rows"] >= FROM and ratio < 1 or row["rows"] < FROM and slower > SMALL_MS:
                missed.append(f"{row['work']} is {slower:.2f} ms slower than {name}")
        for name, share in row["differ"].items():
            if share > 0.01:
                missed.append(f"{row['work']}: {share:.1%} of the labels are not those of {name}")
    for name, bar in (("scikit-learn", MEAN_SKLEARN), ("intelex", MEAN_INTELEX)):
        if name in means:
            mean = math.exp(statistics.fmean(map(math.log, means[name])))
            print(f"geometric mean {mean:.2f} × {name} (bar {bar:g}); its worst rows:")
            for ratio, row in sorted(worst(rows, name))[:WORST]:
                print(f"  {ratio:5.2f} ×  {row}")
            if mean < bar:
                missed.append(f"the mean beside {name} is {mean:.2f}, bar {bar:g}")
    return missed


def main():
    """Prints the table; 1 where a bar does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = []

    def tell(row):
        rows.append(row)
        if asked.json:
            print(json.dumps(row), flush=True)
            return
        beside = "  ".join(f"{name} {t * 1e3:9.2f} ms {row['ratio'][name]:6.2f} ×" for name, t in row["theirs_s"].items())
        print(f"{row['work']:42} {row['ours_s'] * 1e3:9.2f} ms  {beside}", flush=True)

    for n, d, k in SHAPES:
        work = f"SVC, {n:,} × {d}, {k} classes"
        if asked.only in work:
            X, y = classes(n + min(n, 2000), d, k)
            for row in measure(work, "SVC", {}, X[:n], y[:n], X[n:], asked.repeats):
                tell(row)
    for work, kind, params in (("sparse text, LinearSVC, 4,000 × 20,000", "LinearSVC", {}), ("sparse text, SVC linear, 2,000 × 20,000", "SVC", {"kernel": "linear"})):
        if asked.only in work:
            n = 4000 if kind == "LinearSVC" else 2000
            X, y = texts(n + 1000, 20000)
            for row in measure(work, kind, params, X[:n], y[:n], X[n:], asked.repeats):
                tell(row)
    if not rows:
        sys.exit(f"no row has {asked.only!r} in its name")
    waited, went_on = stop()
    trip = round_trip()
    print(f"a call costs {trip * 1e3:.3f} ms over its computation (bar 1); Ctrl-C ends a fit after {waited * 1e3:.0f} ms, the worker then worked {went_on * 1e3:.0f} ms more (bar 100)")
    missed = verdict(rows)
    if trip > 1e-3:
        missed.append(f"a call costs {trip * 1e3:.2f} ms")
    if max(waited, went_on) > 0.1:
        missed.append("Ctrl-C takes more than 100 ms")
    for line in missed:
        print("BELOW THE BAR: " + line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
