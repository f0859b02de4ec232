"""A server on loopback that keeps the body of every request posted to it, and gives browsers a page to post it from."""

import threading
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Our forms have 2 KiB. Other requests are not kept.
MOST_BYTES = 64 << 10


class Server(ThreadingHTTPServer):
    """`received` maps a client's name (the path without its slash) to content type and body."""

    daemon_threads = True

    def __init__(self, page: bytes):
        super().__init__(("127.0.0.1", 0), Handler)
        self.page = page
        self.received: dict[str, tuple[str, bytes]] = {}
        self.arrived = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "Server":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """A client that disconnects before the answer has still sent its form."""

    def take(self, name: str, headers: Message, body: bytes) -> None:
        with self.arrived:
            self.received[name] = (headers["Content-Type"], body)
            self.arrived.notify_all()

    def wait(self, names: list[str], seconds: float) -> bool:
        with self.arrived:
            return self.arrived.wait_for(lambda: all(name in self.received for name in names), seconds)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    server: Server

    def do_GET(self) -> None:
        self.answer(self.server.page if self.path.startswith("/page") else b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b"".join(self.chunks())
        else:
            body = self.rfile.read(min(int(self.headers["Content-Length"]), MOST_BYTES))
        self.server.take(self.path.lstrip("/"), self.headers, body)
        self.answer(b"ok")

    def chunks(self):
        while size := int(self.rfile.readline(32).split(b";")[0], 16):
            yield self.rfile.read(min(size, MOST_BYTES))
            self.rfile.readline(32)
        while self.rfile.readline(1024).strip():
            pass

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
