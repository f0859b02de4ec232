"""The command that a script runs."""

import subprocess
from pathlib import Path


def formwork(given: str | None = None, *, network: bool = False) -> str:
    """The executable's path: `given`, or FORMWORK_BIN, or a release build; with `network` it can send and receive."""
    if given:
        return given
    build = [Path(__file__).resolve().parents[1] / "build", *(["transfer"] if network else [])]
    return subprocess.run(build, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]
