#!/usr/bin/env python3
"""The evidence of Gaussian processes of evidence.go with PyTorch on the same GPU and the same points, which that program leaves in a file: K by products, Cholesky, derivatives by autograd, in double
precision. Times are of the clock around synchronised work, the middle of some runs after a first."""
import glob
import math
import os
import re
import tempfile
import time

import numpy as np
import torch


def evidence(x, y, theta):
    z = x / theta[2:]
    r = (z * z).sum(1)
    k = theta[0] * torch.exp(-0.5 * (r[:, None] + r[None, :] - 2 * z @ z.T).clamp(min=0))
    k = k + theta[1] * torch.eye(len(y), dtype=torch.float64, device="cuda")
    l = torch.linalg.cholesky(k)
    a = torch.cholesky_solve(y[:, None], l)[:, 0]
    return -0.5 * y @ a - l.diagonal().log().sum() - 0.5 * len(y) * math.log(2 * math.pi)


def main():
    files = glob.glob(os.path.join(tempfile.gettempdir(), "mercer-evidence-*.bin"))
    for n, path in sorted((int(re.search(r"(\d+)\.bin", f)[1]), f) for f in files):
        if n > 30000:
            continue
        d = 8
        numbers = np.fromfile(path)
        x, y = (torch.tensor(v, device="cuda") for v in (numbers[: n * d].reshape(n, d), numbers[n * d :]))

        def once():
            theta = torch.tensor([1.5, 0.1] + [2 + 0.25 * i for i in range(d)], dtype=torch.float64, device="cuda", requires_grad=True)
            value = evidence(x, y, theta)
            value.backward()
            return value.item(), theta.grad.tolist()

        once()
        times = []
        for _ in range(5):
            torch.cuda.synchronize()
            start = time.perf_counter()
            value, grad = once()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        print(f"torch evidence n = {n} {sorted(times)[2]:10.5f} s  ({value:.12g}; by the factor {grad[0]:.10g}, by l1 {grad[2]:.10g}, by noise {grad[1]:.10g})", flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
