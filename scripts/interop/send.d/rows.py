"""Shared by the servers in Python: a part as a line of JSON, and the answers that don't read the form."""

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


def unread(path: str) -> tuple[int, str, dict[str, str]] | None:
    """The answer at an address that doesn't read the form: status, text and fields; None for the form's own.

    Which keys were busy is kept in the working folder, as servers have several processes.
    """
    match path.split("/"):
        case ["", "moved"]:
            return 307, "elsewhere\n", {"Location": "/form"}
        case ["", "full"]:
            return 413, "too large\n", {}
        case ["", "busy", key] if not os.path.exists(f"busy-{os.path.basename(key)}"):
            open(f"busy-{os.path.basename(key)}", "x").close()
            return 503, "busy\n", {"Retry-After": "1"}
    return None
