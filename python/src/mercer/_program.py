"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


def program() -> str:
    """The path of the mercer program.

    The wheel puts it beside Python itself, among the scripts. ``MERCER_PROGRAM`` names another.

    Returns
    -------
    str
        The file that is run.
    """
    named = os.environ.get("MERCER_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"MERCER_PROGRAM is {named}, which is no program")
        return named
    name = "mercer" + (".exe" if sys.platform == "win32" else "")
    user = "nt_user" if sys.platform == "win32" else "posix_user"
    here = Path(__file__).resolve().parent
    folders = [
        Path(sysconfig.get_path("scripts")),
        here.parent / "bin",  # pip install --target
        here.parent.parent.parent.parent / "bin",  # pip install --prefix
        Path(sysconfig.get_path("scripts", scheme=user)),
    ]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    found = shutil.which(name)
    if found:
        return found
    raise FileNotFoundError(
        "the program mercer is not there: it comes with the wheel (pip install --force-reinstall mercer), "
        "or set MERCER_PROGRAM; looked in " + ", ".join(str(f) for f in folders)
    )
