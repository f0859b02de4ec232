"""The cases of `parsing different`: those of mutations.txt, which describes its lines, and those of Fixtures."""

import hashlib
import json
import random
import re
import subprocess
from base64 import b64decode
from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[2] / "Fixtures"
ESCAPES = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "v": "\v", "f": "\f", "s": " ", "B": "\\", "p": "|", "h": "^", "o": "{", "c": "}"}
Z = 'Content-Disposition: form-data; name="z"'


class Case(NamedTuple):
    kind: str
    text: str
    # `None` if the bodies are whole messages.
    types: list[str] | None
    # Where the boundary is in doubt, one for each that a reader may see: who reads another one reads other parts.
    bodies: list[bytes]
    # Readings in literals, by the names of readers.
    expected: dict[str, str] = {}

    @property
    def name(self):
        return f"{self.kind}/{self.text}"

    def is_among(self, share):
        """Whether it belongs to a fixed part of all cases, one in `share`."""
        return int(hashlib.sha256(self.name.encode()).hexdigest()[:8], 16) % share == 0


def plain(text):
    """The bytes, as Latin-1, of a text with escapes."""
    text = re.sub(r"\\N(\d+);", lambda found: "x" * int(found[1]), text)
    return re.sub(r"\\(x(..)|.)", lambda found: chr(int(found[2], 16)) if found[2] else ESCAPES[found[1]], text)


def alternatives(text, at, sets):
    """All texts of what is before the closing brace or the end, and where that is."""
    found, pieces = [], [[""]]
    while at < len(text) and text[at] != "}":
        if text[at] == "{":
            inner, at = alternatives(text, at + 1, sets)
            pieces.append(inner)
        elif text[at] == "|":
            found += map("".join, product(*pieces))
            pieces = [[""]]
        else:
            plain = re.compile(r"(\\.|[^{}|\\])+").match(text, at)[0]
            pieces.append(sets[plain] if plain in sets else [plain])
            at += len(plain) - 1
        at += 1
    return found + list(map("".join, product(*pieces))), at


def variants(line, sets):
    """The texts that a line has."""
    if line.startswith("~ "):
        key, text = line[2:].split(": ", 1)
        bytes_ = re.findall(r"\\.|.", text)
        changed = [bytes_[:i] + bytes_[i : i + 1] * count + bytes_[i + 1 :] for i in range(len(bytes_)) for count in (0, 2)]
        return [f"{key}: " + "".join(each) for each in changed]
    if line.startswith("? "):
        count, key, text = line[2:].split(" ", 2)
        dice, bytes_ = random.Random(text), re.findall(r"\\.|.", text)
        found = []
        for _ in range(int(count)):
            changed = bytes_.copy()
            for at in dice.sample(range(len(bytes_)), 3):
                changed[at] = dice.choice([dice.choice(sets["$insert"]), changed[at] + dice.choice(sets["$insert"]), changed[at] * 2, ""])
            found.append(f"{key} {''.join(changed)}")
        return found
    places = line.split("^")
    if len(places) == 1:
        return alternatives(line, 0, sets)[0]
    return ["".join(places[:i]) + put + "".join(places[i:]) for i in range(1, len(places)) for put in sets["$insert"]]


def boundaries(types):
    """What a reader may take for the boundary: each value up to each end, as it is and decoded, and all values joined."""
    found, pieces = ["b"], []
    for value in (text[at.end() :].strip(" \t\v\f") for text in types for at in re.finditer("=", text)):
        quoted = re.match(r'"((?:\\.|[^"\\])*)"', value)
        pieces.append((quoted[1] if quoted else re.split("[\\s;,]", value)[0]).rpartition("'")[2])
        for text in [pieces[-1], *([quoted[1]] if quoted else []), *(re.split(end, value)[0] for end in ("[\\s;]", ";", "$", ",", "[\"';,]"))]:
            found += [text, text.strip("\"'"), re.sub(r"\\(.)", r"\1", text.strip('"')), unquote(text, "latin-1")]
    found.insert(2, "".join(pieces))
    return [text for text in dict.fromkeys(found) if text and not re.search("[\r\n]", text)][:8]


