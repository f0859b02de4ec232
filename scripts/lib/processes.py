"""Servers on loopback that run while a script runs."""

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def is_listening(port: int, host: str = "127.0.0.1") -> bool:
    try:
        socket.create_connection((host, port)).close()
        return True
    except OSError:
        return False


def peak(process: int) -> float:
    """The most memory that a process has had, in MiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def transferred(process: int) -> tuple[int, int]:
    """Bytes that a process has read and written, sockets included."""
    lines = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
    return int(lines["rchar"]), int(lines["wchar"])


class Process:
    """A program in its own session, so that its children are killed with it; its output is kept for error messages."""

    def __init__(self, command: list, *, folder, log, environment: dict[str, str] | None = None, errors: int | None = None):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT if errors is None else errors, start_new_session=True)

    def wait_until(self, is_ready, seconds: float) -> bool:
        """Polls until `is_ready` returns true; false if the program exits or the time has passed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if is_ready():
                return True
            time.sleep(0.05)
        return False

    def until(self, is_ready, seconds: float, name: str, failure: type = SystemExit) -> "Process":
        """Waits for `is_ready`; a program that doesn't get there is stopped, and is a failure."""
        if not self.wait_until(is_ready, seconds):
            self.stop()
            raise failure(f"{name} does not start: {self.last_words()}")
        return self

    def output(self) -> str:
        return Path(self.log).read_text(errors="replace")

    def last_words(self) -> str:
        return self.output().strip()[-600:]

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.process.wait()

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
