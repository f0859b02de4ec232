"""Files that are sent, and compared with what arrives."""

import hashlib
import random

MIB = 1 << 20


def digest(path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pieces(size: int, seed):
    """That number of random bytes, a MiB at a time, each with its number: no two are equal."""
    block = random.Random(seed).randbytes(MIB)
    for index in range(0, size, MIB):
        yield (index.to_bytes(8, "big") + block[8:])[: min(MIB, size - index)]


def random_file(path, size: int, seed) -> str:
    """Writes that number of bytes of `pieces`; returns their digest."""
    written = hashlib.sha256()
    with open(path, "wb", buffering=0) as file:
        for piece in pieces(size, seed):
            file.write(piece)
            written.update(piece)
    return written.hexdigest()
