"""Scripts that make forms of seeds: choices, the command line, the folder, and what is printed of failures."""

import argparse
import contextlib
import random
import shutil
import tempfile
from pathlib import Path

from command import existing

PRINTED_IN_FULL = 20


class Choices:
    """Choices that follow from a seed."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.pick = self.random.choice

    def chance(self, percent):
        return self.random.random() * 100 < percent


def options(doc, count, what, **flags):
    """The options that all have, and flags with their help; `formwork` is the executable."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=count, help=f"how many {what} (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first; each next seed is one higher (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the files, and print their folder")
    parser.add_argument("--formwork", help="the executable; built if neither this nor FORMWORK_BIN names one")
    for name, text in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    found = parser.parse_args()
    found.formwork = existing(found.formwork, parser)
    return found


@contextlib.contextmanager
def folder(prefix, is_kept):
    name = tempfile.mkdtemp(prefix=prefix)
    try:
        if is_kept:
            print(f"files: {name}")
        yield Path(name)
    finally:
        if not is_kept:
            shutil.rmtree(name)


class Failures:
    """Prints the first failures, and counts all."""

    def __init__(self):
        self.count = 0

    def add(self, *lines):
        self.count += 1
        if self.count <= PRINTED_IN_FULL:
            print(*(line if len(line) < 1000 else line[:1000] + "…" for line in lines), sep="\n    ", flush=True)
        elif self.count == PRINTED_IN_FULL + 1:
            print("more failures are counted only")
