"""`formwork receive` on loopback, for scripts."""

import re
import sys
import time
from pathlib import Path

from processes import Process, peak, processor_seconds


class Receiver:
    """A receiver on a port of its own, which can be killed, and started again on that port. It stops at the end of a block."""

    def __init__(self, command, folder, environment=None, port=0, errors=None):
        """`command` has everything but the port; 0 is one that the system chooses. The folder gets a log for each start."""
        self.command, self.place, self.environment, self.port, self.errors = command, folder, environment, port, errors
        self.starts = self.highest = 0
        self.start()

    def start(self):
        # The port may be in use for a moment after a kill.
        for _ in range(50 if self.port else 1):
            self.starts += 1
            self.process = Process(
                [*self.command, "--port", self.port], folder=self.place, environment=self.environment, errors=self.errors,
                log=self.place / f"receive-{self.starts}.log")
            if self.process.wait_until(self.is_listening, 30):
                return
            self.process.stop()
            time.sleep(0.1)
        raise SystemExit(f"{Path(sys.argv[0]).name}: formwork receive does not start: {self.process.last_words()}")

    def is_listening(self):
        """Whether it has printed its address."""
        found = re.search(r'(https?)://[^\s/"]+:(\d+)/', self.process.output())
        if found:
            self.scheme, self.port = found[1], int(found[2])
        return bool(found)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/"

    @property
    def pid(self):
        return self.process.process.pid

    def peak(self):
        """The most MiB that it has had in this start, and in those in which this was asked."""
        try:
            self.highest = max(self.highest, int(peak(self.pid)))
        except (OSError, TypeError):
            pass  # it has ended
        return self.highest

    def cpu(self):
        return processor_seconds(self.pid)

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()

    def stop(self, seconds=10):
        return self.process.stop(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
