"""kernlab, tslearn and GraKeL doing the work of kernel/seq and kernel/graph."""
import os
import subprocess
import tempfile

import numpy as np
from graphs import shortest_path, wl  # noqa: F401

SCRIPT = """
suppressMessages(library(kernlab))
a <- commandArgs(TRUE)
x <- read.csv(a[1], stringsAsFactors = FALSE)$text
n <- as.integer(a[3])
if (n > 0) x <- substr(x, 1, n)
k <- stringdot(type = a[2], length = 4, lambda = 0.5, normalized = FALSE)
took <- system.time(m <- kernelMatrix(k, as.list(x)))
writeBin(c(took[["elapsed"]], as.vector(m@.Data)), a[4])
cat(as.character(packageVersion("kernlab")))
"""


class Timed(dict):
    """A result that was timed inside R."""


def kernlab(file, kind, letters):
    import shutil

    if shutil.which("Rscript") is None:
        raise RuntimeError("no R: run bench/setup, or apt-get install r-cran-kernlab")
    version = subprocess.run(["Rscript", "-e", "cat(as.character(packageVersion('kernlab')))"], capture_output=True, text=True)
    if version.returncode != 0:
        raise RuntimeError("no kernlab: run bench/setup, or apt-get install r-cran-kernlab")

    def run():
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "matrix")
            done = subprocess.run(["Rscript", "-e", SCRIPT, file, kind, str(letters), out], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip())
            numbers = np.fromfile(out)
        result = Timed(result=numbers[1:])
        result.seconds = float(numbers[0])
        return result

    return f"kernlab {version.stdout} {kind}", run


def gak(series, sigma, channels):
    import tslearn
    from tslearn.metrics import cdist_gak

    x = series.reshape(len(series), -1, channels)
    cdist_gak(x[:2], sigma=sigma)  # compiled at its first use
    return f"tslearn {tslearn.__version__} cdist_gak", lambda: cdist_gak(x, sigma=sigma, n_jobs=2)
