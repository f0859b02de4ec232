"""Small forms at a server, and the instructions that one costs."""

import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from command import release_of
from processes import peak, processor_seconds

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "instructions.json"
BOUNDARY = "----WebKitFormBoundaryformworkbench0123"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
URL_ENCODED = "application/x-www-form-urlencoded"
SIGN_UP = {"name": "Jane Doe", "email": "jane@example.com", "city": "Hamburg", "age": "42", "agrees": "on"}
ORDER = {
    "street": "Am Sandtorkai", "house": "12", "town": "Hamburg", "zip": "20457", "country": "Germany",
    "phone": "+49 40 123456", "email": "jane@example.com", "company": "Doe & Sons", "vat": "DE123456789",
    "quantity": "3", "price": "19.95", "discount": "0.5", "gift": "off", "express": "on", "insured": "yes",
    "note": "Ring twice, please", "coupon": "SPRING", "weight": "2.75", "floor": "4", "language": "de",
}  # fmt: skip
PHOTO = bytes(31 * number % 256 for number in range(2048))
DECODED, DECODED_URL_ENCODED = "1084", "1073"  # the sum that every server's route makes of what it decoded
CONNECTIONS, SECONDS = 32, 2
TOLERANCE = 1.03  # of an instruction count; two builds of the same code differ by less
COUNTED = ["parse", "decode", "decode-20", "decode-urlencoded", "collect", "collect-decode", "parts", "pieces", "send-on"]
COUNTED += ["encode-urlencoded", "encode-struct", "fields-16", "fields-670", "compose", "compose-once", "plan-files"]


def multipart(fields, with_photo=False):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="'
    body = "".join(f'{head}{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()).encode()
    if with_photo:
        body += f'{head}photo"; filename="harbour.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'.encode() + PHOTO + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


@dataclass
class Route:
    """A route of a running server, and the answer that it must give."""

    process: subprocess.Popen
    url: str
    body: Path
    kind: str
    answer: str

    def check(self):
        request = urllib.request.Request(self.url, self.body.read_bytes(), {"Content-Type": self.kind})
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = response.read().decode()
        if answer != self.answer:
            raise OSError(f"{self.url}: answered {answer!r}, not {self.answer!r}")

    def cpu(self):
        return processor_seconds(self.process.pid)

    def peak_mib(self):
        return peak(self.process.pid)

    def run(self, tools):
        """The time and the server's CPU time of one request, as a mean over some seconds."""
        environment = dict(os.environ, FORM_BODY=str(self.body), FORM_TYPE=self.kind, FORM_ANSWER=self.answer)
        command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "-s", HERE / "forms.lua"]
        before = self.cpu()
        run = subprocess.run([*command, self.url], env=environment, stdout=subprocess.PIPE, text=True, check=True)
        requests, microseconds, wrong = map(int, re.search(r"RESULT (\d+) (\d+) (\d+)", run.stdout).groups())
        if wrong or not requests:
            raise OSError(f"{self.url}: {wrong} of {requests} answers are wrong")
        return tools.Sample(microseconds / 1e6 / requests, (self.cpu() - before) / requests, self.peak_mib())


def compare(tools, bench, case, route, reference_name, reference, goal, most_more=None):
    """The row that compares two routes, run in turn.

    most_more: the most microseconds of CPU time that the route may take more than its reference.
    """
    peer, other = tools.alternate(bench.pairs, lambda: route.run(tools), lambda: reference.run(tools))
    row = tools.compare(case, reference_name, peer, other, goal)
    rate, other_rate = (1 / statistics.median(sample.wall for sample in samples) for samples in (peer, other))
    more = 1e6 * statistics.median(a.cpu - b.cpu for a, b in zip(peer, other))
    row.peer, row.reference = f"{rate:,.0f}/s", f"{reference_name} {other_rate:,.0f}/s"
    if route.process is reference.process:
        row.cpu += f", {more:+.1f} µs"
    if most_more is not None:
        row.goal += f", ≤ {most_more} µs more CPU"
        row.met = bool(row.met) and more <= most_more
    row.data["cpu_microseconds_more"] = more
    return row


