"""What servers for tests have in common: they read the body of a request, and answer with a text."""

from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


def parts(content_type: str, body: bytes) -> list:
    """The parts of a form, as Python's email package reads them."""
    return list(BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body).iter_parts())


class Server(ThreadingHTTPServer):
    """A server on loopback, which serves while a block runs."""

    daemon_threads, request_queue_size = True, 64

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0):
        super().__init__(("127.0.0.1", port), handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "Server":
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """A client may disconnect at any time."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def body(self, most: int | None = None) -> bytes:
        """The body, with a length or in chunks; `most` bounds what is read of it, or of a chunk."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(self.chunks(most))
        length = int(self.headers["Content-Length"])
        return self.rfile.read(min(length, most or length))

    def chunks(self, most):
        while size := int(self.rfile.readline(32).split(b";")[0], 16):
            yield self.rfile.read(min(size, most or size))
            self.rfile.readline(32)
        while self.rfile.readline(1024).strip():
            pass

    def answer(self, status: int, text: str, headers: dict[str, str] = {}) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass
