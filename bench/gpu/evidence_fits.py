#!/usr/bin/env python3
"""The whole fits of fits.go with PyTorch on the same GPU and the same tables: Cholesky and autograd in double precision, torch.optim.LBFGS with strong Wolfe conditions on the logarithms of the
parameters, as many steps and as many starts; the first start is the same, the others are drawn within the same factor of 100."""
import csv
import math
import os
import sys
import time

import torch

from evidence import evidence

STEPS = 40
TABLES = [("concrete", 10), ("airfoil", 10), ("abalone", 10), ("cpusmall", 3), ("powerplant", 3)]


def table(path):
    rows = list(csv.reader(open(path)))[1:]
    columns = []
    for column in zip(*rows):
        try:
            v = torch.tensor([float(t) for t in column], dtype=torch.float64, device="cuda")
        except ValueError:
            continue  # words
        columns.append((v - v.mean()) / v.std(unbiased=False))
    return torch.stack(columns[:-1], 1), columns[-1]


def climb(x, y, first):
    u = first.clone().requires_grad_(True)
    search = torch.optim.LBFGS([u], max_iter=STEPS, max_eval=4 * STEPS, tolerance_grad=1e-5 * len(y), tolerance_change=0, history_size=10, line_search_fn="strong_wolfe")
    best = [-math.inf, 0]

    def step():
        search.zero_grad()
        best[1] += 1
        try:
            value = evidence(x, y, torch.exp(u))
            (-value).backward()
        except RuntimeError:  # not positive definite
            u.grad = torch.zeros_like(u)
            return torch.tensor(1e10, dtype=torch.float64, device="cuda")
        best[0] = max(best[0], value.item())
        return -value

    search.step(step)
    return best


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join("..", "..", "shared", "data")
    for name, starts in TABLES:
        path = os.path.join(folder, name + ".csv")
        if not os.path.exists(path):
            print("SKIPPED", path)
            continue
        x, y = table(path)
        d = x.shape[1]
        first = torch.tensor([0.0, math.log(0.1)] + [0.5 * math.log(d)] * d, dtype=torch.float64, device="cuda")
        evidence(x, y, torch.exp(first))
        torch.cuda.synchronize()
        start = time.perf_counter()
        torch.manual_seed(1)
        ends = []
        for s in range(starts):
            u = first if s == 0 else first + (2 * torch.rand(d + 2, dtype=torch.float64, device="cuda") - 1) * math.log(100)
            ends.append(climb(x, y, u))
        torch.cuda.synchronize()
        print(f"torch gp fit, {name:12s} n = {len(y)} d = {d} {starts} starts {time.perf_counter() - start:10.3f} s  (evidence {max(e[0] for e in ends):.4f}, {sum(e[1] for e in ends)} evaluations)", flush=True)


main()
