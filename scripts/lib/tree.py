"""The files of git in this repository, with those that will be."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns: str) -> list[Path]:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in sorted(set(names)) if name and (ROOT / name).is_file() and not (ROOT / name).is_symlink()]
