#!/usr/bin/env python3
"""An object store with Amazon S3's interface for one bucket, on loopback, for scripts. It checks the SHA-256 that a request names, not signatures.

    scripts/lib/objectstore.py --port PORT --folder FOLDER [--fail SHARE] [--seed N]

It has what `formwork receive --to` needs: PutObject and CompleteMultipartUpload heed If-None-Match and If-Match, parts but the
last have 5 MiB, ranges are copied only of objects above that, lists come in pages. With --fail it refuses that share of the requests
(503), carries out as many again without an answer, and closes as many connections before it has read the request.
GET /_counts returns what was asked so far; GET /_ahead?seconds=N sets the store's clock forward.
"""

import argparse
import hashlib
import json
import random
import re
import socketserver
import tempfile
import threading
import time
from collections import Counter
from email.utils import formatdate
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

LEAST_PART = 5 << 20
AHEAD = [0]
PAGE = 1000


def now():
    """The store's own time."""
    return time.time() + AHEAD[0]


class Object:
    """Bytes in files, which parts of several objects may share."""

    def __init__(self, slices, tag, headers):
        self.slices, self.tag, self.modified = slices, tag, now()
        self.size = sum(count for _, _, count in slices)
        self.headers = {name: value for name, value in headers.items() if name.startswith("x-amz-meta-")}

    def range(self, start, end):
        place = 0
        for path, offset, count in self.slices:
            low, high = max(start, place), min(end, place + count)
            if low < high:
                yield path, offset + low - place, high - low
            place += count


class Upload:
    def __init__(self, key, headers):
        self.key, self.headers, self.parts, self.began = key, headers, {}, now()


class Store:
    def __init__(self, folder, settings):
        self.folder, self.settings = folder, settings
        self.lock = threading.Lock()
        self.objects, self.uploads = {}, {}
        self.number = 0
        self.random = random.Random(settings.seed)
        self.counts, self.connections, self.most = Counter(), 0, 0
        self.read = self.written = 0

    def name(self):
        with self.lock:
            self.number += 1
            return self.number

    def fate(self):
        """Whether a request is refused, lost before or after it is carried out, or neither."""
        with self.lock:
            chance = self.random.random()
        share = self.settings.fail
        return ["refused", "unread", "unanswered"][int(chance / share)] if chance < 3 * share else None


class Failure(Exception):
    def __init__(self, status, code):
        self.status, self.code = status, code


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


