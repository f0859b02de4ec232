"""How time and memory grow with the size of the work: a table with fitted exponents, and a drawing."""

import concurrent.futures
import http.client
import math
import os
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from receiving import Receiver

MOST = 1.05  # an exponent above it is named, and isn't met
FILE_SIZE = 4096

# The work as `formwork-bench grow` names it, what is counted, and the sizes.
DECADES = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
LEVELS = [1, 5, 10, 20, 40]
WORK = [
    ("compose", "fields composed, planned and read", DECADES),
    ("parse", "fields parsed", DECADES),
    ("form", "fields collected as a form", DECADES),
    ("seek", "fields, 100 places sought", DECADES),
    ("files", "files planned and read", [1, 10, 100, 1_000, 10_000]),
    ("levels", "nested forms, planned and read", LEVELS),
    ("describe", "nested forms, described", LEVELS),
    ("curl", "nested forms, as curl's arguments", LEVELS),
    ("check", "nested forms, read with a check", LEVELS),
    ("seek-levels", "nested forms, 100 places sought", LEVELS),
]


@dataclass
class Curve:
    """What one kind of work costs at each size."""

    case: str
    sizes: list
    seconds: list
    peaks: list | None  # MiB

    def exponent(self, costs):
        """The slope of the line through the upper part of the costs, both axes logarithmic: 1 is linear.

        The upper part, because at small sizes what each process or body costs once hides the rest.
        """
        least = max(self.sizes) / (100 if max(self.sizes) > 100 else 8)
        points = [(math.log(size), math.log(max(cost, 1e-9))) for size, cost in zip(self.sizes, costs) if size >= least]
        x_mean, y_mean = (statistics.mean(point[axis] for point in points) for axis in (0, 1))
        return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)

    def row(self, tools):
        time = self.exponent(self.seconds)
        memory = self.exponent(self.peaks) if self.peaks else None
        return tools.Row(
            case=self.case,
            peer=f"{max(self.sizes):,}: {tools.seconds(self.seconds[-1])}",
            reference=f"{min(self.sizes):,}: {1e6 * self.seconds[0]:,.0f} µs",
            cpu=f"n^{time:.2f}",
            peak=f"{self.peaks[-1]:.1f}, n^{memory:.2f}" if self.peaks else "",
            goal=f"≤ n^{MOST}",
            met=round(time, 2) <= MOST and (memory is None or round(memory, 2) <= MOST),
            data={"sizes": self.sizes, "seconds": self.seconds, "peaks": self.peaks, "exponent": time, "memory": memory},
        )


def work_curves(tools, bench):
    folder = bench.directory / "growing"
    folder.mkdir()
    for index in range(max(WORK[4][2])):
        (folder / f"f{index:05}").write_bytes(b"x" * FILE_SIZE)
    for name, case, sizes in WORK:
        sizes = sizes[:-1] if bench.quick and len(sizes) > 5 else sizes
        tools.note(f"  {case}")
        seconds, peaks = [], []
        for size in sizes:
            command = [bench.formwork_bench, "grow", name, str(size), str(folder)]
            with bench.output_of([tools.c_program("measure"), "2", *command]) as stream:
                found = dict(line.split() for line in stream.read().decode().splitlines())
            tools.require(int(found["parts"]) == size and int(found["bytes"]) > 0, f"grow {name} {size}: {found}")
            seconds.append(int(found["nanoseconds"]) / 1e9)
            peaks.append(int(Path(bench.errors).read_text().split()[4]) / 1024)
        yield Curve(case, sizes, seconds, peaks)


def size_curve(tools, bench):
    """The body of one file, from 1 KiB to 64 GiB, to /dev/null: what reading costs besides the kernel's own work."""
    sizes = [1 << shift for shift in range(10, (33 if bench.quick else 37), 4 if bench.quick else 2)]
    seconds, peaks = [], []
    for size in sizes:
        with bench.sparse_file(size) as path:
            form = f"f=@{path}"
            length = tools.announced_length(bench, form)
            samples = [bench.to_null(bench.body(form), length) for _ in range(3 if size < tools.GIB else 1)]
        seconds.append(statistics.median(sample.cpu for sample in samples))
        peaks.append(max(sample.peak_mib for sample in samples))
    return Curve("bytes of a file, to /dev/null", sizes, seconds, peaks)


