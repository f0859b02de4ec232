"""Shared by the servers in Python: a part as a line of JSON, and an address that is busy once."""

import hashlib
import io
import json
import os


def row(name: str, filename: str | None, content) -> str:
    """A line for a part; `content` is bytes, text or a file to read."""
    if isinstance(content, str):
        content = content.encode()
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    size, digest = 0, hashlib.sha256()
    while piece := file.read(1 << 16):
        size += len(piece)
        digest.update(piece)
    return line(name, filename, size, digest)


async def read_row(name: str, filename: str | None, read) -> str:
    """A line for a part whose content comes in pieces: `read` takes how many bytes at most."""
    size, digest = 0, hashlib.sha256()
    while piece := await read(1 << 16):
        size += len(piece)
        digest.update(piece)
    return line(name, filename, size, digest)


def line(name: str, filename: str | None, size: int, digest) -> str:
    return json.dumps({"name": name, "filename": filename, "size": size, "sha256": digest.hexdigest()}) + "\n"


def is_first(key: str) -> bool:
    """Whether this is the first request for this key. Kept in the working folder, as servers have several processes."""
    try:
        os.close(os.open(f"busy-{os.path.basename(key)}", os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False
