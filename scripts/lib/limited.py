#!/usr/bin/env python3
"""Runs a command. If it hasn't ended in time, says what it waits for, and stops it and all that it started.

    limited.py MINUTES COMMAND...    status: the command's own, or 124 if it was stopped
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys


def started_by(root: int) -> list[int]:
    """A process and its descendants, oldest first; only itself where there is no /proc."""
    above = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in parentheses, may have spaces.
            above[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found = [root]
    for process in found:
        found += sorted(child for child, parent in above.items() if parent == process)
    return found


def describe(process: int) -> None:
    try:
        words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        print(f"    process {process}: {words.strip()[:300]}", flush=True)
    except OSError:
        pass


def stacks(process: int) -> None:
    """Where each thread is, if a debugger is installed and may look."""
    if shutil.which("gdb"):
        command = ["gdb", "-batch", "-p", str(process), "-ex", "thread apply all backtrace 30"]
    elif shutil.which("lldb"):
        command = ["lldb", "--batch", "-p", str(process), "-o", "thread backtrace all -c 30"]
    else:
        return
    try:
        output = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120).stdout
        lines = [line for line in output.decode(errors="replace").splitlines() if "frame #" in line or line.startswith(("#", "Thread"))]
        print("\n".join(line[:200] for line in lines[:300]), flush=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"    no stacks: {error}")


def stop(root: int) -> None:
    for process in reversed(started_by(root)):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


minutes, words = float(sys.argv[1]), sys.argv[2:]
child = subprocess.Popen(words)


def leave(number, _) -> None:
    stop(child.pid)
    sys.exit(128 + number)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, leave)
try:
    status = child.wait(minutes * 60)
except subprocess.TimeoutExpired:
    print(f"\nNot ended after {minutes:g} minutes: {' '.join(words)}", flush=True)
    for process in started_by(child.pid):
        describe(process)
    stacks(child.pid)
    stop(child.pid)
    child.wait()
    status = 124
sys.exit(status if status >= 0 else 128 - status)