def message(key, text):
    """The Content-Types and the bodies of a line."""
    text, mark, content = text.partition(" >> ")
    text, content = plain(text), plain(content) if mark else "v"
    types, head = ["multipart/form-data; boundary=b"], 'Content-Disposition: form-data; name="a"'
    if key == "body":
        return types, [text]
    if key == "message":
        return None, [f"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{text}"]
    if key == "type":
        types = text.split("++")
    elif key == "params":
        head = f"Content-Disposition: form-data{text}"
    elif key == "head":
        head = text
    elif key == "content":
        content = text
    elif key.endswith("boundary"):
        quote = '"' * (key != "boundary")
        types = [f"multipart/form-data; boundary={quote}{text}{quote}"]

    def body(boundary):
        return f"--{boundary}\r\n{head}\r\n\r\n{content}\r\n--{boundary}\r\n{Z}\r\n\r\nw\r\n--{boundary}--\r\n"

    if key == "line-ends":
        return types, [body("b").replace("\r\n", text)]
    return types, [body(each) for each in (boundaries(types if key == "type" else [f"={text}"]) if "boundary" in key or key == "type" else ["b"])]


def mutations():
    """The cases of mutations.txt, each body and type once."""
    sets, kind, seen = {}, "", set()
    for line in (HERE / "mutations.txt").read_text().splitlines():
        if line.startswith("["):
            kind = line[1:-1]
        elif line.startswith("$"):
            name, _, text = line.partition(" = ")
            sets[name] = alternatives(text, 0, sets)[0]
        elif line and not line.startswith("#"):
            for text in variants(line, sets):
                key, _, text = text.partition(": ")
                types, bodies = message(key, text)
                case = Case(kind, f"{key}: {text}", types, [body.encode("latin-1") for body in bodies])
                # An HTTP parser doesn't let these through to the form's.
                if (marks := (*(types or ()), *bodies)) not in seen and not re.search("[\r\n\0]", "".join(types or ())):
                    seen.add(marks)
                    yield case


def fixed():
    """Bodies of clients, of bug reports, and of the tests."""
    for row in json.loads((FIXTURES / "clients/clients.json").read_text())["captures"]:
        body = (FIXTURES / "clients" / row["body"]).read_bytes()
        yield Case("client", row["client"], [row["contentType"]], [body])
        # With plain names: what strict has to accept.
        plain_names = re.sub(rb'\\+(?=[b" ])|%22|"(?=q)|(?<=[q\\])"(?=[ %\\])|%20|%25|%5C|%0A', b"", body)
        yield Case("plain", row["client"], [row["contentType"]], [plain_names])
    for row in json.loads((FIXTURES / "reports/reports.json").read_text()):
        head, _, body = (FIXTURES / "reports" / row["file"]).read_bytes().partition(b"\r\n\r\n")
        yield Case("report", row["file"], re.findall(r"(?im)^content-type: (.*?)\r?$", head.decode("latin-1")), [body], row["readings"])
    for row in json.loads((FIXTURES / "vectors/parse.json").read_text()):
        if row["profile"] == "default":
            yield Case("vector", row["name"], [row["content_type"]], [b64decode(row["body_base64"])])


def written(program, folder):
    """Bodies that `formwork body` writes."""
    for row in json.loads((HERE / "written.json").read_text()):
        for name, text in row["files"].items():
            (folder / name).write_bytes(text.encode("latin-1"))
        boundary = "formwork-interop-0123456789"
        command = [program, "body", "--boundary", boundary, *row["arguments"]]
        body = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
        yield Case("written", row["name"], [f"multipart/form-data; boundary={boundary}"], [body], row["readings"])