def server_curve(tools, bench, cores):
    """Connections at once to `formwork receive`, each sending one form of 64 KiB: the server's CPU time and memory."""
    sizes = [1, 10, 100, 1_000]
    content = b"x" * (64 << 10)
    head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n'
    body = head + content + b"\r\n--b--\r\n"
    rounds = [max(1, 400 // size) for size in sizes]
    seconds, peaks = [], []
    for size, times in zip(sizes, rounds):
        with tempfile.TemporaryDirectory(dir=bench.directory) as folder, tempfile.TemporaryDirectory() as logs:
            command = ["taskset", "-c", ",".join(map(str, range(cores))), bench.formwork, "receive", "--dir", folder]
            command += ["--max-uploads", "2000", "--max-uploads-per-client", "2000", "--log-level", "error"]

            def send(connection):
                connection.request("POST", "/", body, {"Content-Type": "multipart/form-data; boundary=b"})
                answer = connection.getresponse()
                answer.read()
                return answer.status

            with Receiver(command, Path(logs)) as receiver, concurrent.futures.ThreadPoolExecutor(size) as pool:
                before = receiver.cpu()
                connections = [http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=120) for _ in range(size)]
                for _ in range(times):
                    statuses = set(pool.map(send, connections))
                    tools.require(statuses == {201}, f"receive answered {statuses} to {size} at once")
                for connection in connections:
                    connection.close()
                seconds.append((receiver.cpu() - before) / times)
                peaks.append(receiver.peak())
            arrived = len(list(Path(folder).glob("*.bin")))
            tools.require(arrived == size * times, f"{arrived} of {size * times} files arrived")
    return Curve(f"connections to receive, {cores} core{'s' if cores > 1 else ''}", sizes, seconds, peaks)


def growth_section(tools, bench):
    """Cost by size: the exponent of the CPU time, and of the peak memory; 1 is linear"""
    curves = [*work_curves(tools, bench), size_curve(tools, bench)]
    if os.cpu_count() > 1:
        curves += [server_curve(tools, bench, cores) for cores in (1, 2)]
    draw(curves, tools.DOCUMENTATION / "Resources" / "growth.svg")
    return [curve.row(tools) for curve in curves]


# The drawing: four panels, logarithmic both ways, with a line for each power of ten, or of 1,024 for bytes; the dashed line is linear
# growth to the last point.

# What each panel's axis counts.
SHOWN = {
    "fields collected as a form": "fields",
    "files planned and read": "files",
    "bytes of a file, to /dev/null": "size of the file",
    "connections to receive, 1 core": "connections at once",
}
PANEL, HIGH, LEFT, TOP, BOTTOM = 370, 246, 60, 40, 56


def amount(case, size):
    """A size as the axis names it."""
    if "bytes" not in case:
        return "1 million" if size == 1_000_000 else f"{size:,}"
    unit = next((power for power in (30, 20, 10) if size >= 1 << power), 0)
    return f"{size >> unit} {({30: 'GiB', 20: 'MiB', 10: 'KiB', 0: 'bytes'})[unit]}"


def time(exponent):
    """10 to the power of this, in seconds, as the axis names it."""
    unit, name = next((unit, name) for unit, name in ((0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns")) if exponent >= unit)
    return f"{10 ** (exponent - unit)} {name}"


def panel(curve, left, top):
    sizes, costs = ([math.log10(max(value, 1e-9)) for value in values] for values in (curve.sizes, curve.seconds))
    width, height = PANEL - LEFT - 24, HIGH - TOP - BOTTOM
    low, high = math.floor(min(costs)), math.ceil(max(costs))

    def at(x, y):
        return f"{left + LEFT + (x - sizes[0]) / (sizes[-1] - sizes[0]) * width:.1f},{top + TOP + (high - y) / (high - low) * height:.1f}"

    lines = [f'  <text x="{left + LEFT}" y="{top + 20}" class="title">{curve.case}: n^{curve.exponent(curve.seconds):.2f}</text>']
    for exponent in range(low, high + 1):
        y = top + TOP + (high - exponent) / (high - low) * height
        lines += [
            f'  <line x1="{left + LEFT}" y1="{y:.1f}" x2="{left + LEFT + width}" y2="{y:.1f}" class="grid"/>',
            f'  <text x="{left + LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{time(exponent)}</text>',
        ]
    step = 1024 if "bytes" in curve.case else 10
    for size in (step**power for power in range(12) if curve.sizes[0] <= step**power <= curve.sizes[-1]):
        x = left + LEFT + (math.log10(size) - sizes[0]) / (sizes[-1] - sizes[0]) * width
        lines += [
            f'  <line x1="{x:.1f}" y1="{top + TOP}" x2="{x:.1f}" y2="{top + TOP + height}" class="grid"/>',
            f'  <text x="{x:.1f}" y="{top + TOP + height + 16}" text-anchor="middle">{amount(curve.case, size)}</text>',
        ]
    # Linear growth that ends at the last point, from where it enters the panel.
    return [
        *lines,
        f'  <text x="{left + LEFT + width / 2}" y="{top + TOP + height + 34}" text-anchor="middle">{SHOWN[curve.case]}</text>',
        f'  <polyline points="{at(max(sizes[0], sizes[-1] - costs[-1] + low), max(low, costs[-1] - sizes[-1] + sizes[0]))} {at(sizes[-1], costs[-1])}" class="peer"/>',
        f'  <polyline points="{" ".join(at(x, y) for x, y in zip(sizes, costs))}" class="line"/>',
    ]


def draw(curves, target):
    curves = [curve for curve in curves if curve.case in SHOWN]
    rows = -(-len(curves) // 2)
    style = """
    text { font: 12px system-ui, sans-serif; fill: #59636e }
    .title { font-size: 13px; fill: #1f2328 }
    polyline { fill: none }
    .grid { stroke: #d1d9e0 }
    .line { stroke: #0969da; stroke-width: 2 }
    .peer { stroke: #59636e; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1 }
      .title { fill: #f0f6fc }
      .grid { stroke: #3d444d }
      .line { stroke: #4493f8 }
      .peer { stroke: #9198a1 }
    }
    """
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PANEL * 2} {HIGH * rows + 24}" role="img" '
        'aria-label="CPU time by size, logarithmic both ways; the dashed lines are linear">',
        f"  <style>{style}</style>",
    ]
    for number, curve in enumerate(curves):
        lines += panel(curve, PANEL * (number % 2), HIGH * (number // 2))
    note = "CPU time by size, both axes logarithmic. Dashed: linear growth, n^1. n^1.07 grows a little faster."
    lines.append(f'  <text x="{LEFT}" y="{HIGH * rows + 12}">{note}</text>')
    target.write_text("\n".join([*lines, "</svg>", ""]), encoding="utf-8")
