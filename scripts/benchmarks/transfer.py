"""The sections that send to a server and receive from curl. The bench is passed as an argument, because it isn't a module."""

import contextlib
import functools
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from certificates import self_signed
from nginx import configured
from processes import free_port

MANY, MANY_SIZE = 200, 16 << 20


def two_files(bench):
    """The words of a form with the big file twice, and what it is called."""
    size = 2 * bench.big.size / (1 << 30)
    return ["-F", "a=1", "-F", f"f=@{bench.big.path}", "-F", f"g=@{bench.big.path}"], f"form of {size:.3g} GiB"


def send_section(core, bench):
    """A form of 4 GiB sent to a web server: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    form, case = two_files(bench)
    commands = {
        "formwork": lambda url: [bench.formwork, "send", url, "--progress", "none", *form],
        "curl": lambda url: ["curl", "-sS", *form, url],
    }
    package = core.python_package("requests-toolbelt")
    if package.exists():
        program = ["env", f"PYTHONPATH={package}", sys.executable, core.C_SOURCES / "toolbelt.py"]
        commands["requests-toolbelt"] = lambda url: [*program, url, f"f={bench.big.path}", f"g={bench.big.path}"]
    checks = [functools.partial(check_twice, core, bench.big)] * len(commands)
    samples = dict(zip(commands, bench.post_in_turn(commands.values(), checks)))
    goal = core.Goal(wall=1, cpu=1, peak_mib=64)
    rows = [core.compare(f"{case} by formwork send", "curl -F", samples["formwork"], samples["curl"], goal)]
    if "requests-toolbelt" in samples:
        goal = core.Goal(wall=1, cpu=1)
        rows.append(core.compare("the same", "requests-toolbelt", samples["formwork"], samples["requests-toolbelt"], goal))
    return rows


@contextlib.contextmanager
def nginx(core, bench, server, samples=None):
    """nginx with a server block: yields its port. Its cost is added to `samples` when it has exited."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="formwork-bench-", dir=memory_folder(bench)) as name:
        http = "client_max_body_size 0;\n" + server.replace("PORT", str(port))
        command = configured(Path(name), http, "master_process off;")
        with receiving(core, bench, command, [] if samples is None else samples, port=port) as url:
            yield url


def memory_folder(bench):
    """A folder in memory if there is one: a disk would be what is measured."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else bench.directory


def tls_section(core, bench):
    """The same form over TLS to nginx, which passes it on to the sink: the client's time"""
    if not all(map(shutil.which, ("curl", "nginx", "openssl"))):
        return core.skipped("no curl, nginx or openssl")
    certificate, key = self_signed(bench.directory, "bench", "IP:127.0.0.1")
    form, case = two_files(bench)
    form = ["--cacert", certificate, *form]

    @contextlib.contextmanager
    def through_nginx(sink):
        server = (
            f"server {{\nlisten 127.0.0.1:PORT ssl http2; ssl_certificate {certificate}; ssl_certificate_key {key};\n"
            f"location / {{ {passed_on(sink)} }}\n}}")
        with nginx(core, bench, server) as url:
            yield url.replace("http:", "https:")

    rows = []
    for protocol in ("1.1", "2"):
        commands = [
            lambda url, p=protocol: [bench.formwork, "send", url, "--progress", "none", f"--http{p}", *form],
            lambda url, p=protocol: ["curl", "-sS", f"--http{p}", *form, url],
        ]
        ours, curl = bench.post_in_turn(commands, [functools.partial(check_twice, core, bench.big)] * 2, through_nginx)
        goal = core.Goal(cpu=1, peak_mib=64)
        rows.append(core.compare(f"{case} over TLS, HTTP/{protocol}, by formwork send", "curl -F", ours, curl, goal))
    return rows


def passed_on(url):
    """nginx's lines that pass a request on while it arrives."""
    return f"proxy_pass {url}; proxy_http_version 1.1; proxy_request_buffering off; proxy_read_timeout 600;"


