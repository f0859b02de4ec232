"""The requests of tus-js-client, which Uppy's tus plugin uses: the same methods, fields and reactions for its options.

Written after tus-js-client's lib/upload.ts (main, after 4.3) and @uppy/tus, because npm's registry may be unreachable. Each row
is a set of options. A row prints nothing if the file arrives as the client expects; otherwise a line says what differs.
"""

import base64
import hashlib
import http.client
import socket
import struct
from urllib.parse import urljoin, urlsplit

TUS = "application/offset+octet-stream"
PARTIAL = "application/partial-upload"


class Refused(Exception):
    """The client would report this as its error."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class Answer(http.client.HTTPResponse):
    """A final answer: browsers and Node ignore 104."""

    def _read_status(self):
        while True:
            version, status, reason = super()._read_status()
            if not 100 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


class Client:
    """One upload. The options have tus-js-client's names."""

    def __init__(self, endpoint, content, metadata=None, **options):
        self.endpoint, self.content, self.metadata, self.options = endpoint, content, metadata or {}, options
        self.url = None
        self.requests = []

    def send(self, method, url, fields=(), body=None, cut=None):
        """Sends a request; with `cut` only this number of bytes of its body, and then it resets the connection."""
        parts = urlsplit(url)
        protocol = self.options.get("protocol")
        own = {"ietf-draft-03": ("Upload-Draft-Interop-Version", "5"), "ietf-draft-05": ("Upload-Draft-Interop-Version", "6")}
        head = [own.get(protocol, ("Tus-Resumable", "1.0.0")), *self.options.get("headers", {}).items(), *fields]
        self.requests.append(method)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        connection.response_class = Answer
        try:
            # As Node's client and browsers do, a request without a body has Content-Length 0 if its method expects one.
            connection.putrequest(method, parts.path or "/", skip_accept_encoding=True)
            for name, value in head:
                connection.putheader(name, value)
            if body is not None or method in ("POST", "PATCH"):
                connection.putheader("Content-Length", str(len(body or b"")))
            try:
                connection.endheaders((body or b"")[:cut])
            except (BrokenPipeError, ConnectionResetError):
                pass  # the answer may be there before the body was read
            if cut is not None:
                connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return None
            answer = connection.getresponse()
            answer.read()
            return answer
        finally:
            connection.close()

    @staticmethod
    def number(answer, name):
        value = answer.getheader(name)
        if value is None or not value.isdigit():
            raise Refused(f"{answer.status} with {name}: {value}")
        return int(value)

    def create(self):
        fields = []
        deferred = self.options.get("uploadLengthDeferred")
        fields.append(("Upload-Defer-Length", "1") if deferred else ("Upload-Length", str(len(self.content))))
        if self.metadata:
            pairs = [f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in self.metadata.items()]
            fields.append(("Upload-Metadata", ",".join(pairs)))
        offset, body = 0, None
        if self.options.get("uploadDataDuringCreation") and not deferred:
            body, more = self.chunk(0)
            fields += more
        elif self.options.get("protocol"):
            fields.append(("Upload-Complete", "?0"))
        answer = self.send("POST", self.endpoint, fields, body)
        if not 200 <= answer.status < 300:
            raise Refused(f"{answer.status} for the creation")
        location = answer.getheader("Location")
        if not location:
            raise Refused(f"{answer.status} without Location")
        self.url = urljoin(self.endpoint, location)
        if self.content and body is not None:
            offset = self.number(answer, "Upload-Offset")
        return offset

    def chunk(self, offset):
        """A chunk and its fields."""
        end = min(offset + self.options.get("chunkSize", len(self.content)), len(self.content))
        protocol = self.options.get("protocol")
        fields = {None: [("Content-Type", TUS)], "ietf-draft-05": [("Content-Type", PARTIAL)]}.get(protocol, [])
        is_last = end == len(self.content)
        if self.options.get("uploadLengthDeferred") and is_last:
            fields.append(("Upload-Length", str(end)))
        if protocol:
            fields.append(("Upload-Complete", "?1" if is_last else "?0"))
        return self.content[offset:end], fields

    def patch(self, offset, cut=None):
        body, fields = self.chunk(offset)
        fields = [("Upload-Offset", str(offset)), *fields]
        if self.options.get("overridePatchMethod"):
            answer = self.send("POST", self.url, [("X-HTTP-Method-Override", "PATCH"), *fields], body, cut)
        else:
            answer = self.send("PATCH", self.url, fields, body, cut)
        if answer is None:
            return None
        if not 200 <= answer.status < 300:
            raise Refused(f"{answer.status} for the chunk at {offset}", answer.status)
        return self.number(answer, "Upload-Offset")

    def resume(self):
        """Asks for the offset; `None` if a new upload has to be created."""
        answer = self.send("HEAD", self.url)
        if 400 <= answer.status < 500 and answer.status != 423:
            return None
        if not 200 <= answer.status < 300:
            raise Refused(f"{answer.status} for HEAD")
        offset = self.number(answer, "Upload-Offset")
        if not self.options.get("uploadLengthDeferred") and not self.options.get("protocol"):
            length = self.number(answer, "Upload-Length")
            if length != len(self.content):
                raise Refused(f"HEAD says {length} bytes")
        return offset

    def upload(self, cut_at=None):
        """The whole of it. `cut_at`: this chunk is cut in its middle, and the client resumes."""
        offset = self.create()
        chunks = retries = 0
        while offset < len(self.content):
            chunks += 1
            if chunks == cut_at:
                size = min(self.options.get("chunkSize", len(self.content)), len(self.content) - offset)
                self.patch(offset, cut=size // 2)
                offset = self.resume()
                if offset is None:
                    raise Refused("the upload is gone after a cut")
                continue
            try:
                offset = self.patch(offset)
            except Refused as error:
                # What was sent before a cut may still have been under way: the client asks again, at most four times.
                retries += 1
                if error.status not in (409, 423) or cut_at is None or retries > 4:
                    raise
                offset = self.resume()
        return self


def uppy(name, kind="application/octet-stream"):
    """What @uppy/tus sends by default."""
    return {"relativePath": "null", "name": name, "type": kind, "filename": name, "filetype": kind}


def rows(url, folder, content):
    """Runs all rows; gives a row's name and what differs, `None` for nothing."""
    third = len(content) // 3 + 1
    ways = {
        "defaults": ({}, None),
        "chunkSize": ({"chunkSize": third}, None),
        "chunkSize, cut": ({"chunkSize": third}, 2),
        "cut": ({}, 1),
        "uploadDataDuringCreation": ({"uploadDataDuringCreation": True}, None),
        "uploadDataDuringCreation, chunkSize": ({"uploadDataDuringCreation": True, "chunkSize": third}, None),
        "uploadDataDuringCreation, chunkSize, cut": ({"uploadDataDuringCreation": True, "chunkSize": third}, 1),
        "overridePatchMethod": ({"overridePatchMethod": True, "chunkSize": third}, None),
        "uploadLengthDeferred": ({"uploadLengthDeferred": True, "chunkSize": third}, None),
        "addRequestId, headers": ({"headers": {"X-Request-ID": "b8a0c2d4", "X-Custom": "1"}}, None),
        "protocol ietf-draft-03": ({"protocol": "ietf-draft-03", "chunkSize": third}, None),
        "protocol ietf-draft-05": ({"protocol": "ietf-draft-05", "chunkSize": third}, None),
        "protocol ietf-draft-05, cut": ({"protocol": "ietf-draft-05", "chunkSize": third}, 2),
    }
    for way, (options, cut_at) in ways.items():
        name = f"{way.replace(', ', '+').replace(' ', '-')}.bin"
        # The drafts have no metadata: the client gives the name itself.
        if "protocol" in options:
            options["headers"] = {"Content-Disposition": f'attachment; filename="{name}"'}
        yield way, attempt(Client(url, content, uppy(name), **options), folder / name, cut_at)
    yield "an empty file", attempt(Client(url, b"", uppy("empty.bin")), folder / "empty.bin", None)
    named = Client(url, content[:9], uppy("Grüße ☂.txt", "text/plain"))
    yield "a name that isn't ASCII", attempt(named, folder / "Grüße ☂.txt", None)
    yield "parallelUploads", parallel(url, folder / "parallel.bin", content)
    yield "abort(true) deletes; then a new upload begins", terminated(url, folder, content)
    yield "an upload by another offset is 409", conflicting(url, content)


def attempt(client, path, cut_at):
    try:
        client.upload(cut_at)
    except (Refused, OSError) as error:
        return str(error)
    try:
        found = path.read_bytes()
    except OSError:
        return f"no {path.name} in {sorted(one.name for one in path.parent.iterdir())}"
    if hashlib.sha256(found).digest() != hashlib.sha256(client.content).digest():
        return f"{path.name} has other content, {len(found)} bytes"
    # The client asks a complete upload, too: then it is done.
    if client.content and client.resume() not in (len(client.content), None):
        return "HEAD of the complete upload gives another offset"
    path.unlink()
    return None


def parallel(url, path, content):
    size = len(content) // 3 + 1
    parts = [
        Client(url, content[start : start + size], headers={"Upload-Concat": "partial"})
        for start in range(0, len(content), size)
    ]
    try:
        for part in parts:
            part.upload()
    except (Refused, OSError) as error:
        return str(error)
    urls = " ".join(part.url for part in parts)
    metadata = f"filename {base64.b64encode(path.name.encode()).decode()}"
    answer = Client(url, content).send("POST", url, [("Upload-Concat", f"final;{urls}"), ("Upload-Metadata", metadata)])
    if answer.status != 201 or not answer.getheader("Location"):
        return f"{answer.status} for the joined upload"
    if path.read_bytes() != content:
        return f"{path.name} has other content"
    path.unlink()
    return None


def terminated(url, folder, content):
    client = Client(url, content, uppy("again.bin"), chunkSize=len(content) // 2)
    try:
        client.patch(client.create())
        status = client.send("DELETE", client.url).status
        if status != 204:
            return f"DELETE is answered with {status}"
        if client.resume() is not None:
            return "the upload is still there"
    except (Refused, OSError) as error:
        return str(error)
    return attempt(client, folder / "again.bin", None)


def conflicting(url, content):
    client = Client(url, content, uppy("conflict.bin"))
    client.create()
    try:
        client.patch(3)
        return "it was accepted"
    except Refused as error:
        problem = None if str(error).startswith("409") else str(error)
    client.send("DELETE", client.url)
    return problem
