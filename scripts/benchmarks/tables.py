"""The tables of README and Measured: rows of results.md, by script, so that they can't differ from it.

    python3 scripts/benchmarks/tables.py      fails if a table isn't what results.md says; scripts/bench --draw writes them
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.md")
BEGIN, END = "<!-- numbers: made by scripts/bench --draw -->\n", "<!-- end of numbers -->"
PAGES = [ROOT / "README.md", ROOT / "Sources/Formwork/Formwork.docc/Measured.md"]

# The case and the beginning of its reference in results.md; what the work is called, and beside what; whether README has it.
ROWS = [
    ("form of 4 GiB by formwork send", "curl -F", "4 GiB sent by `formwork send`", True),
    ("form of 4 GiB over TLS, HTTP/1.1, by formwork send", "curl -F", "the same over TLS, HTTP/1.1", True),
    ("form of 4 GiB over TLS, HTTP/2, by formwork send", "curl -F", "the same over TLS, HTTP/2", True),
    ("2 fields sent by formwork send", "curl -F", "two fields sent by `formwork send`", True),
    ("form of 4 GiB by HTTPClient.upload", "formwork send", "4 GiB sent by `HTTPClient.upload`", False),
    ("form of 4 GiB from curl", "Go net/http", "4 GiB received by `formwork receive`", True),
    ("form of 4 GiB from curl", "nginx, PUT", "the same, beside a `PUT` to nginx", False),
    ("form of 4 GiB sent on by a Hummingbird app", "the same app, unread", "4 GiB sent on by a Hummingbird app", False),
    ("form decoded by a Hummingbird route", "Go's ParseMultipartForm", "small form decoded by a Hummingbird route", True),
    ("url-encoded form decoded", "Go's ParseForm", "url-encoded form decoded by a Hummingbird route", True),
    ("form of 20 fields in memory", "multipart-kit", "form of 20 fields decoded in memory", True),
    ("100,000 fields of 670 bytes, beside others", "Go", "100,000 fields parsed", True),
    ("a file of 256 MiB, beside others", "multipart 4,765", "file of 256 MiB parsed", False),
    ("file to a pipe, one core", "cat", "file of 2 GiB in a form, to a pipe", False),
    ("2 fields, from start to exit", "curl -F", "body of two fields made by `formwork body`", False),
]


def cells(markdown: str) -> list[list[str]]:
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def ratio(text: str) -> str:
    return re.split(r"[ ,]", text)[0] or "–"


def peer(reference: str, known: str) -> str:
    """The other program, without its numbers: "Go 522, multipart 254" is Go."""
    name = re.split(r" [\d,.]+ ?(?:ms|s|MB/s|µs|/s)?$| [\d,.]+,| \d", reference)[0]
    return {"curl -F": "`curl -F`", "formwork send": "`send`", "multipart": "Python's multipart"}.get(name, name)


def table(is_readme: bool) -> str:
    rows = cells(RESULTS.read_text())
    lines = ["| work | beside | × its time | × its CPU time | memory |", "|---|---|---|---|---|"]
    for case, reference, label, is_in_readme in ROWS:
        if is_readme and not is_in_readme:
            continue
        row = next((row for row in rows if row[0] == case and row[2].startswith(reference)), None)
        if row is None:
            raise SystemExit(f'tables: results.md has no row "{case}" beside {reference}')
        memory = f"{float(row[5]):.0f} MiB" if row[5] else "–"
        lines.append(f"| {label} | {peer(row[2], reference)} | {ratio(row[3])} | {ratio(row[4])} | {memory} |")
    return "\n".join(lines) + "\n"


def update(is_written: bool) -> list[Path]:
    """The pages whose tables differ from results.md, which are mended if that is wanted."""
    different = []
    for page in PAGES:
        text = page.read_text()
        head, rest = text.split(BEGIN)
        wanted = head + BEGIN + table(page.name == "README.md") + rest[rest.index(END) :]
        if wanted != text:
            different.append(page)
            if is_written:
                page.write_text(wanted)
    return different


if __name__ == "__main__":
    if different := update(is_written=False):
        sys.exit("not as in results.md: " + ", ".join(str(page.relative_to(ROOT)) for page in different))