def forms_section(tools, bench):
    """Small forms at a server on one core: five fields and a file of 2 KiB, 32 connections kept alive"""
    if not shutil.which("wrk") or os.cpu_count() < 2:
        return tools.skipped("needs wrk and two cores")
    multipart_body, url_encoded_body = bench.directory / "form", bench.directory / "form-url-encoded"
    order = bench.directory / "order"
    multipart_body.write_bytes(multipart(SIGN_UP, with_photo=True))
    url_encoded_body.write_bytes(b"name=Jane+Doe&email=jane%40example.com&city=Hamburg&age=42&agrees=on")
    order.write_bytes(multipart(ORDER))

    # One core is one event loop, as on a machine that has no other. SCHED_BATCH: a thread that wakes doesn't interrupt
    # another. Otherwise it depends on each thread's share of the core how often they do, and a raw route takes 28 or 36 µs.
    loops = {"NIO_SINGLETON_GROUP_LOOP_COUNT": "1"}

    def server(stack, *command, environment=None):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        command = ["chrt", "--batch", "0", "taskset", "-c", "0", *command]
        return stack.enter_context(tools.running(command, env=dict(os.environ, **(environment or {})), **options))

    def routes(process, url):
        def route(path, body, kind, answer):
            route = Route(process, f"{url}/{path}", body, kind, answer)
            route.check()
            return route

        form = functools.partial(route, body=multipart_body, kind=MULTIPART)
        text = functools.partial(route, body=url_encoded_body, kind=URL_ENCODED)
        return form, text

    with tools.contextlib.ExitStack() as stack:
        own = server(stack, tools.swift_program("forms"), environment=loops)
        form, text = routes(own, own.stdout.readline().strip())
        size, text_size = str(multipart_body.stat().st_size), str(url_encoded_body.stat().st_size)
        form("twice", answer="notReplayable")
        raw, decoded = form("raw", answer=size), form("decode", answer=DECODED)
        raw_text, decoded_text = text("raw", answer=text_size), text("decode", answer=DECODED_URL_ENCODED)
        near, name = tools.Goal(wall=1.25), "the raw body"
        row = functools.partial(compare, tools, bench)
        rows = [
            row("form decoded by a Hummingbird route", decoded, name, raw, near, most_more=8),
            row("form collected", form("collect", answer="Jane Doe, jane@example.com, 6"), name, raw, near, most_more=8),
            row("form read part by part", form("parts", answer="35, 2048"), name, raw, near, most_more=8),
            row("url-encoded form decoded", decoded_text, name, raw_text, near, most_more=8),
        ]  # fmt: skip
        ahead = tools.Goal(wall=1)
        if shutil.which("go"):
            peer = server(stack, tools.go_program("forms"))
            form, text = routes(peer, peer.stdout.readline().strip())
            name = "Go's ParseMultipartForm"
            parsed = form("decode", answer=DECODED)
            rows.append(row("form decoded by a Hummingbird route", decoded, name, parsed, ahead))
            rows.append(row(f"form decoded by {name}", parsed, "its raw body", form("raw", answer=size), tools.Goal()))
            peer_text = text("decode", answer=DECODED_URL_ENCODED)
            rows.append(row("url-encoded form decoded", decoded_text, "Go's ParseForm", peer_text, ahead))
        if shutil.which("node") and (tools.DEBIAN_NODE / "busboy").exists():
            peer = server(stack, "node", HERE / "forms.js", environment={"NODE_PATH": str(tools.DEBIAN_NODE)})
            form, _ = routes(peer, peer.stdout.readline().strip())
            name, busboy = "Node's busboy", form("decode", answer=DECODED)
            rows.append(row("form decoded by a Hummingbird route", decoded, name, busboy, ahead))
            rows.append(row(f"form decoded by {name}", busboy, "its raw body", form("raw", answer=size), tools.Goal()))
    return rows + memory_rows(tools, bench, order)


