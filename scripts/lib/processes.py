"""Servers on loopback that run while a script runs."""

import os
import signal
import socket
import subprocess
import time


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def is_listening(port: int, host: str = "127.0.0.1") -> bool:
    try:
        socket.create_connection((host, port)).close()
        return True
    except OSError:
        return False


class Process:
    """A program in its own session, so that its children are killed with it; its output is kept for error messages."""

    def __init__(self, command: list, *, folder, environment: dict[str, str], log):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)

    def wait_until(self, is_ready, seconds: float) -> bool:
        """Polls until `is_ready` returns true; false if the program exits or the time has passed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if is_ready():
                return True
            time.sleep(0.05)
        return False

    def last_words(self) -> str:
        return open(self.log, errors="replace").read().strip()[-600:]

    def stop(self, seconds: float = 10) -> int:
        """Stops it, with SIGKILL if necessary; returns its exit status."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # And any children that it left.
            self.signal(signal.SIGKILL)
        return self.process.wait()

    def signal(self, number: int) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass
