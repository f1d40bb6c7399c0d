"""What python/build left in dist, as pip sees it: each wheel for its systems and no other, and the source archive, built with Go."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import wheels

DIST = wheels.HERE / "dist"
TAGS = {
    "linux/amd64": ["manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_11_0_x86_64", "macosx_14_0_x86_64"],
    "darwin/arm64": ["macosx_11_0_arm64", "macosx_15_0_arm64"],
    "windows/amd64": ["win_amd64"],
}
MAGIC = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe", "windows": b"MZ"}


def pip_takes(wheel: Path, tag: str) -> bool:
    """Whether pip would install a wheel on a system of this tag."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--only-binary=:all:", "--python-version", "3.12",
                   "--implementation", "cp", "--platform", tag, "--target", folder, str(wheel)]  # fmt: skip
        return subprocess.run(command, capture_output=True).returncode == 0


def check_record(wheel: Path) -> None:
    """Every file of a wheel is in its RECORD, with its digest."""
    with zipfile.ZipFile(wheel) as z:
        record = next(n for n in z.namelist() if n.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(io.StringIO(z.read(record).decode())))
        assert {r[0] for r in rows} == set(z.namelist()), f"{wheel.name}: RECORD and files differ"
        for name, digest, size in rows:
            if name != record:
                data = z.read(name)
                assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() and int(size) == len(data), name
        assert any(n.endswith("mercer/py.typed") for n in z.namelist()), f"{wheel.name}: no py.typed"


def main() -> None:
    """Checks them all."""
    for platform, tags in TAGS.items():
        [wheel] = DIST.glob(f"mercer-*-py3-none-{wheels.PLATFORMS[platform]}.whl")
        check_record(wheel)
        with zipfile.ZipFile(wheel) as z:
            [program] = [n for n in z.namelist() if "/scripts/mercer" in n]
            assert z.read(program).startswith(MAGIC[platform.partition("/")[0]]), f"{wheel.name}: {program} is none of its system"
            assert z.getinfo(program).external_attr >> 16 & 0o111, f"{wheel.name}: {program} may not be run"
        for other, others in TAGS.items():
            for tag in others:
                assert pip_takes(wheel, tag) == (other == platform), f"{wheel.name}: pip on {tag}"
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.0f} MB, for {', '.join(tags)}")
    [archive] = DIST.glob("mercer-*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(archive)], check=True)
        said = subprocess.run(
            [python, "-c", "import mercer, numpy as np; print(mercer.SVC().fit(np.eye(4), [0, 1, 0, 1]).predict(np.eye(4)))"],
            check=True, capture_output=True, text=True, cwd=folder,
        )  # fmt: skip
        assert said.stdout == "[0 1 0 1]\n", said.stdout
    print(f"{archive.name}: pip builds it with Go, and it fits")


if __name__ == "__main__":
    main()