class Handler(socketserver.StreamRequestHandler):
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def handle(self):
        store = self.server.store
        with store.lock:
            store.connections += 1
            store.most = max(store.most, store.connections)
        try:
            while self.one(store):
                pass
        except (ConnectionError, BrokenPipeError):
            pass
        finally:
            with store.lock:
                store.connections -= 1

    def one(self, store):
        line = self.line()
        if not line:
            return False
        self.method, target, _ = line.split()
        self.headers = {}
        while line := self.line():
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        url = urlsplit(target)
        self.query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        self.key = unquote(url.path).removeprefix("/").partition("/")[2]
        if url.path == "/_counts":
            with store.lock:
                text = json.dumps({
                    "requests": dict(store.counts), "connections": store.connections, "most": store.most,
                    "read": store.read, "written": store.written})
            return self.answer(200, {}, text.encode())
        if url.path == "/_ahead":
            AHEAD[0] += int(self.query["seconds"])
            return self.answer(200, {}, b"")
        fate = store.fate()
        if fate == "unread":
            return False
        body, digest = self.body(store)
        operation = self.operation()
        with store.lock:
            store.counts[operation] += 1
        try:
            if fate == "refused":
                raise Failure(503, "SlowDown")
            if self.headers.get("x-amz-content-sha256") not in (None, "UNSIGNED-PAYLOAD", digest):
                raise Failure(400, "XAmzContentSHA256Mismatch")
            status, headers, content = getattr(self, operation)(store, body)
        except Failure as failure:
            text = f"<Error><Code>{failure.code}</Code><Message>m</Message></Error>"
            status, headers, content = failure.status, {}, text.encode()
        return fate != "unanswered" and self.answer(status, headers, content)

    def line(self):
        """A line of the head; a head that was cut isn't a request."""
        line = self.rfile.readline(1 << 16)
        if not line.endswith(b"\n"):
            raise ConnectionError
        return line.decode().rstrip("\r\n")

    def operation(self):
        part, upload = "partNumber" in self.query, "uploadId" in self.query
        copied = "x-amz-copy-source" in self.headers
        match self.method:
            case "POST": return "create" if "uploads" in self.query else "delete_many" if "delete" in self.query else "complete"
            case "PUT": return ("copy_part" if copied else "put_part") if part else "put"
            case "DELETE": return "abort" if upload else "delete"
            case "HEAD": return "head"
        if not self.key:
            return "list_uploads" if "uploads" in self.query else "list_objects"
        return "list_parts" if upload else "get"

    def body(self, store):
        """The request's body as bytes, or as a slice of a file if it is long, and its SHA-256."""
        left = int(self.headers.get("content-length", 0))
        if left < 1 << 20:
            body = self.rfile.read(left)
            if len(body) < left:
                raise ConnectionError
            return body, hashlib.sha256(body).hexdigest()
        path = store.folder / f"{store.name()}"
        count = left
        digest = hashlib.sha256()
        with open(path, "wb", buffering=0) as file:
            while left:
                piece = self.rfile.read(min(left, 1 << 20))
                if not piece:
                    raise ConnectionError
                file.write(piece)
                digest.update(piece)
                left -= len(piece)
        with store.lock:
            store.written += count
        return [(path, 0, count)], digest.hexdigest()

    def slices(self, store, body):
        if isinstance(body, list) or not body:
            return body or []
        path = store.folder / f"{store.name()}"
        path.write_bytes(body)
        with store.lock:
            store.written += len(body)
        return [(path, 0, len(body))]

    def answer(self, status, headers, content):
        length = headers.pop("Content-Length", None)
        lines = [f"HTTP/1.1 {status} X", f"Date: {formatdate(now(), usegmt=True)}", "x-amz-request-id: 1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        size = content.size if isinstance(content, Body) else len(content)
        lines.append(f"Content-Length: {length if length is not None else size}")
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        if self.method != "HEAD":
            if isinstance(content, Body):
                for path, offset, count in content.slices:
                    with open(path, "rb") as file:
                        file.seek(offset)
                        while count:
                            piece = file.read(min(count, 1 << 20))
                            self.wfile.write(piece)
                            count -= len(piece)
            else:
                self.wfile.write(content)
        self.wfile.flush()
        return self.headers.get("connection", "").lower() != "close"

    # Objects

    def check(self, store):
        """Preconditions; the lock is held."""
        found = store.objects.get(self.key)
        match = self.headers.get("if-match")
        if self.headers.get("if-none-match") == "*" and found:
            raise Failure(412, "PreconditionFailed")
        if match and (not found or found.tag != match):
            raise Failure(412 if found else 404, "PreconditionFailed" if found else "NoSuchKey")

    def put(self, store, body):
        slices, tag = self.slices(store, body), f'"{store.name():032x}"'
        with store.lock:
            self.check(store)
            store.objects[self.key] = Object(slices, tag, self.headers)
        return 200, {"ETag": tag}, b""

    def find(self, store, key):
        with store.lock:
            found = store.objects.get(key)
        if not found:
            raise Failure(404, "NoSuchKey")
        return found

    def head(self, store, body):
        found = self.find(store, self.key)
        return 200, {"Content-Length": found.size, "ETag": found.tag, **found.headers}, b""

    def get(self, store, body):
        found = self.find(store, self.key)
        headers = {"ETag": found.tag, "Last-Modified": formatdate(found.modified, usegmt=True)}
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
        start, end = (int(match[1]), int(match[2]) + 1) if match else (0, found.size)
        if end > found.size:
            raise Failure(416, "InvalidRange")
        with store.lock:
            store.read += end - start
        return 206 if match else 200, headers, Body(list(found.range(start, end)))

    def delete(self, store, body):
        with store.lock:
            store.objects.pop(self.key, None)
        return 204, {}, b""

    def delete_many(self, store, body):
        with store.lock:
            for key in re.findall(r"<Key>([^<]*)</Key>", self.text(body)):
                store.objects.pop(unescape(key, {"&quot;": '"'}), None)
        return 200, {}, b"<DeleteResult></DeleteResult>"

    def list_objects(self, store, body):
        prefix, after = self.query.get("prefix", ""), self.query.get("continuation-token", "")
        with store.lock:
            found = sorted((key, one) for key, one in store.objects.items() if key.startswith(prefix) and key > after)
        items = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{one.size}</Size><LastModified>{stamp(one.modified)}</LastModified></Contents>"
            for key, one in found[:PAGE])
        more = len(found) > PAGE
        token = f"<NextContinuationToken>{escape(found[PAGE - 1][0])}</NextContinuationToken>" if more else ""
        text = f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{token}{items}</ListBucketResult>"
        return 200, {}, text.encode()

    # Multipart uploads

    def upload(self, store):
        """The lock is held."""
        found = store.uploads.get(self.query["uploadId"])
        if not found or found.key != self.key:
            raise Failure(404, "NoSuchUpload")
        return found

    def create(self, store, body):
        name = f"u{store.name():08}"
        with store.lock:
            store.uploads[name] = Upload(self.key, self.headers)
        return 200, {}, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>".encode()

    def keep(self, store, slices):
        tag = f'"{store.name():032x}"'
        with store.lock:
            self.upload(store).parts[int(self.query["partNumber"])] = (slices, tag)
        return tag

    def put_part(self, store, body):
        return 200, {"ETag": self.keep(store, self.slices(store, body))}, b""

    def copy_part(self, store, body):
        source = self.find(store, unquote(self.headers["x-amz-copy-source"]).removeprefix("/").partition("/")[2])
        start, end = 0, source.size
        if match := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("x-amz-copy-source-range", "")):
            start, end = int(match[1]), int(match[2]) + 1
            if end > source.size or source.size <= LEAST_PART:
                raise Failure(400, "InvalidRequest")
        tag = self.keep(store, list(source.range(start, end)))
        return 200, {}, f"<CopyPartResult><ETag>{escape(tag)}</ETag></CopyPartResult>".encode()

    def complete(self, store, body):
        text = self.text(body)
        named = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>([^<]+)</ETag>", text)
        with store.lock:
            found = self.upload(store)
            self.check(store)
            slices = []
            for index, (number, tag) in enumerate(named):
                part = found.parts.get(int(number))
                if not part or part[1] != tag.replace("&quot;", '"'):
                    raise Failure(400, "InvalidPart")
                if index < len(named) - 1 and sum(count for _, _, count in part[0]) < LEAST_PART:
                    raise Failure(400, "EntityTooSmall")
                slices += part[0]
            if not named:
                raise Failure(400, "MalformedXML")
            store.number += 1
            store.objects[self.key] = Object(slices, f'"{store.number:032x}"', found.headers)
            del store.uploads[self.query["uploadId"]]
        return 200, {}, b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"

    @staticmethod
    def text(body):
        if isinstance(body, bytes):
            return body.decode()
        return "".join(Path(path).read_text() for path, _, _ in body)

    def abort(self, store, body):
        with store.lock:
            self.upload(store)
            del store.uploads[self.query["uploadId"]]
        return 204, {}, b""

    def list_uploads(self, store, body):
        prefix = self.query.get("prefix", "")
        after = (self.query.get("key-marker", ""), self.query.get("upload-id-marker", ""))
        with store.lock:
            found = sorted((one.key, name, one.began) for name, one in store.uploads.items() if one.key.startswith(prefix))
        found = [one for one in found if (one[0], one[1]) > after]
        items = "".join(
            f"<Upload><Key>{escape(key)}</Key><UploadId>{name}</UploadId><Initiated>{stamp(began)}</Initiated></Upload>"
            for key, name, began in found[:PAGE])
        more = len(found) > PAGE
        marker = (
            f"<NextKeyMarker>{escape(found[PAGE - 1][0])}</NextKeyMarker>"
            f"<NextUploadIdMarker>{found[PAGE - 1][1]}</NextUploadIdMarker>") if more else ""
        text = (
            f"<ListMultipartUploadsResult><IsTruncated>{str(more).lower()}</IsTruncated>{marker}{items}"
            "</ListMultipartUploadsResult>")
        return 200, {}, text.encode()

    def list_parts(self, store, body):
        with store.lock:
            parts = sorted(self.upload(store).parts)
            began = self.upload(store).began
        items = "".join(
            f"<Part><PartNumber>{number}</PartNumber><LastModified>{stamp(began)}</LastModified></Part>" for number in parts)
        return 200, {}, f"<ListPartsResult><IsTruncated>false</IsTruncated>{items}</ListPartsResult>".encode()


class Body:
    """An object's bytes as an answer."""

    def __init__(self, slices):
        self.slices = slices
        self.size = sum(count for _, _, count in slices)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--fail", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    settings = parser.parse_args()
    folder = settings.folder or Path(tempfile.mkdtemp(prefix="formwork-store-"))
    server = Server(("127.0.0.1", settings.port), Handler)
    server.store = Store(folder, settings)
    server.serve_forever()


if __name__ == "__main__":
    main()
