#!/usr/bin/env python3
"""The rows of main.go with PyTorch on the same GPU: Falkon's way (blocks of K in memory, once for each side), a tight way (the block is used twice), exact
ridge by cuSOLVER, FALKON's iterations, a density. Times are of the clock around synchronised work, the middle of some runs after a first."""
import math
import sys
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
dev = "cuda"


def median(times, f):
    f()
    out = []
    for _ in range(times):
        torch.cuda.synchronize()
        start = time.perf_counter()
        f()
        torch.cuda.synchronize()
        out.append(time.perf_counter() - start)
    return sorted(out)[times // 2]


def gauss(x, c, c2, gamma):
    k = torch.addmm(c2, x, c.T, beta=1, alpha=-2)
    k += (x * x).sum(1, keepdim=True)
    return k.clamp_(min=0).mul_(-gamma).exp_()


def pair(x, c, v, gamma, rows, twice):
    c2, w = (c * c).sum(1)[None, :], torch.zeros_like(v)
    for lo in range(0, x.shape[0], rows):
        part = x[lo : lo + rows]
        k = gauss(part, c, c2, gamma)
        u = k @ v
        if twice:  # as a library does that makes each product by itself
            k = gauss(part, c, c2, gamma)
        w += k.T @ u
    return w


def falkon(x, y, m, gamma, lam, iterations):
    n = x.shape[0]
    c = x[torch.randperm(n, device=dev)[:m]]
    k = gauss(c, c, (c * c).sum(1)[None, :], gamma)
    k.diagonal().add_(1e-6 * m)
    t = torch.linalg.cholesky(k, upper=True)
    del k
    a = torch.linalg.cholesky(t @ t.T / m + lam * torch.eye(m, device=dev), upper=True)
    solve = lambda f, b, trans: torch.linalg.solve_triangular(f.T if trans else f, b, upper=not trans)

    def op(b):
        v = solve(t, solve(a, b, False), False)
        w = pair(x, c, v, gamma, 65536, True) / n
        return solve(a, solve(t, w, True) + lam * solve(a, b, False), True)

    r = torch.zeros((m, 1), device=dev)
    c2 = (c * c).sum(1)[None, :]
    for lo in range(0, n, 65536):
        r += gauss(x[lo : lo + 65536], c, c2, gamma).T @ y[lo : lo + 65536]
    r = solve(a, solve(t, r / n, True), True)
    b, p, rs = torch.zeros_like(r), r.clone(), (r * r).sum()
    for _ in range(iterations):
        q = op(p)
        alpha = rs / (p * q).sum()
        b, r = b + alpha * p, r - alpha * q
        new = (r * r).sum()
        p, rs = r + new / rs * p, new
    return b


def main():
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    g = torch.Generator(device=dev).manual_seed(1)
    normal = lambda *s: torch.randn(*s, device=dev, generator=g)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    d = 28
    x, c, v = normal(int(1e7 * share), d), normal(20000, d), normal(20000, 1)
    for name, twice in (("Falkon's way", True), ("tight", False)):
        t = median(1, lambda: pair(x, c, v, 0.5 / d, 65536, twice))
        print(f"torch pair, gaussian, {name:14s} n = {x.shape[0]} M = 20000 {t:8.3f} s", flush=True)
    x = x[: int(1e6 * share)].contiguous()
    y = torch.sin(x[:, :1]) + x[:, 1:2] * x[:, 2:3]
    for m in (10000, 20000):
        t = median(1, lambda: falkon(x, y, m, 0.5 / d, 1e-6, 20))
        print(f"torch FALKON 20 iterations          n = {x.shape[0]} M = {m} {t:8.3f} s", flush=True)

    def exact(double):
        z = normal(int(50000 * share), d)
        z = z.double() if double else z
        k = gauss(z, z, (z * z).sum(1)[None, :], 0.5 / d)
        k.diagonal().add_(1.0)
        l = torch.linalg.cholesky(k)
        return torch.cholesky_solve(torch.sin(z[:, :1]), l)

    for double in (False, True):
        t = median(1, lambda: exact(double))
        print(f"torch exact ridge                   n = {int(50000 * share)} {'double' if double else 'single'} {t:8.3f} s", flush=True)
    a, b = normal(int(1e6 * share), 3), normal(int(1e6 * share), 3)
    b2 = (b * b).sum(1)[None, :]

    def density():
        out = torch.empty(a.shape[0], device=dev)
        for lo in range(0, a.shape[0], 4096):
            out[lo : lo + 4096] = gauss(a[lo : lo + 4096], b, b2, 12.5).sum(1)
        return out

    print(f"torch density {a.shape[0]} × {b.shape[0]}, d = 3 {median(1, density):8.3f} s", flush=True)


main()
