"""The command that a script runs."""

import subprocess
import sys
from pathlib import Path


def formwork(given: str | None = None, *, network: bool = False) -> str:
    """The executable's path: `given`, or FORMWORK_BIN, or a release build; with `network` it can send and receive."""
    if given:
        return given
    build = [Path(__file__).resolve().parents[1] / "build", *(["transfer"] if network else [])]
    return subprocess.run(build, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]


def release_of(package: Path, product: str) -> Path:
    """A release build of a script's own package, which uses the library."""
    root = Path(__file__).resolve().parents[2]
    build = ["swift", "build", "-c", "release", "--package-path", package, "--scratch-path", root / ".build-interop"]
    subprocess.run(build, stdout=sys.stderr, check=True)
    folder = subprocess.run([*build, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return Path(folder) / product
