"""The sections that send to a server and receive from curl. The bench is passed as an argument, because it isn't a module."""

import contextlib
import functools
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MANY, MANY_SIZE = 200, 16 << 20


def send_section(core, bench):
    """A form of 4 GiB sent to a web server: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    form = ["-F", "a=1", "-F", f"f=@{bench.big.path}", "-F", f"g=@{bench.big.path}"]
    commands = {
        "formwork": lambda url: [bench.formwork, "send", url, "--progress", "none", *form],
        "curl": lambda url: ["curl", "-sS", *form, url],
    }
    packages = [core.python_package(name) for name in ("requests-toolbelt",)]
    if all(package.exists() for package in packages):
        program = [sys.executable, core.C_SOURCES / "toolbelt.py"]
        path = "PYTHONPATH=" + ":".join(map(str, packages))
        commands["requests-toolbelt"] = lambda url: ["env", path, *program, url, f"f={bench.big.path}", f"g={bench.big.path}"]
    lengths = {name: bench.check_posted(command, functools.partial(check_twice, core, bench.big)) for name, command in commands.items()}
    with bench.http_sink(len(commands) * (bench.pairs + 1)) as (_, url):
        runs = [functools.partial(bench.to_http, command(url), lengths[name]) for name, command in commands.items()]
        samples = dict(zip(commands, core.alternate(bench.pairs, *runs)))
    size = 2 * bench.big.size / core.GIB
    case = f"form of {size:.3g} GiB by formwork send"
    rows = [core.compare(case, "curl -F", samples["formwork"], samples["curl"], core.Goal(wall=1, cpu=1, peak_mib=64))]
    if "requests-toolbelt" in samples:
        goal = core.Goal(wall=1, cpu=1)
        rows.append(core.compare("the same", "requests-toolbelt", samples["formwork"], samples["requests-toolbelt"], goal))
    return rows


def check_twice(core, big, stream):
    """Checks a form whose two files are the same; returns its length."""
    head, rest = core.read_file_part_head(stream)
    boundary = head.split(b"\r\n", 1)[0]
    length = len(head) + big.size
    digest, rest = core.digest_exactly(stream, big.size, rest)
    core.require(digest == big.digest, "the first file arrived changed")
    while b"\r\n\r\n" not in rest:
        rest += stream.read(4096)
    second, rest = rest.split(b"\r\n\r\n", 1)
    core.require(second.startswith(b"\r\n" + boundary + b"\r\n"), "no second part")
    length += len(second) + 4 + big.size
    digest, rest = core.digest_exactly(stream, big.size, rest)
    core.require(digest == big.digest, "the second file arrived changed")
    tail = rest + stream.read()
    core.require(tail == b"\r\n" + boundary + b"--\r\n", f"the body ends in {tail[:80]!r}")
    return length + len(tail)


@contextlib.contextmanager
def receiving(core, bench, command, samples):
    """A server under the launcher: returns its address, and adds its cost to `samples` when it has exited."""
    report_reader, report_writer = os.pipe()
    launcher = [core.c_program("measure"), str(report_writer), *map(str, command)]
    with open(bench.errors, "wb") as errors, open(report_reader) as report:
        with core.running(
            launcher, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, pass_fds=[report_writer],
            env=bench.environment,
        ) as server:
            os.close(report_writer)
            port = re.search(rb"(?:127\.0\.0\.1:|^)(\d+)", server.stdout.readline())
            core.require(port, f"{command[0]}: no address: {bench.errors.read_text()[-300:]}")
            yield f"http://127.0.0.1:{int(port[1])}/"
            server.send_signal(signal.SIGTERM)
            server.wait(core.RUN_LIMIT)
        start, end, user, system, peak_kib, _, _ = report.read().split()
    samples.append(core.Sample(float(end) - float(start), float(user) + float(system), int(peak_kib) / core.KIB))


def servers(core, bench, folder):
    """Commands of servers that write a form's files to a folder, by name."""
    found = {
        "formwork receive": [bench.formwork, "receive", "--dir", folder, "--port", "0", "--digest", "none", "--log-level", "error"],
        "with digests": [bench.formwork, "receive", "--dir", folder, "--port", "0", "--log-level", "error"],
    }
    if shutil.which("go"):
        found["Go net/http"] = [core.go_program("receive"), folder]
    flask = core.python_package("flask")
    if flask.exists():
        found["Flask"] = ["env", f"PYTHONPATH={flask}", sys.executable, core.C_SOURCES / "receive.py", folder]
    return found


