"""Compares the size of the project with scripts/lib/sizes.json, whose numbers only go down: scripts/check size.

    python3 scripts/lib/sizes.py            a line for each number that differs; the status is 1 if there is one
    python3 scripts/lib/sizes.py --table    all numbers
    python3 scripts/lib/sizes.py --lower    writes the numbers that are smaller now; refuses those that are larger

A line counts as code if it has more than blanks and comments. A module that gives code to another one is the only reason to raise
a number by hand, and then the sum stays or falls. The options of each verb come from the program that `swift build` made.
"""

import json
import os
import re
import sys
from pathlib import Path

import manual
from tree import ROOT, files

NUMBERS = Path(__file__).with_name("sizes.json")
C_LIKE = {".swift", ".c", ".h", ".js", ".css", ".go"}
HASH = {".py", ".sh", ""}
ATTRIBUTES = r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"
TYPE = ATTRIBUTES + r"public (?:final |indirect |nonisolated )*(?:struct|class|enum|protocol|actor) "


def code_lines(path: Path) -> int:
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines()]
    if path.suffix in HASH:
        return sum(1 for line in lines if line and not line.startswith("#"))
    count, inside = 0, False
    for line in lines:
        if inside or line.startswith("/*"):
            inside = "*/" not in line
        elif line and not line.startswith("//"):
            count += 1
    return count


def module(folder: str) -> dict[str, int]:
    paths = [path for path in files(folder) if path.suffix in C_LIKE]
    texts = [path.read_text(errors="replace") for path in paths if path.suffix == ".swift"]

    def declarations(pattern: str) -> int:
        return sum(len(re.findall(pattern, text, re.M)) for text in texts)

    return {
        "code": sum(map(code_lines, paths)),
        "public": declarations(ATTRIBUTES + r"public(?:\(set\))? (?!import)"),
        "public types": declarations(TYPE),
        "package": declarations(ATTRIBUTES + r"package(?:\(set\))? (?!import)"),
        "files in #if": sum(bool(re.match(r"(?:\s*//[^\n]*\n)*#if [A-Z]\w+\s*\n", text)) for text in texts),
    }


def options() -> dict[str, int]:
    """How many options and flags each verb shows in its help."""
    program = os.environ.get("FORMWORK_BIN") or ROOT / ".build/debug/formwork"
    program = Path(program).with_name("formwork-transfer")
    if not program.exists():
        sys.exit(f"sizes: {program} is missing: swift build")
    verbs = manual.described(program)[1:]
    shown = {" ".join(verb["words"][1:]): [one for group in manual.groups(verb).values() for one in group] for verb in verbs}
    return {name: sum(not one["isArgument"] for one in options) for name, options in shown.items()}


def measured() -> dict[str, dict[str, int]]:
    modules = sorted({path.relative_to(ROOT).parts[1] for path in files("Sources")})
    rows = {name: module(f"Sources/{name}") for name in modules}
    rows["Sources"] = {key: sum(row[key] for row in rows.values()) for key in next(iter(rows.values()))}
    tests = module("Tests")
    rows["Tests"] = {key: tests[key] for key in ("code", "files in #if")}
    rows["scripts"] = {"code": sum(code_lines(path) for path in files("scripts") if path.suffix in C_LIKE | HASH)}
    rows["Package.swift"] = {"code": code_lines(ROOT / "Package.swift")}
    counted = options()
    rows["options"] = counted | {"all verbs": sum(counted.values())}
    return rows


def main() -> int:
    rows = measured()
    if "--table" in sys.argv:
        for name, row in rows.items():
            print(f"{name:24}" + "  ".join(f"{key} {value:,}" for key, value in row.items()))
        return 0
    allowed = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    larger, smaller = [], []
    for name in sorted(rows.keys() | allowed.keys()):
        row, limits = rows.get(name, {}), allowed.get(name, {})
        for key in sorted(row.keys() | limits.keys()):
            value, limit = row.get(key, 0), limits.get(key, 0)
            line = f"{name}: {key} {value:,}, not {limit:,}"
            (larger if value > limit else smaller if value < limit else []).append(line)
    if "--lower" in sys.argv and not (allowed and larger):
        NUMBERS.write_text(json.dumps(rows, indent=1) + "\n")
        return 0
    for line in larger:
        print(f"larger    {line}")
    for line in smaller:
        print(f"smaller   {line}: python3 scripts/lib/sizes.py --lower")
    return 1 if larger or smaller else 0


if __name__ == "__main__":
    sys.exit(main())
