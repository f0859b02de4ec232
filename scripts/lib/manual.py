"""Writes the manual: formwork(1), and a page for each verb, such as formwork-send(1).

    python3 scripts/lib/manual.py FORMWORK-TRANSFER FOLDER

The text is the command's own: what `--experimental-dump-help` of ArgumentParser prints. The pages are in mdoc(7).
"""

import datetime
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path


def escaped(text: str) -> str:
    """Text that is shown, and copied, as it is: '-' stays ASCII, and nothing is a request or an escape."""
    # A terminal without UTF-8 has no ellipsis.
    for old, new in [("…", "..."), ("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")]:
        text = text.replace(old, new)
    return "\\&" + text if text.startswith(".") else text


def prose(text: str) -> list[str]:
    """Sentences, each from a line of its own on."""
    sentences = re.split(r"""(?<=[.!?]) +|(?<=[.!?][)'"]) +""", text)
    # Escapes make a line longer; mandoc's lint wants at most 80 bytes.
    return [escaped(line) for sentence in sentences for line in textwrap.wrap(sentence, 64, break_on_hyphens=False)]


def argument(text: str) -> str:
    """One argument of a macro."""
    text = escaped(text).replace('"', '""')
    return f'"{text}"' if re.search(r'[\s"]', text) or re.fullmatch(r"[A-Z][a-z]|[.,:;()\[\]?!|]", text) else text


def item(spelling: str) -> str:
    """`-F, --form <name=content>` as macros."""
    words = []
    for name in re.sub(r"<.*", "", spelling).replace(",", " ").split():
        words += ([","] if words else []) + ["Fl", escaped(name[1:])]
    value = re.search(r"<(.*)>", spelling)
    if value:
        words += ["Ar", argument(value.group(1))]
    return ".It " + " ".join(words)


def paragraphs(text: str) -> list[str]:
    """Paragraphs, and indented lines as they are."""
    lines, words, literal = [], [], []

    def flush() -> None:
        if literal:
            while literal and not literal[-1]:
                literal.pop()
            lines.extend([".Bd -literal -offset indent", *literal, ".Ed"])
            literal.clear()
        if words:
            lines.extend(([".Pp"] if lines else []) + prose(" ".join(words)))
            words.clear()

    for line in text.split("\n"):
        if line.startswith("  "):
            if words:
                flush()
            literal.append(escaped(line[2:]) or "")
        elif not line.strip():
            if literal:
                literal.append("")
            else:
                flush()
        else:
            if literal:
                flush()
            words.append(line.strip())
    flush()
    return lines


def sections(discussion: str) -> dict[str, str]:
    """The text under each title in capitals; "" has the rest."""
    found, title = {"": []}, ""
    for line in discussion.split("\n"):
        if re.fullmatch(r"[A-Z ]+", line):
            title = line
        elif title and line and not line.startswith("  "):
            title = ""
        found.setdefault(title, []).append("" if re.fullmatch(r"[A-Z ]+", line) else line)
    return {title: "\n".join(lines).strip("\n") for title, lines in found.items()}


def verbs_of(command: dict, above: list[str]) -> list[dict]:
    """A verb and those below it, as `page` needs them."""
    words = [*above, command["commandName"]]
    inner = [verbs_of(child, words) for child in command.get("subcommands", []) if child["commandName"] != "help"]
    options = [option_of(argument) for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    verb = {
        "words": words, "abstract": command["abstract"], "discussion": command.get("discussion", ""),
        "options": [option for option in options if option["spelling"] not in ("--version", "-h, --help")],
        "verbs": [verbs[0] for verbs in inner],
    }
    return [verb] + [one for verbs in inner for one in verbs]


def topic(program: str, name: str) -> list[tuple[str, str]]:
    """The rows of `formwork help NAME`."""
    environment = {**os.environ, "COLUMNS": "1000"}
    text = subprocess.run([program, "help", name], check=True, capture_output=True, text=True, env=environment).stdout
    rows = [re.split(r" {2,}", line.strip(), maxsplit=1) for line in text.split("\n") if line.startswith("  ")]
    return [(term, meaning) for term, meaning in rows]


def option_of(argument: dict) -> dict:
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]
    spelling = ", ".join(sorted(names, key=lambda name: name.startswith("--")))
    value = f"<{argument['valueName']}>" if argument["kind"] != "flag" else ""
    text = argument.get("abstract", "")
    if argument.get("defaultValue") and "default" not in text:
        text += f" (default: {argument['defaultValue']})"
    is_argument = argument["kind"] == "positional"
    return {
        "spelling": f"{spelling} {value}".strip(), "text": text, "details": argument.get("discussion", ""),
        "isArgument": is_argument, "isOptional": argument["isOptional"], "isRepeating": argument["isRepeating"],
        "group": "Arguments" if is_argument else argument.get("sectionTitle", "Options"),
    }