def upload_section(core, bench):
    """The same form sent by a Swift program with AsyncHTTPClient, beside formwork send"""
    program = core.swift_program("network", "upload-bench")
    form, case = two_files(bench)
    commands = [
        lambda url: [program, url, bench.big.path, bench.big.path],
        lambda url: [bench.formwork, "send", url, "--progress", "none", *form],
    ]
    ours, send = bench.post_in_turn(commands, [functools.partial(check_twice, core, bench.big)] * 2)
    return [core.compare(f"{case} by HTTPClient.upload", "formwork send", ours, send, core.Goal(wall=1.2, cpu=1.2, peak_mib=64))]


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
def receiving(core, bench, command, samples, port=None):
    """A server under the launcher: returns its address, and adds its cost to `samples` when it has exited. A server with a
    given port doesn't print it."""
    report_reader, report_writer = os.pipe()
    launcher = [core.c_program("measure"), str(report_writer), *map(str, command)]
    with open(bench.errors, "wb") as errors, open(report_reader) as report:
        with core.running(
            launcher, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, pass_fds=[report_writer],
            env=bench.environment,
        ) as server:
            os.close(report_writer)
            if port is None:
                printed = re.search(rb"(?:127\.0\.0\.1:|^)(\d+)", server.stdout.readline())
                core.require(printed, f"{command[0]}: no address: {bench.errors.read_text()[-300:]}")
                port = int(printed[1])
            else:
                wait_for(core, bench, command, server, port)
            yield f"http://127.0.0.1:{port}/"
            server.send_signal(signal.SIGTERM)
            server.wait(core.RUN_LIMIT)
        start, end, user, system, peak_kib, _, _ = report.read().split()
    samples.append(core.Sample(float(end) - float(start), float(user) + float(system), int(peak_kib) / core.KIB))


def wait_for(core, bench, command, server, port):
    """Returns when the port takes connections."""
    while True:
        core.require(server.poll() is None, f"{command[0]}: has exited: {bench.errors.read_text()[-300:]}")
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port)).close()
        time.sleep(0.01)


def servers(core, bench, folder):
    """Servers that write files to a folder, by name; those of PUT get files, not forms. Each takes the list of its samples."""
    quiet = ["--dir", folder, "--port", "0", "--log-level", "error"]
    commands = {
        "formwork receive": [bench.formwork, "receive", *quiet, "--digest", "none"],
        "with digests": [bench.formwork, "receive", *quiet],
    }
    if shutil.which("go"):
        commands["Go net/http"] = [core.go_program("receive"), folder]
    flask = core.python_package("flask")
    if flask.exists():
        commands["Flask"] = ["env", f"PYTHONPATH={flask}", sys.executable, core.C_SOURCES / "receive.py", folder]
    found = {name: functools.partial(receiving, core, bench, command) for name, command in commands.items()}
    if shutil.which("nginx"):
        found["nginx, PUT"] = functools.partial(nginx, core, bench, f"server {{ listen 127.0.0.1:PORT; root {folder}; dav_methods PUT; }}")
    return found


def receive_section(core, bench):
    """A form of 4 GiB received from curl, CPU and memory of the server: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    samples = {}

    def run(name):
        with tempfile.TemporaryDirectory(prefix="formwork-bench-", dir=memory_folder(bench)) as name_of_folder:
            folder = Path(name_of_folder)
            with servers(core, bench, folder)[name](samples.setdefault(name, [])) as url:
                if name.endswith("PUT"):
                    words = [word for part in "fg" for word in ("-o", "/dev/null", "-T", bench.big.path, f"{url}{part}.bin")]
                else:
                    words = [word for part in "fg" for word in ("-F", f"{part}=@{bench.big.path};filename={part}.bin")]
                    words += ["-o", "/dev/null", url]
                subprocess.run(["curl", "-sSf", *words], env=bench.environment, check=True, timeout=core.RUN_LIMIT)
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
        # nginx doesn't parse anything.
        most = {"with digests": None, "nginx, PUT": 0.8}.get(name, 1)
        goal = core.Goal(cpu=most, peak_mib=most and 96)
        rows.append(core.compare(f"{two_files(bench)[1]} from curl", name, ours, theirs, goal))
    rows.append(concurrent_row(core, bench))
    return rows


def proxy_section(core, bench):
    """A form of 4 GiB that a Hummingbird app forwards while it arrives: the big file twice"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    program = core.swift_program("network", "proxy-bench")
    form = ["-F", f"f=@{bench.big.path}", "-F", f"g=@{bench.big.path}"]

    def send(url):
        command = ["curl", "-sSf", *form, url]
        return subprocess.Popen(command, env=bench.environment, stdout=subprocess.PIPE)

    @contextlib.contextmanager
    def unread(command, samples):
        with receiving(core, bench, command, samples) as url:
            yield f"{url}unread"

    # The same app without reading the form: what Hummingbird and AsyncHTTPClient need.
    programs = {"a Hummingbird app": functools.partial(receiving, core, bench), "the same app, unread": unread}
    if shutil.which("nginx"):
        programs["nginx"] = lambda command, samples: nginx(
            core, bench,
            f"server {{\nlisten 127.0.0.1:PORT;\nlocation / {{ {passed_on(command[1])} }}\n}}", samples)
    samples = {name: [] for name in programs}
    lengths = {}  # the app frames the form anew
    for name, start in programs.items():
        reader, writer = os.pipe()
        with open(reader, "rb") as body, bench.http_sink(1, str(writer), pass_fds=[writer]) as (_, sink):
            os.close(writer)
            with start([program, sink], []) as url, send(url):
                lengths[name] = check_twice(core, bench.big, body)
    for name, start in list(programs.items()) * bench.pairs:
        cost = []
        with bench.http_sink(1) as (_, sink), start([program, sink], cost) as url:
            began = time.monotonic()
            answer = int(send(url).communicate(timeout=core.RUN_LIMIT)[0] or 0)
            taken = time.monotonic() - began
            core.require(answer == lengths[name], f"the server behind {name} got {answer} bytes, not {lengths[name]}")
        # The time of the upload, and the cost of the program between.
        samples[name].append(core.Sample(taken, cost[0].cpu, cost[0].peak_mib))
    ours = samples["a Hummingbird app"]
    case = f"{two_files(bench)[1]} sent on by a Hummingbird app"
    goal = core.Goal(peak_mib=64)
    rows = [core.compare(case, "the same app, unread", ours, samples["the same app, unread"], goal)]
    if "nginx" in samples:
        rows.append(core.compare("the same", "nginx", ours, samples["nginx"], core.Goal(wall=1.3, peak_mib=64)))
    return rows


def far_section(core, bench):
    """A form to a server at 200 Mbit/s, 50 ms away"""
    if not shutil.which("curl"):
        return core.skipped("no curl")
    size = (16 if bench.quick else 128) * core.MIB
    path, content = bench.directory / "far", os.urandom(size)
    path.write_bytes(content)
    file = core.BigFile(path, size, hashlib.sha256(content).hexdigest())
    form = ["-F", "a=1", "-F", f"f=@{path}"]
    commands = [
        lambda url: [bench.formwork, "send", url, "--progress", "none", *form],
        lambda url: ["curl", "-sS", *form, url],
    ]
    @contextlib.contextmanager
    def far_away(sink):
        """The address of a relay that delays what it passes on."""
        relay = [sys.executable, core.C_SOURCES / "far.py", sink.rsplit(":", 1)[1].strip("/"), "200", "50"]
        with core.running(relay, stdout=subprocess.PIPE) as server:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"

    check = functools.partial(core.check_form, fields={"a": "1"}, big=file)
    ours, curl = bench.post_in_turn(commands, [check, check], far_away)
    case = f"form of {size // core.MIB} MiB at 200 Mbit/s, 100 ms for a round trip, by formwork send"
    return [core.compare(case, "curl -F", ours, curl, core.Goal(wall=1.05))]


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
    with tempfile.TemporaryDirectory(prefix="formwork-bench-", dir=memory_folder(bench)) as folder:
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
        case=f"{count} uploads of 16 MiB at once", peer=core.seconds(samples[0].wall), peak=f"{peak:.1f}",
        goal="all whole, peak ≤ 256 MiB", met=peak <= 256, data={"peer": [vars(samples[0])]})
