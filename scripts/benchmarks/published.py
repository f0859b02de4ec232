"""The tables of README and Measured, and the chart of README: rows of results.md, by script, so that they can't differ from it.

    python3 scripts/benchmarks/published.py      fails if a table isn't what results.md says; scripts/bench --draw writes all

The chart is one SVG: bars of CPU time, shorter is better, with a line at the peer's own length. It adapts to the light or dark
scheme of the viewer, and loads nothing.
"""

import html
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.md")
CHART = ROOT / "Sources/Formwork/Formwork.docc/Resources/speed.svg"
BEGIN, END = "<!-- numbers: made by scripts/bench --draw -->\n", "<!-- end of numbers -->"
PAGES = [ROOT / "README.md", ROOT / "Sources/Formwork/Formwork.docc/Measured.md"]


class Row(NamedTuple):
    # The case and the beginning of its reference in results.md.
    case: str
    reference: str
    # What Measured calls the work, and whether README's table has it, too; and the bar's label.
    label: str = ""
    is_in_readme: bool = False
    bar: str = ""


ROWS = [
    Row("form of 4 GiB by formwork send", "curl -F", "4 GiB sent by `formwork send`", True, "4 GiB form sent, beside curl -F"),
    Row("form of 4 GiB over TLS, HTTP/1.1, by formwork send", "curl -F", "the same over TLS, HTTP/1.1", True),
    Row("form of 4 GiB over TLS, HTTP/2, by formwork send", "curl -F", "the same over TLS, HTTP/2", True,
        "the same over TLS and HTTP/2, beside curl -F"),
    Row("2 fields sent by formwork send", "curl -F", "two fields sent by `formwork send`", True),
    Row("form of 4 GiB by HTTPClient.upload", "formwork send", "4 GiB sent by `HTTPClient.upload`"),
    Row("form of 4 GiB from curl", "Go net/http", "4 GiB received by `formwork receive`", True,
        "4 GiB form received, beside Go net/http"),
    Row("form of 4 GiB from curl", "nginx, PUT", "the same, beside a `PUT` to nginx"),
    Row("form of 4 GiB sent on by a Hummingbird app", "the same app, unread", "4 GiB sent on by a Hummingbird app"),
    Row("form decoded by a Hummingbird route", "Go's ParseMultipartForm", "small form decoded by a Hummingbird route", True),
    Row("url-encoded form decoded", "Go's ParseForm", "url-encoded form decoded by a Hummingbird route", True),
    Row("form of 20 fields in memory", "multipart-kit", "form of 20 fields decoded in memory", True),
    Row("100,000 fields of 670 bytes, beside others", "Go", "100,000 fields parsed", True, "100,000 fields parsed, beside Go"),
    Row("a file of 256 MiB, beside others", "multipart 4,765", "file of 256 MiB parsed"),
    Row("file to a pipe, one core", "cat", "file of 2 GiB in a form, to a pipe"),
    Row("2 fields, from start to exit", "curl -F", "body of two fields made by `formwork body`"),
    # Bars alone, in their order.
    Row("the same decoded into strings, mixed", "PHP", bar="query string decoded, beside PHP"),
    Row("form decoded by a Hummingbird route", "Go's ParseMultipartForm", bar="small form at a route, beside Go"),
    Row("url-encoded form decoded", "Go's ParseForm", bar="url-encoded form at a route, beside Go"),
    Row("2 fields sent by formwork send", "curl -F", bar="two fields sent, beside curl -F"),
]

# The drawing ends at this multiple of the peer's time.
WIDTH, LEFT, FULL, STEP, TOP, LONGEST = 760, 310, 380, 30, 46, 2.8
BAR = FULL / LONGEST

STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .small { font-size: 12px; fill: #59636e }
    .bar { fill: #0969da }
    .slower { fill: #9a6700 }
    .peer { stroke: #59636e; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
      .bar { fill: #4493f8 }
      .slower { fill: #d29922 }
      .peer { stroke: #9198a1 }
    }
"""


def cells(wanted: Row) -> list[str]:
    """A row of results.md. A missing one is an error, so that no page omits one silently."""
    lines = [line for line in RESULTS.read_text().splitlines() if line.startswith("| ")]
    rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines)
    found = next((row for row in rows if row[0] == wanted.case and row[2].startswith(wanted.reference)), None)
    return found or sys.exit(f'published: results.md has no row "{wanted.case}" beside {wanted.reference}')


def ratio(text: str) -> str:
    return re.split(r"[ ,]", text)[0] or "–"


def peer(reference: str) -> str:
    """The other program, without its numbers: "Go 522, multipart 254" is Go."""
    name = re.split(r" [\d,.]+ ?(?:ms|s|MB/s|µs|/s)?$| [\d,.]+,| \d", reference)[0]
    return {"curl -F": "`curl -F`", "formwork send": "`send`", "multipart": "Python's multipart"}.get(name, name)


def table(is_readme: bool) -> str:
    lines = ["| work | beside | × its time | × its CPU time | memory |", "|---|---|---|---|---|"]
    for row in ROWS:
        if row.label and (row.is_in_readme or not is_readme):
            _, _, reference, wall, cpu, peak, *_ = cells(row)
            memory = f"{float(peak):.0f} MiB" if peak else "–"
            lines.append(f"| {row.label} | {peer(reference)} | {ratio(wall)} | {ratio(cpu)} | {memory} |")
    return "\n".join(lines) + "\n"


def chart() -> str:
    rows = [row for row in ROWS if row.bar]
    height = TOP + STEP * len(rows) + 26
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="CPU time beside peers">',
        f"  <style>{STYLE}  </style>",
        f'  <text x="{LEFT + BAR:.1f}" y="20" text-anchor="middle" class="small">1 = the other program</text>',
        f'  <text x="12" y="20" class="small">CPU time; shorter is better</text>',
        f'  <line x1="{LEFT + BAR:.1f}" y1="28" x2="{LEFT + BAR:.1f}" y2="{height - 24}" class="peer"/>',
    ]
    for number, row in enumerate(rows):
        y, times = TOP + STEP * number, float(ratio(cells(row)[4]))
        # A bar that is longer than the drawing ends there; its number still says how long it is.
        length = min(times, LONGEST) * BAR
        kind = "bar slower" if times > 1 else "bar"
        lines += [
            f'  <text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{html.escape(row.bar)}</text>',
            f'  <rect x="{LEFT}" y="{y - 9}" width="{length:.1f}" height="18" rx="3" class="{kind}"/>',
            f'  <text x="{LEFT + length + 8:.1f}" y="{y + 5}">{times:.2f}</text>',
        ]
    machine = next(line.removeprefix("Machine: ") for line in RESULTS.read_text().splitlines() if line.startswith("Machine: "))
    lines.append(f'  <text x="12" y="{height - 8}" class="small">{html.escape(machine)}</text>')
    return "\n".join(lines + ["</svg>", ""])


def different() -> dict[Path, str]:
    """The pages whose tables differ from results.md, with what they should be."""
    wanted = {}
    for page in PAGES:
        text = page.read_text()
        head, rest = text.split(BEGIN)
        mended = head + BEGIN + table(page.name == "README.md") + rest[rest.index(END) :]
        if mended != text:
            wanted[page] = mended
    return wanted


def draw() -> None:
    for page, text in {**different(), CHART: chart()}.items():
        page.write_text(text)


if __name__ == "__main__" and (pages := different()):
    sys.exit("not as in results.md: " + ", ".join(str(page.relative_to(ROOT)) for page in pages))
