"""Files that are sent, and compared with what arrives."""

import hashlib
import random


def digest(path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def random_file(path, size: int, seed: int) -> str:
    """Writes MiB of random bytes, which can't be compressed and don't repeat; returns their digest."""
    generator = random.Random(seed)
    with open(path, "wb") as file:
        for _ in range(size):
            file.write(generator.randbytes(1 << 20))
    return digest(path)
