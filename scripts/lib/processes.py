"""Programs that serve on loopback while a script runs."""

import os
import signal
import socket
import subprocess
import time


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


class Process:
    """A program in a session of its own, so that its children end with it; what it prints is kept for when it fails."""

    def __init__(self, command: list, *, folder, environment: dict[str, str], log):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)

    def wait_until(self, is_ready, seconds: float) -> bool:
        """Asks until `is_ready` gives something true; false when the program ends or the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if is_ready():
                return True
            time.sleep(0.05)
        return False

    def last_words(self) -> str:
        return open(self.log, errors="replace").read().strip()[-600:]

    def stop(self, seconds: float = 10) -> int:
        """Asks it to end, and sees to it; its exit status."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # Its children, too, when it left any.
            self.signal(signal.SIGKILL)
        return self.process.wait()

    def signal(self, number: int) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass
