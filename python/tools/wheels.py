"""Wheels and the source archive: zip and tar files with what the standards ask for, written without a build tool."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

# what Go calls a system, and the tags of wheels that run there: the program is static, so that any Linux will do
PLATFORMS = {
    "linux/amd64": "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
    "windows/amd64": "win_amd64",
}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources give the same bytes


def project() -> dict[str, str]:
    """Name, version and the rest, from pyproject.toml (which old Pythons cannot read by themselves)."""
    text = (HERE / "pyproject.toml").read_text()
    return dict(re.findall(r'^(name|version|description|requires-python|license) = "(.*)"$', text, re.M))


def metadata() -> str:
    """The METADATA of a wheel, and the PKG-INFO of a source archive."""
    p = project()
    lines = [
        "Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {p['version']}", f"Summary: {p['description']}", f"License: {p['license']}",
        f"Requires-Python: {p['requires-python']}", "Requires-Dist: numpy>=1.22", "Provides-Extra: sklearn",
        "Requires-Dist: scikit-learn>=1.4; extra == 'sklearn'", "Provides-Extra: frames", "Requires-Dist: pandas; extra == 'frames'",
        "Requires-Dist: polars; extra == 'frames'", "Requires-Dist: pyarrow; extra == 'frames'", "Provides-Extra: plot",
        "Requires-Dist: matplotlib; extra == 'plot'", "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text(),
    ]  # fmt: skip
    return "\n".join(lines)


def root() -> Path:
    """Where the Go module is: above in the repository, beside in a source archive."""
    return HERE.parent if (HERE.parent / "go.mod").exists() else HERE / "go"


def program(platform: str, to: Path) -> Path:
    """Builds the program for a system."""
    system, _, processor = platform.partition("/")
    out = to / ("mercer.exe" if system == "windows" else "mercer")
    environment = {**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", str(out), "./cmd/mercer"], cwd=root(), env=environment, check=True)
    return out


def here() -> str:
    """The system that this runs on, as Go says it."""
    done = subprocess.run(["go", "env", "GOHOSTOS", "GOHOSTARCH"], check=True, capture_output=True, text=True)
    return "/".join(done.stdout.split())


def wheel(platform: str, binary: Path, to: Path) -> Path:
    """Writes the wheel of a platform."""
    p = project()
    tag = PLATFORMS.get(platform) or f"{platform.replace('/', '_')}"
    base = f"{p['name']}-{p['version']}"
    file = to / f"{base}-py3-none-{tag}.whl"
    tags = "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))
    entries: list[tuple[str, bytes, int]] = []
    for source in sorted((HERE / "src" / "mercer").rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            entries.append((str(source.relative_to(HERE / "src").as_posix()), source.read_bytes(), 0o644))
    entries.append((f"{base}.data/scripts/{binary.name}", binary.read_bytes(), 0o755))
    for name in ("LICENSE", "NOTICE"):
        entries.append((f"{base}.dist-info/{name}", (root() / name).read_bytes(), 0o644))
    entries.append((f"{base}.dist-info/METADATA", metadata().encode(), 0o644))
    entries.append((f"{base}.dist-info/WHEEL", f"Wheel-Version: 1.0\nGenerator: mercer python/build\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644))
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data, _ in entries) + f"{base}.dist-info/RECORD,,\n"
    entries.append((f"{base}.dist-info/RECORD", record.encode(), 0o644))
    to.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data, mode in entries:
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)
    return file


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def sdist(to: Path) -> Path:
    """Writes the source archive: the package, and the Go sources that the program is built from."""
    p = project()
    base = f"{p['name']}-{p['version']}"
    to.mkdir(parents=True, exist_ok=True)
    file = to / f"{base}.tar.gz"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as t:
        _add(t, f"{base}/PKG-INFO", metadata().encode(), 0o644)
        for path in _tracked(HERE):
            if path.parts[0] in ("src", "tools", "tests", "pyproject.toml", "README.md", "build", "test"):
                _add(t, f"{base}/{path.as_posix()}", (HERE / path).read_bytes(), _mode(HERE / path))
        embedded = _embedded()
        for path in _tracked(root()):
            if _wanted(path) or path in embedded:
                _add(t, f"{base}/go/{path.as_posix()}", (root() / path).read_bytes(), _mode(root() / path))
    with open(file, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as g:
        g.write(raw.getvalue())
    return file


def _tracked(folder: Path) -> list[Path]:
    """The files of the repository in a folder; in a source archive all that are there."""
    done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return [Path(n) for n in sorted(done.stdout.split("\0")) if n and (folder / n).is_file()]
    return sorted(f.relative_to(folder) for f in folder.rglob("*") if f.is_file())


def _embedded() -> set[Path]:
    """The files that the program holds as they are, whatever their names: a page shows its own tests, say."""
    form = "{{$d := .Dir}}{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}"
    done = subprocess.run(["go", "list", "-deps", "-f", form, "./cmd/mercer"], cwd=root(), check=True, capture_output=True, text=True)
    inside = (Path(line).resolve() for line in done.stdout.split("\n") if line)
    return {f.relative_to(root().resolve()) for f in inside if f.is_relative_to(root().resolve())}


def _wanted(path: Path) -> bool:
    """What the program is built from: no tests and none of the modules beside it."""
    if path.parts[0] in ("python", "bench", "beam", "docs", "examples", "release", ".ci", ".github"):
        return path.parts[0] == "docs" and path.suffix == ".go"
    return not path.name.endswith("_test.go") and "testdata" not in path.parts


def _mode(file: Path) -> int:
    return 0o755 if os.access(file, os.X_OK) else 0o644


def _add(t: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), mode, 315532800
    t.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    out = HERE / "dist"
    asked = sys.argv[1:] or [*PLATFORMS, "sdist"]
    for what in asked:
        if what == "sdist":
            print(sdist(out))
            continue
        platform = here() if what == "here" else what
        if platform not in PLATFORMS:
            sys.exit(f"there is no wheel for {platform!r}; there are {', '.join(PLATFORMS)}, here and sdist")
        folder = HERE / "out" / platform.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        print(wheel(platform, program(platform, folder), out))
