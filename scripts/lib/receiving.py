"""`formwork receive` on loopback, for scripts."""

import re
import sys
from pathlib import Path

from processes import Process


class Receiver:
    """A receiver on a port of its own, which can be killed, and started again on that port."""

    def __init__(self, command, folder, environment=None, port=0):
        """`command` has everything but the port; 0 is one that the system chooses. The folder gets a log for each start."""
        self.command, self.place, self.environment, self.port = command, folder, environment, port
        self.starts = 0
        self.start()

    def start(self):
        self.starts += 1
        self.process = Process(
            [*self.command, "--port", self.port], folder=self.place, environment=self.environment,
            log=self.place / f"receive-{self.starts}.log")
        self.process.until(self.is_listening, 30, f"{Path(sys.argv[0]).name}: formwork receive")

    def is_listening(self):
        """Whether it has printed its address."""
        found = re.search(r"(https?)://(?:127\.0\.0\.1|localhost):(\d+)", self.process.output())
        if found:
            self.scheme, self.port = found[1], int(found[2])
        return bool(found)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/"

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()

    def stop(self, seconds=10):
        return self.process.stop(seconds)
