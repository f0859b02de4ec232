"""Finds the phrases of words.txt in prose, and its words in names: Markdown, comments and texts of the sources, scripts and
examples, and what Swift declares.

    python3 scripts/lib/words.py [FILE...]      without FILE, every file in git

Prints file:line, what was found, and what to write instead. In code only the names that Swift declares are searched, as words
(goesOn is "goes on"), for the rules that begin with `name:` or, for types, `type:`. The status is 1 if something was found.
"""

import io
import re
import sys
import tokenize
from pathlib import Path

from tree import ROOT, files

LIST = Path(__file__).with_name("words.txt")
PATHS = ["*.md", "Sources/*.swift", "Sources/*.html", "Sources/*.js", "Examples/*", "scripts/*", ".ci/*"]
# Lists of what to find, and inputs of tests.
SKIPPED = re.compile(r"scripts/lib/words\.(py|txt)$|scripts/packaging/debian/copyright$|scripts/fuzz/fuzz\.d/corpus/")
SUFFIXES = {".md", ".swift", ".html", ".js", ".mjs", ".py", ".sh", ".toml", ".service", ""}


def patterns(kind: str = "") -> list[tuple[re.Pattern, str]]:
    """The rules for prose, or those of a kind: `name` or `type`."""
    found = []
    for line in LIST.read_text().splitlines():
        of = re.match(r"(name|type): ", line)
        if line and not line.startswith("#") and (of.group(1) if of else "") == kind:
            pattern, advice = (line.removeprefix(f"{kind}: ") if kind else line).split(" -> ", 1)
            flags = 0 if re.search(r"(?<!\\)[A-Z]", pattern) else re.IGNORECASE
            found.append((re.compile(pattern.rstrip(), flags), advice.strip()))
    return found


def markdown(text: str) -> list[tuple[int, str]]:
    """Lines outside of fences, and of a table that has a column "instead of"."""
    lines, fenced, listed = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            listed = line.startswith("|") and (listed or "instead of" in line)
            if not listed:
                lines.append((number, line))
    return lines


SWIFT = re.compile(
    r'(?P<comment>///?[^\n]*|/\*.*?\*/)|(?P<raw>(#+)".*?"\3)|(?P<long>""".*?""")|(?P<text>"(?:\\\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)|\\.|[^"\\\n])*")',
    re.DOTALL)


def swift(text: str) -> list[tuple[int, str]]:
    """Comments and string literals, without what is interpolated."""
    lines = []
    for match in SWIFT.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        piece = re.sub(r"\\\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)", "…", match.group(0))
        piece = piece.strip('"') if not match.group("comment") else re.sub(r"^///?", "", piece)
        lines.extend((number + index, line) for index, line in enumerate(piece.split("\n")))
    return lines


def python(text: str) -> list[tuple[int, str]]:
    """Comments and strings, without what is interpolated."""
    lines = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            piece = re.sub(r"\{[^{}]*\}", "…", token.string.strip("#"))
            lines.extend((token.start[0] + index, line) for index, line in enumerate(piece.split("\n")))
    return lines


def prose(path: str, text: str) -> list[tuple[int, str]]:
    if path.endswith(".md"):
        return markdown(text)
    if path.endswith(".swift"):
        return swift(text)
    if path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        return python(text)
    if path.endswith(".toml"):
        # The other lines quote the code.
        return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.startswith(("#", "harm ="))]
    # A shell script is searched whole: its comments, and the lines that print.
    return [(number, re.sub(r"^\s*#+ ?", "", line)) for number, line in enumerate(text.splitlines(), 1)]


def found(path: str, text: str, rules: list[tuple[re.Pattern, str]]) -> list[tuple[int, str, str]]:
    # Lines that follow each other are one text, because a phrase may be broken between them.
    whole, starts, before = "", [], None
    for number, line in prose(path, text):
        if before is not None:
            whole += " " if number - before <= 1 else "\n"
        starts.append((len(whole), number))
        whole += re.sub(r"``[^`]*``|`[^`]*`", "`…`", line.strip())
        before = number
    hits = []
    for rule, advice in rules:
        for match in rule.finditer(whole):
            number = next(number for start, number in reversed(starts) if start <= match.start())
            hits.append((number, match.group(0), advice))
    return sorted(hits)


DECLARED = re.compile(r"\b(func|var|let|case|struct|class|enum|actor|protocol|typealias)\s+`?(\w+)")
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}


def declared(text: str) -> list[tuple[int, str, str]]:
    """Names of a Swift file that have a word of the list: the line, the name, and what to write."""
    names, types, hits = patterns("name"), patterns("type"), []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("//"):
            continue
        for kind, name in DECLARED.findall(line):
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()
            for rule, advice in names + (types if kind in TYPES else []):
                if rule.search(words):
                    hits.append((number, name, advice))
    return hits


def main() -> int:
    paths = [ROOT / name for name in sys.argv[1:]] or files(*PATHS)
    rules, count = patterns(), 0
    for path in paths:
        name = str(path.relative_to(ROOT))
        if SKIPPED.search(name) or path.suffix not in SUFFIXES:
            continue
        text = path.read_text(errors="replace")
        hits = found(name, text, rules)
        if name.startswith("Sources/") and path.suffix == ".swift":
            hits += declared(text)
        for number, phrase, advice in hits:
            print(f'{name}:{number}: "{phrase}": write {advice}')
            count += 1
    if count:
        print(f"{count} found; the list is scripts/lib/words.txt")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
