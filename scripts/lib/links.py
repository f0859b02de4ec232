"""Links between pages: plain Markdown, which a code host shows, and DocC's, which scripts/docs makes from them.

    python3 scripts/lib/links.py      checks every Markdown file in git, and the pages' shape and number of words

A page links to others, to headings and to pictures by relative path: [Changing files](Changing-files.md#pipes). DocC knows neither
paths nor files outside of its catalog, so `catalog` writes a copy with DocC's own links.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from tree import ROOT, files

# A link or a picture: its sign, text and target; or code, in which nothing is a link.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)|(`+)(?!`).+?(?<!`)\4(?!`)")
# In all pages of the documentation, decisions included.
WORDS = 45_000


def prose(text: str) -> list[tuple[int, str]]:
    """Lines outside of fences."""
    lines, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            lines.append((number, line))
    return lines


def links(line: str) -> list[tuple[str, str]]:
    """The texts and targets of a line's links."""
    return [(match[2], match[3]) for match in LINK.finditer(line) if match[3]]


def headings(text: str) -> dict[str, str]:
    """The headings of a page by the anchor that a code host gives them."""
    found = [line.lstrip("#").strip() for _, line in prose(text) if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in found}


def is_outside(target: str) -> bool:
    return re.match(r"[a-z][a-z+.-]*:", target) is not None


# The translation


def catalog_of(page: Path) -> Path | None:
    return next((folder for folder in page.parents if folder.suffix == ".docc"), None)


def in_docc(page: Path, target: str) -> str:
    """A link's target as DocC, or the site, knows it; an empty string if it doesn't."""
    path, _, fragment = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    catalog, own = catalog_of(file), catalog_of(page)
    anchor = ""
    if fragment:
        anchor = "#" + re.sub(r"[^\w\-() ]", "", headings(file.read_text())[fragment]).replace(" ", "-")
    if catalog and file.suffix == ".md":
        module = catalog.stem
        if catalog == own:
            return f"doc:{file.stem}{anchor}"
        # DocC finds no article of another catalog where a module extends types of that one: the place in the site.
        base = os.environ.get("FORMWORK_SITE_PATH", "")
        return f"{base}/documentation/{module.lower()}" + ("" if file.stem == module else f"/{file.stem.lower()}")
    repository = os.environ.get("FORMWORK_REPOSITORY", "")
    return f"{repository}/blob/main/{file.relative_to(ROOT)}" if repository else ""


def catalog(source: Path, copy: Path) -> None:
    """Copies a catalog, with DocC's links instead of relative ones."""
    shutil.copytree(source, copy)
    for page in sorted(source.rglob("*.md")):

        def link(match: re.Match) -> str:
            picture, text, target, _ = match.groups()
            if target is None or is_outside(target):
                return match.group(0)
            if picture:
                return f"![{text}]({Path(target).stem})"
            there = in_docc(page, target)
            return f"[{text}]({there})" if there else text

        lines, topics = page.read_text().split("\n"), False
        for number, line in prose("\n".join(lines)):
            topics = line == "## Topics" or topics and not line.startswith("## ")
            line = LINK.sub(link, line)
            # A list of topics has links alone.
            item = topics and re.match(r"- \[.*?\]\((doc:[^)]*)\)", line)
            lines[number - 1] = f"- <{item.group(1)}>" if item else line
        # A page with a folder of its name is the place of the pages in it; otherwise DocC would list them on the first page.
        if page.with_suffix("").is_dir():
            lines += ["## Topics", "", "### All", "", *(f"- <doc:{one.stem}>" for one in sorted(page.with_suffix("").glob("*.md"))), ""]
        (copy / page.relative_to(source)).write_text("\n".join(lines))


# The checks


def dead(page: Path, text: str) -> list[str]:
    """What is wrong with a page's links."""
    wrong = []
    for number, line in prose(text):
        place = f"{page.relative_to(ROOT)}:{number}"
        if "<doc:" in line or "](doc:" in line:
            wrong.append(f"{place}: DocC's own link: write [title](Page.md), which a code host shows, too")
        for title, target in links(line):
            if is_outside(target):
                continue
            path, _, fragment = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                wrong.append(f"{place}: {target} doesn't exist")
            elif fragment and fragment not in headings(file.read_text()):
                wrong.append(f"{place}: {file.name} has no heading #{fragment}")
            elif not title:
                wrong.append(f"{place}: a link without a text")
    return wrong


def is_article(page: Path) -> bool:
    return page.parent == ROOT / "Sources/Formwork/Formwork.docc" and page.stem != "Formwork"


def shapeless(page: Path, text: str) -> list[str]:
    """A page says what it is for below its title, and ends with a way on."""
    name, blocks = page.relative_to(ROOT), [block for block in text.strip().split("\n\n") if block]
    wrong = []
    if len(blocks) < 2 or not re.match(r"[A-Z`]", blocks[1]):
        wrong.append(f"{name}: no sentence below the title that says what the page is for")
    if "](" not in blocks[-1]:
        wrong.append(f"{name}: the last paragraph has no link to a page to read next")
    return wrong


def main() -> int:
    wrong, words = [], 0
    for page in files("*.md"):
        text = page.read_text()
        wrong += dead(page, text)
        if is_article(page) or page.parent.name == "Decisions" or page.parent == ROOT:
            wrong += shapeless(page, text)
        if catalog_of(page) or page.parent == ROOT:
            words += len(text.split())
    index = ROOT / "Sources/Formwork/Formwork.docc/Decisions.md"
    listed = {(index.parent / target).resolve() for _, line in prose(index.read_text()) for _, target in links(line)}
    wrong += [f"{page.name}: not in Decisions.md" for page in files("*.md") if page.parent.name == "Decisions" and page not in listed]
    if words > WORDS:
        wrong.append(f"the pages have {words:,} words: {WORDS:,} at most")
    print("\n".join(wrong) or f"{words:,} words, no dead link")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
