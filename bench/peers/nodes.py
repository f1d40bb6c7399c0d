"""Label spreading of scikit-learn beside `mercer nodes`, in time and accuracy.

    python3 bench/peers/nodes.py MERCER FOLDER

writes three graphs into FOLDER (Zachary's club, two moons with ten neighbours each, a stochastic
block model of 100,000 nodes and a million edges), has the program MERCER learn each from some nodes,
and LabelSpreading's iteration learn the same ones, and prints a line for each. scikit-learn makes
its graph of points itself: for the moons it does; for a graph that is given its own update
F <- alpha*S*F + (1 - alpha)*Y (sklearn.semi_supervised.LabelSpreading._variant) runs on the
sparse S = D^-1/2 W D^-1/2 that it would make, with its default alpha, tolerance and iterations,
and with the best alpha of four by the same nodes held out.
"""

import csv
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

CLUB = "1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9,1 11,1 12,1 13,1 14,1 18,1 20,1 22,1 32,2 3,2 4,2 8,2 14,2 18,2 20,2 22,2 31,3 4,3 8,3 9,3 10,3 14,3 28,3 29,3 33,4 8,4 13,4 14,5 7,5 11,6 7,6 11,6 17,7 17,9 31,9 33,9 34,10 34,14 34,15 33,15 34,16 33,16 34,19 33,19 34,20 34,21 33,21 34,23 33,23 34,24 26,24 28,24 30,24 33,24 34,25 26,25 28,25 32,26 32,27 30,27 34,28 34,29 32,29 34,30 33,30 34,31 33,31 34,32 33,32 34,33 34"
HI = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}  # W. Zachary 1977


def club():
    edges = np.array([[int(v) - 1 for v in e.split()] for e in CLUB.split(",")])
    y = np.array([0 if i + 1 in HI else 1 for i in range(34)])
    known = np.array([1, 2, 5, 6, 13, 20, 34, 33, 30, 27, 24, 32]) - 1
    return edges, y, known


def moons(n=2000, neighbours=10):
    from sklearn.datasets import make_moons
    from sklearn.neighbors import kneighbors_graph

    x, y = make_moons(n, noise=0.15, random_state=3)
    w = kneighbors_graph(x, neighbours).tocoo()
    known = np.random.default_rng(1).choice(n, 40, replace=False)
    global POINTS
    POINTS = x
    return np.stack([w.row, w.col], 1), y, known


def scikit(y, known, neighbours=10):
    """LabelSpreading itself, on the points that the moons' graph was made of."""
    from sklearn.semi_supervised import LabelSpreading

    some = np.full(len(y), -1)
    some[known] = y[known]
    return LabelSpreading(kernel="knn", n_neighbors=neighbours).fit(POINTS, some).transduction_


def blocks(n=100_000, edges=1_000_000, groups=10, inside=0.45, known=5000):
    rng = np.random.default_rng(7)
    y = rng.integers(groups, size=n)
    order = np.argsort(y, kind="stable")
    start = np.searchsorted(y[order], np.arange(groups + 1))
    a = rng.integers(n, size=2 * edges)
    g = y[a]
    mate = order[start[g] + (rng.random(a.size) * (start[g + 1] - start[g])).astype(int)]
    b = np.where(rng.random(a.size) < inside, mate, rng.integers(n, size=a.size))
    e = np.stack([np.minimum(a, b), np.maximum(a, b)], 1)[a != b]
    e = np.unique(e, axis=0)
    e = e[rng.permutation(len(e))[:edges]]
    return e, y, rng.choice(n, known, replace=False)


def spreading(edges, n, y, known, alpha=0.2, max_iter=30, tol=1e-3):
    w = sparse.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    w = ((w + w.T) > 0).astype(float)
    d = np.asarray(w.sum(1)).ravel()
    root = sparse.diags(1 / np.sqrt(np.maximum(d, 1)))
    s = (root @ w @ root).tocsr()
    f0 = np.zeros((n, y.max() + 1))
    f0[known, y[known]] = 1
    f = f0.copy()
    for _ in range(max_iter):
        new = alpha * (s @ f) + (1 - alpha) * f0
        if np.abs(new - f).sum() < tol:
            break
        f = new
    return f.argmax(1)


def label_spreading(edges, y, known):
    """The peer of bench/nodes.go: the best alpha of five by a fifth of the known nodes held out, as scikit-learn's update."""
    edges, y, known = edges.astype(int), y.ravel().astype(int), known.ravel().astype(int)
    n = len(y)
    rest = np.setdiff1d(np.arange(n), known)

    def run():
        begin = time.process_time()
        plain = spreading(edges, n, y, known)
        plain_cpu = time.process_time() - begin
        begin = time.process_time()
        held, fitted = known[::5], np.setdiff1d(known, known[::5])
        best = max([0.2, 0.5, 0.8, 0.95, 0.99], key=lambda a: np.mean(spreading(edges, n, y, fitted, a, 200)[held] == y[held]))
        tuned = spreading(edges, n, y, known, best, 200)
        return {
            "accuracy": np.array([np.mean(tuned[rest] == y[rest])]),
            "plain": np.array([np.mean(plain[rest] == y[rest])]),
            "cpu": np.array([time.process_time() - begin]),
            "plain_cpu": np.array([plain_cpu]),
        }

    return "LabelSpreading's update in scipy.sparse, best alpha of five", run


def main(mercer, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'graph':8} {'nodes':>7} {'edges':>9} {'known':>6}   mercer: seconds accuracy   spreading: seconds accuracy   best alpha: seconds accuracy")
    for name, make in (("club", club), ("moons", moons), ("blocks", blocks)):
        edges, y, known = make()
        n = len(y)
        with open(folder / f"{name}.csv", "w") as f:
            f.write("source,target\n")
            np.savetxt(f, edges, fmt="%d", delimiter=",")
        with open(folder / f"{name}-known.csv", "w") as f:
            f.write("id,label\n" + "".join(f"{i},c{y[i]}\n" for i in known))
        out = folder / f"{name}-all.csv"
        begin = time.time()
        subprocess.run([mercer, "nodes", str(folder / f"{name}.csv"), str(folder / f"{name}-known.csv"), "-o", str(out), "--quiet", "--time", "10m"], check=True)
        took = time.time() - begin
        said = {int(r["id"]): r["prediction"] for r in csv.DictReader(open(out))}
        rest = np.setdiff1d(np.arange(n), known)
        ours = np.mean([said.get(int(i)) == f"c{y[i]}" for i in rest])
        begin = time.time()
        plain = scikit(y, known) if name == "moons" else spreading(edges, n, y, known)
        plain_took = time.time() - begin
        begin = time.time()
        held = known[::5]
        fitted = np.setdiff1d(known, held)
        alphas = [0.2, 0.8, 0.95, 0.99]
        best = max(alphas, key=lambda a: np.mean(spreading(edges, n, y, fitted, a, 200)[held] == y[held]))
        tuned = spreading(edges, n, y, known, best, 200)
        tuned_took = time.time() - begin
        print(f"{name:8} {n:7} {len(edges):9} {len(known):6}   {took:15.1f} {ours:8.3f}   {plain_took:18.1f} {np.mean(plain[rest] == y[rest]):8.3f}   alpha={best}: {tuned_took:.1f} {np.mean(tuned[rest] == y[rest]):.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