def receive_section(core, bench):
    """A form of 4 GiB received from curl, CPU and memory of the server: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    samples = {}
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else bench.directory

    def run(name):
        with tempfile.TemporaryDirectory(prefix="formwork-bench-", dir=memory) as name_of_folder:
            folder = Path(name_of_folder)
            command = servers(core, bench, folder)[name]
            files = [word for part in "fg" for word in ("-F", f"{part}=@{bench.big.path};filename={part}.bin")]
            with receiving(core, bench, command, samples.setdefault(name, [])) as url:
                subprocess.run(
                    ["curl", "-sSf", "-o", "/dev/null", *files, url], env=bench.environment, check=True, timeout=core.RUN_LIMIT)
            check_received(core, bench, folder, name, len(samples[name]) == 1)

    names = list(servers(core, bench, bench.directory))
    for name in [name for _ in range(bench.pairs + 1) for name in names]:
        run(name)
    for runs in samples.values():
        del runs[0]
    ours = samples.pop("formwork receive")
    # The time also depends on the client and the machine; the server's cost is its CPU time.
    rows = []
    for name, theirs in samples.items():
        goal = core.Goal() if name == "with digests" else core.Goal(cpu=1, peak_mib=96)
        rows.append(core.compare(f"form of {2 * bench.big.size / core.GIB:.3g} GiB from curl", name, ours, theirs, goal))
    rows.append(concurrent_row(core, bench))
    return rows


def proxy_section(core, bench):
    """A form of 4 GiB that a Hummingbird app forwards while it arrives, memory of the app: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    program = core.swift_program("proxy")
    form = ["-F", f"f=@{bench.big.path}", "-F", f"g=@{bench.big.path}"]
    samples, times = [], []

    def send(url):
        command = ["curl", "-sSf", *form, url]
        return subprocess.Popen(command, env=bench.environment, stdout=subprocess.PIPE)

    reader, writer = os.pipe()
    with open(reader, "rb") as body, bench.http_sink(1, str(writer), pass_fds=[writer]) as (_, sink):
        os.close(writer)
        with receiving(core, bench, [program, sink], []) as url, send(url):
            length = check_twice(core, bench.big, body)
    for _ in range(bench.pairs):
        with bench.http_sink(1) as (_, sink), receiving(core, bench, [program, sink], samples) as url:
            start = time.monotonic()
            answer = int(send(url).communicate(timeout=core.RUN_LIMIT)[0] or 0)
            times.append(time.monotonic() - start)
            core.require(answer == length, f"the server behind the app got {answer} bytes, not {length}")
    peak = max(sample.peak_mib for sample in samples)
    return [core.Row(
        case=f"form of {2 * bench.big.size / core.GIB:.3g} GiB sent on by a Hummingbird app",
        peer=core.seconds(statistics.median(times)), reference="", wall="", cpu="", peak=f"{peak:.1f}",
        goal="whole, peak ≤ 64 MiB", met=peak <= 64, data={"peer": [vars(sample) for sample in samples]})]


def check_received(core, bench, folder, name, thoroughly):
    files = {path.name: path for path in folder.iterdir()}
    core.require(set(files) == {"f.bin", "g.bin"}, f"{name}: {sorted(files)} in its folder")
    for path in files.values():
        core.require(path.stat().st_size == bench.big.size, f"{name}: {path.name} has {path.stat().st_size} bytes")
        if thoroughly:
            with open(path, "rb") as stream:
                core.check_raw(stream, bench.big)


def concurrent_row(core, bench):
    """200 uploads at once."""
    count = 50 if bench.quick else MANY
    content = bench.directory / "sixteen"
    content.write_bytes(os.urandom(MANY_SIZE))
    config = "next\n".join(
        f'url = "URL"\nform = "f=@{content};filename={number:03}.bin"\noutput = "/dev/null"\nfail\n' for number in range(count))
    samples = []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else bench.directory
    with tempfile.TemporaryDirectory(prefix="formwork-bench-", dir=memory) as folder:
        command = [bench.formwork, "receive", "--dir", folder, "--port", "0", "--max-uploads", str(count), "--log-level", "error"]
        with receiving(core, bench, command, samples) as url:
            path = bench.directory / "two-hundred"
            path.write_text(config.replace("URL", url))
            subprocess.run(
                ["curl", "-sS", "--parallel", "--parallel-immediate", "--parallel-max", str(count), "-K", path],
                env=bench.environment, check=True, timeout=core.RUN_LIMIT)
        expected = content.read_bytes()
        files = sorted(Path(folder).iterdir())
        core.require([file.name for file in files] == [f"{number:03}.bin" for number in range(count)], "files are missing")
        core.require(all(file.read_bytes() == expected for file in files), "a file arrived changed")
    peak = samples[0].peak_mib
    return core.Row(
        case=f"{count} uploads of 16 MiB at once", peer=core.seconds(samples[0].wall), reference="", wall="", cpu="",
        peak=f"{peak:.1f}", goal="all whole, peak ≤ 256 MiB", met=peak <= 256, data={"peer": [vars(samples[0])]})
