#!/usr/bin/env python3
"""Finds pairs of folders of one module whose types use each other: python3 scripts/lib/circles.py

A folder is a subject, and subjects depend on each other one way. Decisions/0001 has the one exception.
"""

import collections
import re
import sys
from pathlib import Path

from tree import ROOT, files

ALLOWED = {("Formwork", "Plan", "Read")}
DECLARATION = re.compile(
    r"^(?:    )?(?:@\w+(?:\([^)]*\))?\s+)*(?P<access>(?:\w+ )*)"
    r"(?:struct|class|enum|actor|protocol|typealias)\s+(?P<name>[A-Z]\w+)", re.MULTILINE)
NOISE = re.compile(r'//.*|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"')


def folder(file: str) -> tuple[str, str] | None:
    """Its module and its folder in there."""
    names = Path(file).parts
    return (names[1], names[2]) if len(names) > 3 else None


def main() -> int:
    texts = {str(path.relative_to(ROOT)): NOISE.sub("", path.read_text()) for path in files("Sources/*.swift")}
    homes = collections.defaultdict(set)
    for file, text in texts.items():
        for match in DECLARATION.finditer(text):
            if "private" not in match["access"]:
                homes[match["name"]].add(file)
    uses = collections.defaultdict(set)
    for file, text in texts.items():
        for name in set(re.findall(r"\b[A-Z]\w+\b", text)):
            # Names that several files declare, as nested types do, can't be told apart here.
            if len(homes[name]) == 1:
                (home,) = homes[name]
                here, there = folder(file), folder(home)
                if here and there and here[0] == there[0] and here != there:
                    uses[here, there].add(f"{Path(file).name} uses {name}")
    found = 0
    for (here, there), places in sorted(uses.items()):
        back = uses.get((there, here))
        if back and here < there and (here[0], here[1], there[1]) not in ALLOWED:
            found += 1
            fewer = min(places, back, key=len)
            print(f"{here[0]}: {here[1]} and {there[1]} use each other: " + "; ".join(sorted(fewer)[:5]))
    return 1 if found else 0


sys.exit(main())
