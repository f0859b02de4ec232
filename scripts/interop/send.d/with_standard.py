"""Python's standard library alone: http.server for the request, email for the form."""

import platform
import sys
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rows import is_first, row


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self):
        self.answer(200, f"Python {platform.python_version()}, http.server and email\n")

    def do_POST(self):
        match self.path.split("/"):
            case ["", "form"]:
                self.answer(200, self.rows())
            case ["", "moved"]:
                self.hang_up(307, "elsewhere\n", {"Location": "/form"})
            case ["", "busy", key] if is_first(key):
                self.hang_up(503, "busy\n", {"Retry-After": "1"})
            case ["", "busy", _]:
                self.answer(200, self.rows())
            case ["", "full"]:
                self.hang_up(413, "too large\n", {})

    def rows(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b"".join(self.chunks())
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        text = ""
        for part in BytesParser(policy=HTTP).parsebytes(head + body).iter_parts():
            disposition = part["Content-Disposition"].params
            # The parser takes bytes beyond ASCII for surrogates; the headers are UTF-8.
            name, filename = (
                None if text is None else text.encode("utf-8", "surrogateescape").decode("utf-8")
                for text in (disposition.get("name"), disposition.get("filename"))
            )
            text += row(name, filename, part.get_payload(decode=True))
        return text

    def chunks(self):
        while size := int(self.rfile.readline(32).split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline(32)
        while self.rfile.readline(1024).strip():
            pass

    def hang_up(self, status, text, headers):
        """Answers before the body was read, and reads none of it."""
        self.close_connection = True
        self.answer(status, text, {**headers, "Connection": "close"})

    def answer(self, status, text, headers={}):
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.daemon_threads = True
server.serve_forever()
