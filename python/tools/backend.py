"""The build backend of the source archive: `pip install mercer-….tar.gz` builds the program with Go."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Optional

import wheels


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """What pip asks first, which needs no Go."""
    p = wheels.project()
    folder = Path(metadata_directory) / f"{p['name']}-{p['version']}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(wheels.metadata())
    return folder.name


def build_wheel(wheel_directory: str, config_settings: Optional[dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    """A wheel for this machine."""
    if shutil.which("go") is None:
        raise RuntimeError("mercer is built with Go, which is not here: install it from https://go.dev/dl, or take a wheel")
    with tempfile.TemporaryDirectory() as folder:
        platform = wheels.here()
        return wheels.wheel(platform, wheels.program(platform, Path(folder)), Path(wheel_directory)).name


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """The source archive."""
    return wheels.sdist(Path(sdist_directory)).name
