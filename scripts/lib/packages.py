"""Installs packages from Debian and PyPI that a script needs, or reports that they are unavailable: packages.py DEBIAN-PACKAGE..."""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# If the program is installed in another way, the package isn't needed.
PROGRAMS = {
    "nodejs": "node", "golang-go": "go", "php-cli": "php", "default-jdk-headless": "javac", "nginx-light": "nginx",
    "apache2-bin": "apache2", "ceph-common": "ceph",
}


class Unavailable(Exception):
    """It can't be installed, or it doesn't run. The message is for people."""


def is_installed(package: str) -> bool:
    if shutil.which(PROGRAMS.get(package, package)):
        return True
    query = ["dpkg-query", "-W", "-f", "${Status}", package]
    try:
        return subprocess.run(query, capture_output=True, text=True).stdout.endswith(" installed")
    except OSError:  # not a Debian system
        return False


def install(packages: list[str], may_install: bool = True) -> None:
    """Installs the missing ones of these Debian packages."""
    missing = [package for package in packages if not is_installed(package)]
    if not missing:
        return
    if not may_install:
        raise Unavailable(f"not installed: {' '.join(missing)}")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    command = [*prefix, "apt-get", "install", "-y", "--no-install-recommends", *missing]
    try:
        for attempt in (1, 2):
            if not run(command, 600).returncode:
                return
            # The package lists may be old or missing.
            if attempt == 1:
                run([*prefix, "apt-get", "update"], 300)
    except (OSError, subprocess.TimeoutExpired):
        pass
    raise Unavailable(f"apt-get does not install {' '.join(missing)}")


@functools.cache
def python_with(folder: Path, *packages: str) -> Path:
    """The Python of a throw-away environment with these packages, in the folder; the same one for the same packages."""
    if not importlib.util.find_spec("ensurepip"):
        install(["python3-venv"])  # a separate package in Debian
    # One pip for all environments: installing it in each takes longer than most packages.
    pip = folder / "pip"
    if not pip.exists():
        venv.create(pip, with_pip=True)
    place = Path(tempfile.mkdtemp(prefix="python-", dir=folder))
    venv.create(place, with_pip=False)
    python = place / "bin/python"
    command = [pip / "bin/python", "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "--quiet"]
    try:
        result = run([*command, *packages], 300)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"pip takes more than five minutes for {' '.join(packages)}")
    if result.returncode:
        raise Unavailable(f"pip does not install {' '.join(packages)}: {result.stderr.strip()[-300:]}")
    return python


def run(command: list, seconds: float) -> subprocess.CompletedProcess:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)


if __name__ == "__main__":
    try:
        install(sys.argv[1:])
    except Unavailable as reason:
        sys.exit(str(reason))