def memory_rows(tools, bench, order):
    """A form of 20 fields that is in memory: the microseconds for decoding it."""
    count = 20_000
    program = tools.swift_program("forms", "forms-count")

    def own():
        return run([program, "decode-20", str(count)])

    def run(command):
        before = os.times()
        output = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True).stdout
        after = os.times()
        if output.split()[0] != str(33 * count):  # 12 + 3 + the note's 18 bytes
            raise OSError(f"{command[0]}: printed {output!r}")
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return tools.Sample(after.elapsed - before.elapsed, cpu, 0)

    peers = []
    if shutil.which("go"):
        program_go = tools.go_program("forms")
        peers.append(("Go's ReadForm", lambda: run([program_go, "memory", order, MULTIPART, count])))
    if os.environ.get("MULTIPART_KIT"):
        kit = tools.swift_program("multipart-kit")
        peers.append(("multipart-kit's FormDataDecoder", lambda: run([kit, "order", order, BOUNDARY, count])))
    rows = []
    for name, peer in peers:
        ours, theirs = tools.alternate(bench.pairs, own, peer)
        row = tools.compare("form of 20 fields in memory", name, ours, theirs, tools.Goal(cpu=1))
        each, other = (1e6 * statistics.median(sample.cpu for sample in samples) / count for samples in (ours, theirs))
        row.peer, row.reference, row.peak = f"{each:.1f} µs", f"{name} {other:.1f} µs", ""
        row.goal += ", ≤ 10 µs"
        row.met = bool(row.met) and each <= 10
        rows.append(row)
    return rows


def count(program, case, times):
    """The instructions that a program's user code takes for a case."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, case, str(times)]
    # Dictionaries have the same collisions in every run.
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        raise OSError(f"valgrind {case}: {run.stderr[-400:]}")
    return int(found[1])


def counts(tools):
    """The instructions of one form, for each case."""
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    counted = release_of(HERE / "forms", "forms-count", tools.C_PROGRAMS / "forms", environment)
    # Debian's valgrind stops at debug information that is newer than it.
    program = tools.C_PROGRAMS / "forms-count"
    subprocess.run(["strip", "--strip-debug", counted, "-o", program], check=True)
    found = {}
    for case in COUNTED:
        few, many = (2, 6) if case.startswith(("encode", "fields", "compose", "plan")) else (100, 300)
        found[case] = (count(program, case, many) - count(program, case, few)) // (many - few)
    return found


def compiler():
    version = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = re.search(r"Swift version (\S+)", version)
    return found[1] if found else "unknown"


def instructions_section(tools, bench):
    """Instructions of one form, and of many fields collected, composed and planned, beside instructions.json"""
    if not shutil.which("valgrind"):
        return tools.skipped("needs valgrind")
    recorded = json.loads(COUNTS.read_text()) if COUNTS.exists() else {"swift": compiler(), "counts": {}}
    found = counts(tools)
    if bench.records_counts:
        COUNTS.write_text(json.dumps({"swift": compiler(), "counts": found}, indent=2) + "\n")
        recorded = {"swift": compiler(), "counts": found}
    is_comparable = recorded["swift"] == compiler()
    rows = []
    for case, instructions in found.items():
        known = recorded["counts"].get(case)
        ratio = instructions / known if known else None
        rows.append(
            tools.Row(
                case=case,
                peer=f"{instructions:,}",
                reference=f"recorded {known:,}" if known else "not recorded",
                cpu=f"{ratio:.3f}" if ratio else "",
                goal=f"≤ {TOLERANCE}" if is_comparable else f"counted with Swift {recorded['swift']}",
                met=ratio <= TOLERANCE if ratio and is_comparable else None,
                data={"instructions": instructions, "recorded": known},
            )
        )
    if bench.checks_counts and any(row.met is False for row in rows):
        slower = ", ".join(f"{row.case} {row.cpu}" for row in rows if row.met is False)
        raise tools.BenchError(f"more instructions than instructions.json has: {slower}")
    return rows
