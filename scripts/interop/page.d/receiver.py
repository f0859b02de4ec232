"""The receiver under test, and a proxy in front of it that can be slowed down, cut and silenced."""

import re
import select
import socket
import tempfile
import time
from pathlib import Path

import receiving
from relays import serving


class Receiver(receiving.Receiver):
    """`formwork receive` with its own folder, which the browsers reach through the proxy."""

    def __init__(self, formwork, *options):
        self.outside = Path(tempfile.mkdtemp(prefix="formwork-page-"))
        self.folder = self.outside / "arrived"
        self.folder.mkdir()
        log = Path(tempfile.mkdtemp(prefix="formwork-page-"))
        super().__init__([formwork, "receive", "--dir", self.folder, "--grace", "1", *options], log)
        self.gate = Gate(self.port)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.gate.port}/"

    def files(self):
        """Files with their final name, by path; names that begin with a dot belong to the receiver."""
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*")
                if p.is_file() and not any(part.startswith(".") for part in p.relative_to(self.folder).parts)}

    def unfinished(self):
        """The resumable uploads whose bytes the receiver keeps."""
        return [p for p in (self.folder / ".formwork-resumable").glob("*") if p.suffix == ".data"]

    def stop(self):
        self.gate.open()
        super().stop()


class Gate:
    """Passes bytes on; those to the receiver no faster than `rate` (bytes a second and connection, None: unlimited)."""

    def __init__(self, port):
        self.target = port
        self.rate = None
        self.passed = 0  # bytes that went to the receiver
        self.is_silent = False
        self.is_cut = False
        self.cuts = 0
        self.lost = 0  # how many of the next answers to uploads are lost on the way
        self.is_interim = False  # whether the next PATCH gets an interim answer alone, and doesn't reach the receiver
        self.status = None  # the status that replaces that of the answers to uploads after those
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        serving(self.listener, self.serve)

    def silence(self):
        """Like a network that is gone: connections stay, and nothing comes through."""
        self.is_silent = True

    def cut(self):
        """Ends all connections, and refuses new ones."""
        self.is_cut = True
        self.cuts += 1

    def open(self):
        self.is_silent = self.is_cut = False

    @staticmethod
    def answer_with_interim(browser, data):
        """Like a balancer whose receiver was killed after its interim answer."""
        head, _, body = data.partition(b"\r\n\r\n")
        left = int(re.search(rb"(?i)content-length: (\d+)", head)[1]) - len(body)
        while left > 0 and (piece := browser.recv(65536)):
            left -= len(piece)
        browser.sendall(b"HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Offset: 1\r\n\r\n")

    def wait_while_silent(self):
        while self.is_silent:
            time.sleep(0.05)

    def serve(self, browser):
        if self.is_cut:
            browser.close()
            return
        # A bounded buffer, so that the browser's progress is close to the receiver's; much smaller ones stall on loopback.
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 262_144)
        cuts = self.cuts
        try:
            self.wait_while_silent()
            with browser, socket.create_connection(("127.0.0.1", self.target)) as receiver:
                while cuts == self.cuts:
                    ready, _, _ = select.select([browser, receiver], [], [], 0.1)
                    for source in ready:
                        self.wait_while_silent()
                        data = source.recv(65536)
                        if not data:
                            return
                        if source is browser and self.is_interim and data.startswith(b"PATCH"):
                            self.is_interim = False
                            return self.answer_with_interim(browser, data)
                        if source is receiver and self.lost and data.startswith(b"HTTP/1.1 201"):
                            self.lost -= 1
                            return
                        if source is receiver and self.status and data.startswith(b"HTTP/1.1 201"):
                            text = b'{"detail":"Not now, in a test."}'
                            browser.sendall(
                                b"HTTP/1.1 %d X\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\n"
                                b"Connection: close\r\n\r\n%s" % (self.status, len(text), text))
                            return
                        (receiver if source is browser else browser).sendall(data)
                        if source is browser:
                            self.passed += len(data)
                            if self.rate:
                                time.sleep(len(data) / self.rate)
        except OSError:
            pass  # one side closed the connection
