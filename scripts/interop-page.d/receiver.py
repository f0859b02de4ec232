"""The receiver under test, and a proxy in front of it that can be slowed down."""

import re
import select
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path


class Receiver:
    """`formwork receive` with its own folder, which the browsers reach through the proxy."""

    def __init__(self, formwork, *options):
        self.outside = Path(tempfile.mkdtemp(prefix="formwork-page-"))
        self.folder = self.outside / "arrived"
        self.folder.mkdir()
        self.process = subprocess.Popen(
            [formwork, "receive", "--dir", str(self.folder), "--port", "0", "--grace", "1", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.log = []
        port = None
        while port is None:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("interop-page: the receiver ended:\n" + "".join(self.log))
            self.log.append(line)
            if found := re.search(r"http://(?:127\.0\.0\.1|localhost):(\d+)", line):
                port = int(found[1])
        # Keep reading, or the receiver would block when the pipe is full.
        threading.Thread(target=lambda: self.log.extend(self.process.stdout), daemon=True).start()
        self.gate = Gate(port)
        self.url = f"http://127.0.0.1:{self.gate.port}/"

    def files(self):
        """Files with their final name, by name; names that begin with a dot belong to the receiver."""
        return {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file() and not p.name.startswith(".")}

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Gate:
    """Passes bytes on; those to the receiver no faster than `rate` (bytes a second, None: unlimited)."""

    def __init__(self, port):
        self.target = port
        self.rate = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            browser, _ = self.listener.accept()
            # A bounded buffer, so that the browser's progress is close to the receiver's; much smaller ones stall on loopback.
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 262_144)
            threading.Thread(target=self.serve, args=(browser,), daemon=True).start()

    def serve(self, browser):
        try:
            with browser, socket.create_connection(("127.0.0.1", self.target)) as receiver:
                while True:
                    ready, _, _ = select.select([browser, receiver], [], [])
                    for source in ready:
                        data = source.recv(65536)
                        if not data:
                            return
                        (receiver if source is browser else browser).sendall(data)
                        if source is browser and self.rate:
                            time.sleep(len(data) / self.rate)
        except OSError:
            pass  # one side closed the connection
