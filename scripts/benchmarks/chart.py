"""Draws rows of the tables that scripts/bench prints as one SVG: bars, shorter is better, a line at the peer's own length.

It adapts to the light or dark scheme of the viewer, and loads nothing.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path

# The rows in the README: the first cell, the beginning of the reference, the label of the bar, and the column.
ROWS = [
    ("form of 4 GiB by formwork send", "curl -F", "4 GiB form sent, beside curl -F", "wall"),
    ("form of 4 GiB from curl", "Go net/http", "4 GiB form received, beside Go net/http", "CPU"),
    ("100,000 fields of 670 bytes, beside others", "Go", "100,000 fields parsed, beside Go", "CPU"),
    ("the same decoded into strings, mixed", "PHP", "query string decoded, beside PHP", "CPU"),
    ("file to a pipe, one core", "cat", "file in a form to a pipe, beside cat", "wall"),
    ("2 fields, from start to exit", "curl -F", "two fields, start to exit, beside curl -F", "wall"),
]

WIDTH, LEFT, BAR, STEP, TOP = 760, 310, 340, 30, 46

STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .small { font-size: 12px; fill: #59636e }
    .bar { fill: #0969da }
    .peer { stroke: #59636e; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
      .bar { fill: #4493f8 }
      .peer { stroke: #9198a1 }
    }
"""


@dataclass
class Bar:
    label: str
    ratio: float
    column: str


def bars(markdown: str) -> list[Bar]:
    """The chosen rows of Markdown tables. A missing row is an error, so that the chart never omits one silently."""
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in markdown.splitlines() if line.startswith("| ")]
    found = []
    for case, reference, label, column in ROWS:
        row = next((row for row in cells if row[0] == case and row[2].startswith(reference)), None)
        if row is None:
            raise SystemExit(f"chart: no row \"{case}\" beside {reference}")
        text = row[3 if column == "wall" else 4].split(" ")[0]
        if not text:
            raise SystemExit(f"chart: \"{case}\" has no {column} ratio")
        found.append(Bar(label, float(text), column))
    return found


def svg(rows: list[Bar]) -> str:
    height = TOP + STEP * len(rows) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Time beside peers">',
        f"  <style>{STYLE}  </style>",
        f'  <text x="{LEFT + BAR}" y="20" text-anchor="middle" class="small">1.0: the peer</text>',
        f'  <text x="{LEFT}" y="20" class="small">shorter is faster</text>',
        f'  <line x1="{LEFT + BAR}" y1="28" x2="{LEFT + BAR}" y2="{height - 8}" class="peer"/>',
    ]
    for number, row in enumerate(rows):
        y = TOP + STEP * number
        # A bar that is longer than the drawing ends there; its number still says how long it is.
        length = min(row.ratio, 1.2) * BAR
        lines += [
            f'  <text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{html.escape(row.label)}</text>',
            f'  <rect x="{LEFT}" y="{y - 9}" width="{length:.1f}" height="18" rx="3" class="bar"/>',
            f'  <text x="{LEFT + length + 8:.1f}" y="{y + 5}">{row.ratio:.2f} <tspan class="small">× {row.column}</tspan></text>',
        ]
    return "\n".join(lines + ["</svg>", ""])


def draw(measured: Path, target: Path) -> None:
    target.write_text(svg(bars(measured.read_text(encoding="utf-8"))), encoding="utf-8")
