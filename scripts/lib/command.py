"""The command that a script runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


ROOT = Path(__file__).resolve().parents[2]


def built(product: str = "formwork") -> str:
    """The path of what scripts/build makes."""
    return subprocess.run([ROOT / "scripts/build", product], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]


def formwork(given: str | None = None, *, network: bool = False) -> str:
    """The executable's path: `given`, or FORMWORK_BIN, or a release build; with `network` it can send and receive."""
    return given or built("transfer" if network else "formwork")


def existing(given: str | None, parser) -> str:
    """The same, as a path that holds in every folder; an error of the parser if there is no such program."""
    program = shutil.which(found := formwork(given))
    return os.path.abspath(program) if program else parser.error(f"no such executable: {found}")


def quote(word):
    """A word for bash, always on one line."""
    if re.fullmatch(r"[A-Za-z0-9_./:=@%+-]+", word):
        return word
    if word.isprintable():
        return "'" + word.replace("'", "'\\''") + "'"
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    # \xHH reads at most two digits, so the next character can't become part of it.
    shown = (escapes.get(c) or (c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode())) for c in word)
    return "$'" + "".join(shown) + "'"


def release_of(package: Path, product: str, scratch: Path = ROOT / ".build-interop", environment: dict[str, str] | None = None) -> Path:
    """A release build of a script's own package, which uses the library."""
    # Otherwise SwiftPM doesn't notice new files of the package that this one depends on.
    (package / "Package.swift").touch()
    build = ["swift", "build", "-c", "release", "--package-path", package, "--scratch-path", scratch, "--product", product]
    subprocess.run(build, stdout=sys.stderr, env=environment, check=True)
    shown = subprocess.run([*build, "--show-bin-path"], stdout=subprocess.PIPE, env=environment, text=True, check=True)
    return Path(shown.stdout.strip()) / product
