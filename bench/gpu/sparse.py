#!/usr/bin/env python3
"""The processes by few points of sparse.go with PyTorch on the same GPU and the same rows, which
that program leaves in a file: rows in blocks, derivatives by autograd, in double precision. Of
classes, q by natural gradient steps on minibatches of 10 000 rows (GPyTorch's way), with the
bound over all rows after each pass. Times are of the clock around synchronised work.
"""
import glob
import math
import os
import sys
import tempfile
import time

import numpy as np
import torch

M, D, BLOCK, BATCH, PASSES = 1000, 8, 100000, 10000, 4
EYE = torch.eye(M, dtype=torch.float64, device="cuda")


def kernel(theta, a, b):
    u, v = a / theta[2:], b / theta[2:]
    r = (u * u).sum(1)[:, None] + (v * v).sum(1)[None, :] - 2 * u @ v.T
    return theta[0] * torch.exp(-0.5 * r.clamp(min=0))


def root(theta, z, jitter):
    k = kernel(theta, z, z)
    return torch.linalg.cholesky(k + jitter * k.diagonal().mean() * EYE)


def bound(x, y, z, theta, fitc, jitter):
    l, noise = root(theta, z, jitter), theta[1]
    b, c, logs, squares, lost = EYE, 0, 0, 0, 0
    for at in range(0, len(y), BLOCK):
        rows, t = x[at : at + BLOCK], y[at : at + BLOCK]
        a = torch.linalg.solve_triangular(l, kernel(theta, z, rows), upper=False)
        left = theta[0] - (a * a).sum(0)
        spread = noise + left if fitc else noise.expand(len(t))
        lost = lost + left.sum()
        logs = logs + torch.log(2 * math.pi * spread).sum()
        squares = squares + (t * t / spread).sum()
        scaled = a / spread.sqrt()
        b = b + scaled @ scaled.T
        c = c + a @ (t / spread)
    r = torch.linalg.cholesky(b)
    c = torch.linalg.solve_triangular(r, c[:, None], upper=False)
    value = -0.5 * (logs + 2 * r.diagonal().log().sum() + squares - (c * c).sum())
    return value if fitc else value - 0.5 * lost / noise


def bounds(x, y, jitter):
    for fitc in (False, True):
        for moves in (False, True):
            times = []
            for _ in range(4):
                theta = torch.tensor([1.5, 0.1] + [2 + 0.25 * i for i in range(D)], dtype=torch.float64, device="cuda", requires_grad=True)
                z = x[:M].clone().requires_grad_(moves)
                torch.cuda.synchronize()
                start = time.perf_counter()
                value = bound(x, y, z, theta, fitc, jitter)
                value.backward()
                grad = theta.grad.tolist()
                torch.cuda.synchronize()
                times.append(time.perf_counter() - start)
            name = ("FITC" if fitc else "SGPR") + (", points too" if moves else "")
            print(f"torch {name:18} n = {len(y)} {sorted(times[1:])[1]:10.4f} s  ({value.item():.12g}; by the factor {grad[0]:.10g}, by l1 {grad[2]:.10g}, by noise {grad[1]:.10g})", flush=True)
            torch.cuda.empty_cache()


NODES, WEIGHTS = (torch.tensor(v, device="cuda") for v in np.polynomial.hermite.hermgauss(20))


def expected(sign, mean, variance):
    f = sign[:, None] * (mean[:, None] + (2 * variance).clamp(min=0).sqrt()[:, None] * NODES)
    return (torch.nn.functional.logsigmoid(f) * WEIGHTS).sum(1) / math.sqrt(math.pi)


def moments(a, m, r):
    return a.T @ m, 1.5 - (a * a).sum(0) + torch.linalg.solve_triangular(r, a, upper=False).square().sum(0)


def classes(x, y, jitter):
    theta = torch.tensor([1.5, 0.1] + [2 + 0.25 * i for i in range(D)], dtype=torch.float64, device="cuda")
    sign, n = torch.where(y > 0, 1.0, -1.0).double(), len(y)
    torch.manual_seed(0)
    torch.cuda.synchronize()
    start = time.perf_counter()
    l = root(theta, x[:M], jitter)
    precision, natural = EYE.clone(), torch.zeros(M, dtype=torch.float64, device="cuda")
    spent = 0.0
    for turn in range(PASSES):
        order = torch.randperm(n, device="cuda")
        for at in range(0, n, BATCH):
            rows = order[at : at + BATCH]
            a = torch.linalg.solve_triangular(l, kernel(theta, x[:M], x[rows]), upper=False)
            r = torch.linalg.cholesky(precision)
            m = torch.cholesky_solve(natural[:, None], r)[:, 0]
            mean, variance = (v.detach().requires_grad_(True) for v in moments(a, m, r))
            by_mean, by_variance = torch.autograd.grad(expected(sign[rows], mean, variance).sum(), (mean, variance))
            step = max(0.02, 0.5 / (1 + turn)) if turn or at else 1.0
            bend, scale = -2 * by_variance, n / len(rows)
            precision = (1 - step) * precision + step * (EYE + scale * (a * bend) @ a.T)
            natural = (1 - step) * natural + step * scale * (a @ (by_mean + bend * mean.detach()))
        torch.cuda.synchronize()
        spent = time.perf_counter() - start
        hold = time.perf_counter()
        with torch.no_grad():
            r = torch.linalg.cholesky(precision)
            m = torch.cholesky_solve(natural[:, None], r)[:, 0]
            total = 0.0
            for at in range(0, n, BATCH):
                a = torch.linalg.solve_triangular(l, kernel(theta, x[:M], x[at : at + BATCH]), upper=False)
                total += expected(sign[at : at + BATCH], *moments(a, m, r)).sum().item()
            inverse = torch.cholesky_inverse(r)
            total -= 0.5 * (inverse.diagonal().sum().item() + (m @ m).item() - M + 2 * r.diagonal().log().sum().item())
        torch.cuda.synchronize()
        start += time.perf_counter() - hold  # what looking costs is not counted
        print(f"torch SVGP pass {turn + 1} n = {n} {spent:10.4f} s  (bound {total:.10g})", flush=True)


def main():
    jitter = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    path = sorted(glob.glob(os.path.join(tempfile.gettempdir(), "mercer-evidence-*.bin")), key=os.path.getsize)[-1]
    numbers = torch.tensor(np.fromfile(path), device="cuda")
    n = len(numbers) // (D + 1)
    x, y = numbers[: n * D].reshape(n, D), numbers[n * D :]
    bounds(x, y, jitter)
    classes(x, y, jitter)


if __name__ == "__main__":
    main()
