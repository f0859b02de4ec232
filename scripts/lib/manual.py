"""Writes the manual: formwork(1), and a page for each verb, such as formwork-send(1); or one page for the site.

    python3 scripts/lib/manual.py FORMWORK-TRANSFER FOLDER
    python3 scripts/lib/manual.py FORMWORK-TRANSFER PAGE.md

The text is the command's own: what `--experimental-dump-help` of ArgumentParser prints, with the examples of Fixtures/examples.txt.
The manual's pages are in mdoc(7).
"""

import datetime
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "Fixtures/examples.txt"


# What the command says of itself


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


def examples() -> dict[tuple[str, str], str]:
    """The example of each verb and option."""
    found, verbs = {}, []
    for line in EXAMPLES.read_text().split("\n\n", 1)[1].split("\n"):
        option, _, text = line.strip().partition(" ")
        if not line.startswith(" "):
            verbs = line.split(", ")
        for verb in verbs if line.startswith(" ") else []:
            place = f"{verb} https://example.com/up" if verb in ("send", "curl") else verb
            found[verb, option] = text.strip().replace("VERB", place)
    return found


def option_of(argument: dict, verb: str, shown: dict[tuple[str, str], str]) -> dict:
    names = sorted((("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])), key=len)
    value = f"<{argument['valueName']}>" if argument["kind"] != "flag" else ""
    text, details = argument.get("abstract", ""), argument.get("discussion", "")
    is_argument = argument["kind"] == "positional"
    default = argument.get("defaultValue") or ("off" if argument["kind"] == "flag" else "not set")
    # Some texts say what happens without the option.
    says = "default: " if argument.get("defaultValue") else "default"
    if not is_argument and says not in (text + details).lower():
        text += f" (default: {default})"
    return {
        "names": names, "spelling": f"{', '.join(names)} {value}".strip(), "text": text, "details": details,
        "isArgument": is_argument, "isOptional": argument["isOptional"], "isRepeating": argument["isRepeating"],
        "isShown": argument["shouldDisplay"] and names != ["--version"] and "--help" not in names,
        "group": "Arguments" if is_argument else argument.get("sectionTitle", "Options"),
        "example": next((shown[verb, name] for name in names if (verb, name) in shown), ""),
    }


def described(program: str) -> list[dict]:
    """The root and every verb, each with its options and those verbs below it."""
    output = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    shown = examples()

    def verbs(command: dict, above: list[str]) -> list[dict]:
        words = [*above, command["commandName"]]
        inner = [verbs(child, words) for child in command.get("subcommands", []) if child["commandName"] != "help"]
        verb = {
            "words": words, "abstract": command["abstract"], "text": sections(command.get("discussion", "")),
            "options": [option_of(argument, " ".join(words[1:]), shown) for argument in command.get("arguments", [])],
            "verbs": [verbs[0] for verbs in inner],
        }
        return [verb] + [one for verbs in inner for one in verbs]

    return verbs(json.loads(output)["command"], [])


def groups(verb: dict) -> dict[str, list[dict]]:
    """The options that help shows, by the titles of their groups."""
    found = {}
    for option in verb["options"]:
        if option["isShown"]:
            found.setdefault(option["group"], []).append(option)
    return found


def topic(program: str, name: str) -> list[tuple[str, str]]:
    """The rows of `formwork help NAME`."""
    environment = {**os.environ, "COLUMNS": "1000"}
    text = subprocess.run([program, "help", name], check=True, capture_output=True, text=True, env=environment).stdout
    rows = [re.split(r" {2,}", line.strip(), maxsplit=1) for line in text.split("\n") if line.startswith("  ")]
    return [(term, meaning) for term, meaning in rows]


# The manual


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


def blocks(text: str) -> list[str | list[str]]:
    """Paragraphs, each as one text, and indented lines, as lists of lines."""
    found = []
    for line in text.split("\n"):
        last = found[-1] if found else ""
        if line.startswith("  "):
            found += [] if isinstance(last, list) else [[]]
            found[-1].append(line[2:])
        elif not line.strip():
            last.append("") if isinstance(last, list) else found.append("")
        elif isinstance(last, list) or not last:
            found.append(line.strip())
        else:
            found[-1] += " " + line.strip()
    return ["\n".join(block).rstrip().split("\n") if isinstance(block, list) else block for block in found if block]


def literal(lines: list[str], indent: str = " -offset indent") -> list[str]:
    return [f".Bd -literal{indent}", *map(escaped, lines), ".Ed"]


def paragraphs(text: str) -> list[str]:
    lines = []
    for block in blocks(text):
        lines += literal(block) if isinstance(block, list) else [*([".Pp"] if lines else []), *prose(block)]
    return lines


def page(verb: dict, others: list[str], date: str) -> str:
    words = verb["words"]
    name = "-".join(words)
    text = verb["text"]
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
            if option["isArgument"] and option["isShown"]:
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
    grouped = groups(verb)
    if grouped:
        lines.append(".Sh OPTIONS")
    for title, options in grouped.items():
        if len(grouped) > 1:
            lines.append(f".Ss {title}")
        lines.append(".Bl -tag -width Ds")
        for option in options:
            value = option["spelling"].strip("<>")
            lines += [f".It Ar {argument(value)}" if option["isArgument"] else item(option["spelling"]), *prose(option["text"])]
            if option["details"]:
                lines += [".Pp", *paragraphs(option["details"])]
            lines += literal([option["example"]]) if option["example"] else []
        lines.append(".El")
    for title, rows in verb.get("topics", {}).items():
        lines += [f".Sh {title}", ".Bl -tag -width Ds"]
        for term, meaning in rows:
            lines += [f".It {escaped(term)}", *prose(meaning)]
        lines += [".El"]
    if text.get("EXAMPLES"):
        lines += [".Sh EXAMPLES", *literal(text["EXAMPLES"].split("\n"), "")]
    lines.append(".Sh SEE ALSO")
    see = [f".Xr {other} 1" for other in sorted(others) if other != name]
    lines += [line + (" ," if index + 1 < len(see) else "") for index, line in enumerate(see)]
    return "\n".join(lines) + "\n"


# The site's page


def marked(text: str) -> str:
    """Prose in Markdown, with options and what is in quotes as code."""
    special = re.compile(r"(?<!\w)'([^']+)'(?!\w)|((?<![\w-])--?[a-zA-Z][\w-]*)|([\\\[\]*_<>`])")
    return special.sub(lambda match: f"\\{match[3]}" if match[3] else code(match[1] or match[2]), text)


def code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def chapter(verb: dict) -> list[str]:
    lines = ["## " + " ".join(verb["words"]), "", marked(verb["abstract"])]
    for title in ["EXAMPLES", ""]:
        for block in blocks(verb["text"].get(title, "")):
            lines += ["", *(["```", *block, "```"] if isinstance(block, list) else [marked(block)])]
    for title, options in groups(verb).items():
        lines += ["", "### " + title, ""]
        for option in options:
            text = " ".join(filter(None, [option["text"], *option["details"].split("\n")]))
            lines.append(f"- {code(option['spelling'])}: {marked(text)}")
            lines += ["", f"  {code(option['example'])}", ""] if option["example"] else []
    for title, rows in verb.get("topics", {}).items():
        lines += ["", "### " + title.capitalize(), "", *(f"- {code(term)}: {marked(meaning)}" for term, meaning in rows)]
    return [*lines, ""]


def main(program: str, place: Path) -> None:
    verbs = described(program)
    verbs[0]["topics"] = {"PARTS": topic(program, "parts"), "EXIT STATUS": topic(program, "statuses")}
    if place.suffix == ".md":
        intro = ["# Options of the command", "", "Every verb of `formwork` with its options, their defaults, and an example of each.", ""]
        place.write_text("\n".join(intro + [line for verb in verbs for line in chapter(verb)]), encoding="utf-8")
        return
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) if seconds else datetime.datetime.now(datetime.UTC)
    date = f"{day:%B} {day.day}, {day.year}"
    names = ["-".join(verb["words"]) for verb in verbs]
    for verb, name in zip(verbs, names):
        (place / f"{name}.1").write_text(page(verb, names, date), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))
