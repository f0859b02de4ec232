"""Finds options in the pages' command lines that the command doesn't have: in sh blocks, and in code within text.

    python3 scripts/lib/commandlines.py FORMWORK
"""

import re
import subprocess
import sys

from links import is_article
from tree import ROOT, files

VERBS = "body headers plan curl send receive inspect extract query type link completion".split()


def options(program: str) -> dict[str, set[str]]:
    """The options of each verb, as its help names them."""
    found = {}
    for verb in VERBS:
        help_ = [program, "help", *(["query", "encode"] if verb == "query" else [verb])]
        text = subprocess.run(help_, check=True, stdout=subprocess.PIPE, text=True).stdout
        found[verb] = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text)) | {"--help"}
    return found


def commands(text: str) -> list[tuple[str, str]]:
    """The command lines: verb and arguments."""
    text = text.replace("\\\n", " ")
    blocks = re.findall(r"^```(?:sh|ini|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in block.split("\n")]
    found += re.findall(r"`((?:formwork|send|receive|body|plan|inspect|extract|type|link|curl) [^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    pairs = []
    for line in found:
        line = re.split(r"(?<!\S)#", line)[0]
        for part in re.split(r"\||&&|;\s", re.sub(r"'[^']*'|\"[^\"]*\"", "X", line)):
            match = re.search(rf"(?:formwork|^)\s*\b({'|'.join(VERBS)})\b(.*)", part.strip())
            if match and ("formwork" in part or (match[1] not in ("curl", "type", "link"))):
                pairs.append((match[1], match[2]))
    return pairs


def main() -> int:
    known, wrong = options(sys.argv[1]), []
    for page in files("*.md"):
        if not (is_article(page) or page.parent == ROOT):
            continue
        for verb, arguments in commands(page.read_text()):
            for option in re.findall(r"(?<!\S)--[a-z][\w-]*", arguments):
                if option not in known[verb]:
                    wrong.append(f"{page.relative_to(ROOT)}: formwork {verb} has no {option}")
    print("\n".join(sorted(set(wrong))) or "every option exists")
    return 1 if wrong else 0


sys.exit(main())