def page(verb: dict, others: list[str], date: str) -> str:
    words = verb["words"]
    name = "-".join(words)
    text = sections(verb["discussion"])
    lines = [
        '.\\" -*- coding: utf-8 -*-', f".Dd {date}", f".Dt {name.upper()} 1", ".Os", ".Sh NAME", f".Nm {name}",
        f".Nd {escaped(verb['abstract'].rstrip('.'))}", ".Sh SYNOPSIS", f".Nm {words[0]}",
    ]
    if words[1:]:
        lines.append(".Cm " + " ".join(words[1:]))
    if verb["verbs"]:
        lines.append(".Ar verb")
    else:
        lines.append(".Op Ar options")
        for option in verb["options"]:
            if option["isArgument"]:
                value = option["spelling"].strip("<>")
                dots = " ..." if option["isRepeating"] else ""
                macro = "Op Ar" if option["isOptional"] else "Ar"
                lines.append(f".{macro} {argument(value)}{dots}")
    lines += [".Sh DESCRIPTION", *(paragraphs(text[""]) or prose(verb["abstract"]))]
    if verb["verbs"]:
        lines += [".Pp", "The verbs are:", ".Bl -tag -width completion"]
        for inner in verb["verbs"]:
            lines += [f".It Cm {inner['words'][-1]}", *prose(inner["abstract"])]
        lines += [".El"]
    groups = {}
    for option in verb["options"]:
        groups.setdefault(option["group"], []).append(option)
    if groups:
        lines.append(".Sh OPTIONS")
    for title, options in groups.items():
        if len(groups) > 1:
            lines.append(f".Ss {title}")
        lines.append(".Bl -tag -width Ds")
        for option in options:
            value = option["spelling"].strip("<>")
            lines += [f".It Ar {argument(value)}" if option["isArgument"] else item(option["spelling"]), *prose(option["text"])]
            if option["details"]:
                lines += [".Pp", *paragraphs(option["details"])]
        lines.append(".El")
    for title, rows in verb.get("topics", {}).items():
        lines += [f".Sh {title}", ".Bl -tag -width Ds"]
        for term, meaning in rows:
            lines += [f".It {escaped(term)}", *prose(meaning)]
        lines += [".El"]
    if text.get("EXAMPLES"):
        lines += [".Sh EXAMPLES", ".Bd -literal", *(escaped(line) for line in text["EXAMPLES"].split("\n")), ".Ed"]
    lines.append(".Sh SEE ALSO")
    see = [f".Xr {other} 1" for other in sorted(others) if other != name]
    lines += [line + (" ," if index + 1 < len(see) else "") for index, line in enumerate(see)]
    return "\n".join(lines) + "\n"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    output = subprocess.run([sys.argv[1], "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    verbs = verbs_of(json.loads(output)["command"], [])
    verbs[0]["topics"] = {"PARTS": topic(sys.argv[1], "parts"), "EXIT STATUS": topic(sys.argv[1], "statuses")}
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) if seconds else datetime.datetime.now(datetime.UTC)
    date = f"{day:%B} {day.day}, {day.year}"
    names = ["-".join(verb["words"]) for verb in verbs]
    for verb, name in zip(verbs, names):
        Path(sys.argv[2], f"{name}.1").write_text(page(verb, names, date), encoding="utf-8")


main()
