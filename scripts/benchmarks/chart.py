"""Draws rows of the tables that scripts/bench prints as one SVG: bars, shorter is better, a line at the peer's own length.

It adapts to the light or dark scheme of the viewer, and loads nothing.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path

# The rows in the README: the first cell, the beginning of the reference, and the label of the bar. All are CPU time: the one unit
# that every table has. Two of them are longer than the peer's.
ROWS = [
    ("form of 4 GiB by formwork send", "curl -F", "4 GiB form sent, beside curl -F"),
    ("form of 4 GiB over TLS, HTTP/2, by formwork send", "curl -F", "the same over TLS and HTTP/2, beside curl -F"),
    ("form of 4 GiB from curl", "Go net/http", "4 GiB form received, beside Go net/http"),
    ("100,000 fields of 670 bytes, beside others", "Go", "100,000 fields parsed, beside Go"),
    ("the same decoded into strings, mixed", "PHP", "query string decoded, beside PHP"),
    ("form decoded by a Hummingbird route", "Go's ParseMultipartForm", "small form at a route, beside Go"),
    ("url-encoded form decoded", "Go's ParseForm", "url-encoded form at a route, beside Go"),
    ("2 fields sent by formwork send", "curl -F", "two fields sent, beside curl -F"),
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


@dataclass
class Bar:
    label: str
    ratio: float


def bars(markdown: str) -> list[Bar]:
    """The chosen rows of Markdown tables. A missing row is an error, so that the chart never omits one silently."""
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in markdown.splitlines() if line.startswith("| ")]
    found = []
    for case, reference, label in ROWS:
        row = next((row for row in cells if row[0] == case and row[2].startswith(reference)), None)
        if row is None:
            raise SystemExit(f"chart: no row \"{case}\" beside {reference}")
        text = re.split(r"[ ,]", row[4])[0]
        if not text:
            raise SystemExit(f"chart: \"{case}\" has no ratio of CPU time")
        found.append(Bar(label, float(text)))
    return found


def machine(markdown: str) -> str:
    """The machine and the date, of the line in results.md that begins with "Machine: "."""
    return next(line.removeprefix("Machine: ") for line in markdown.splitlines() if line.startswith("Machine: "))


def svg(rows: list[Bar], note: str) -> str:
    height = TOP + STEP * len(rows) + 26
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="CPU time beside peers">',
        f"  <style>{STYLE}  </style>",
        f'  <text x="{LEFT + BAR:.1f}" y="20" text-anchor="middle" class="small">1 = the other program</text>',
        f'  <text x="12" y="20" class="small">CPU time; shorter is better</text>',
        f'  <line x1="{LEFT + BAR:.1f}" y1="28" x2="{LEFT + BAR:.1f}" y2="{height - 24}" class="peer"/>',
    ]
    for number, row in enumerate(rows):
        y = TOP + STEP * number
        # A bar that is longer than the drawing ends there; its number still says how long it is.
        length = min(row.ratio, LONGEST) * BAR
        kind = "bar slower" if row.ratio > 1.1 else "bar"
        lines += [
            f'  <text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{html.escape(row.label)}</text>',
            f'  <rect x="{LEFT}" y="{y - 9}" width="{length:.1f}" height="18" rx="3" class="{kind}"/>',
            f'  <text x="{LEFT + length + 8:.1f}" y="{y + 5}">{row.ratio:.2f}</text>',
        ]
    lines.append(f'  <text x="12" y="{height - 8}" class="small">{html.escape(note)}</text>')
    return "\n".join(lines + ["</svg>", ""])


def draw(measured: Path, target: Path) -> None:
    text = measured.read_text(encoding="utf-8")
    target.write_text(svg(bars(text), machine(text)), encoding="utf-8")
