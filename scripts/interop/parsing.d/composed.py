"""`parsing composed`: bodies that formwork accepts are composed again, and others find the same parts.

The bodies are the rows of Fixtures/vectors/parse.json for the default profile, the captures of Fixtures/clients, and
COUNT random ones: forms as senders write them, and those forms, rows and captures with a few bytes changed. A body that
formwork accepts is collected and composed (`FormData(ReceivedForm)`). In the composed body, formwork and every peer must find
the same number of parts, order, names, filenames, types and contents. rules.tsv lists the expected differences; a body
with any other difference is kept.
"""

import collections
import hashlib
import json
import posixpath
import random
import re
import time
from base64 import b64decode

import peers
from cases import fixed
from questions import Rules

# Those that return parts in their order, with their types.
PEERS = ("python-multipart", "multipart", "werkzeug", "go", "busboy", "node")

rule = Rules(peers.HERE / "rules.tsv")


# Bodies.

NAMES = [
    "a", "a", "title", "photo", "", "a b", "a;b", "a=b", "a,b", "a'b", "tags[]", "user[name]", "a.b", "50% off", "%22", "%0A", "%41",
    "näme", "e\u0301", "名前", "👩‍👧", "اسم", "\ufeff", "\u2028", " a ", "\t", "a\\b", "a\\", "\\\\", "C:\\dir\\a", "n" * 300, "__proto__",
    "constructor", "a\x01b", "a\x7f", "filename=", "; filename=x", "--b", "a/b", "a:b", "<a>", "{a}", "UTF-8''a", "=?utf-8?q?a?=",
]
FILENAMES = [
    *NAMES, "a.txt", "photo.jpg", "..", ".", "../../etc/passwd", "/etc/passwd", "a/", "C:\\fakepath\\a.png", "\\\\host\\a", "a.tar.gz",
    ".htaccess", "文書.txt", "a.txt ", ".", "x" * 200 + ".txt",
]
TYPES = [
    None, None, None, "text/plain", "image/jpeg", "application/octet-stream", "text/plain; charset=utf-8", 'text/html;charset="utf-8"',
    "TEXT/Html", "application/x-www-form-urlencoded", "multipart/mixed; boundary=inner", "text", "", "text/plain;", "a/b;c", "a/b; c=d;c=e",
    "text/plain; charset=latin1", "image/svg+xml", "x/y z", "text/plain, text/html", "text/\x01plain", "text/plain; x=\"a;b\"", "*/*",
]
PIECES = [
    b"", b"v", b"text", b"\r\n", b"\r", b"\n", b"-", b"--", b"\r\n--", b"\r\n-", b"\0", b"\xff\xfe", bytes(range(256)), "grüße".encode(), b"0" * 1100,
    b"\r\n\r\n", b"=3D", b"=\r\n", b"aGk=",
]
EDITS = [
    b"\r\n", b"\r", b"\n", b"\0", b"-", b"--", b" ", b"\t", b'"', b"\\", b'\\"', b";", b"=", b":", b",", b"%22", b"%0D%0A", b"\xff", b"\x80", b"\x01", b"*",
    b"\r\n ", b"/", b"'", b"a", b"Content-Type: a/b\r\n", b"Content-Disposition: form-data; name=x\r\n", b"; name=x", b"; filename=x",
    b"; filename*=UTF-8''x%20y", b"\r\n\r\n", "ü".encode(), b"Content-Transfer-Encoding: base64\r\n", b"X: y\r\n",
]


def quoted(dice, text):
    """A parameter's value as one sender or another writes it."""
    data = text.encode()
    way = dice.random()
    if way < 0.6:
        return b'"' + data.replace(b'"', b"%22") + b'"'
    if way < 0.8:
        return b'"' + data.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    if way < 0.9 and re.fullmatch(rb"[\w.-]+", data):
        return data
    return b'"' + data + b'"'


def form(dice):
    """A form as senders write them, and its Content-Type."""
    boundary = dice.choice(["b", "boundary", "----WebKitFormBoundaryAbCdEfGh01234567", "a'b", "-", "--", "0" * 70, "x-y_z.1"])
    delimiter = b"--" + boundary.encode()
    sometimes = lambda data, share=0.05: data if dice.random() < share else b""
    body = sometimes(b"preamble\r\n", 0.03)
    for _ in range(dice.choice([1, 1, 2, 2, 3, 4, 8])):
        pieces = [dice.choice([*PIECES, b"\r\n" + delimiter[:-1], delimiter + b"x"]) for _ in range(dice.randint(0, 4))]
        name = dice.choice(['a"b', '"', *NAMES])
        disposition = dice.choice([b"Content-Disposition", b"Content-Disposition", b"content-disposition"]) + b": form-data"
        fields = [b"name=" + quoted(dice, name)]
        if dice.random() < 0.45:
            fields.append(b"filename=" + quoted(dice, dice.choice(['a"b.txt', *FILENAMES])))
            if dice.random() < 0.1:
                fields.append(dice.choice([b"filename*=UTF-8''%e2%82%ac%20rates", b"filename*=iso-8859-1'en'%A3", b"filename*=UTF-8''%ff", b"filename*=utf-8''a%2Fb"]))
            if dice.random() < 0.05:
                fields.pop(1)
        if dice.random() < 0.03:
            dice.shuffle(fields)
        separator = dice.choice([b"; ", b"; ", b"; ", b";", b" ; ", b";\r\n "])
        lines = [separator.join([disposition, *fields])]
        content_type = dice.choice(TYPES)
        if content_type is not None:
            lines.append(dice.choice([b"Content-Type: ", b"Content-Type:", b"content-type: "]) + content_type.encode())
        if dice.random() < 0.1:
            lines.append(dice.choice([b"Content-Length: 1", b"Content-Transfer-Encoding: binary", b"X-Custom: a", b"Content-Transfer-Encoding: quoted-printable"]))
        if dice.random() < 0.1:
            dice.shuffle(lines)
        body += delimiter + sometimes(b" ") + b"\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + b"".join(pieces) + b"\r\n"
    body += delimiter + b"--" + dice.choice([b"\r\n", b"\r\n", b"", b" \r\n", b"\r\nepilogue"])
    wanted = boundary if dice.random() < 0.5 and re.fullmatch(r"[\w.-]+", boundary) else f'"{boundary}"'
    return f"multipart/form-data; boundary={wanted}", body


def changed(dice, content_type, body):
    """A body with a few bytes changed; near the header sections more often than in contents."""
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        marks = [match.start() for match in re.finditer(rb'[;="\r\n:]', body)] or [0]
        at = dice.choice(marks) + dice.randint(0, 2) if dice.random() < 0.8 else dice.randint(0, len(body))
        kind = dice.randrange(6)
        if kind == 0:
            body = body[:at] + body[at + dice.randint(1, 3) :]
        elif kind == 1:
            body = body[:at] + bytes([dice.randrange(256)]) + body[at + 1 :]
        elif kind == 2:
            end = at + dice.randint(1, 40)
            body = body[:end] + body[at:end] + body[end:]
        elif kind == 3 and dice.random() < 0.2:
            body = body[:at]
        else:
            body = body[:at] + dice.choice(EDITS) + body[at:]
    return content_type, body


def bodies(dice, count):
    """Name, Content-Type and body of each."""
    given = [(case.text, case.types[0], case.bodies[0]) for case in fixed() if case.kind in ("client", "vector")]
    small = [(content_type, body) for _, content_type, body in given if len(body) < 4096]
    yield from given
    for index in range(count):
        if index % 3 == 0:
            yield f"form {index}", *form(dice)
        else:
            yield f"change {index}", *changed(dice, *(form(dice) if index % 3 == 1 else dice.choice(small)))


# The composed body, as each peer should read it.


def digest(content):
    return hashlib.sha256(content).hexdigest()


def media_type(text):
    """`type/subtype` in lower case, and the rest; `None` if it is not a type."""
    found = re.fullmatch(r"([!#$%&'*+.^_`|~\w-]+/[!#$%&'*+.^_`|~\w-]+)[ \t]*((?:;.*)?)", text or "", re.ASCII | re.DOTALL)
    return found and (found[1].lower(), found[2])


def written(part):
    """A part as formwork forwards it."""
    part = dict(part)
    for key in ("name", "filename"):
        if rule("formwork: a quote is sent as %22", '"' in (part[key] or "")):
            part[key] = part[key].replace('"', "%22")
    if rule("formwork: a type with control characters is not sent", re.search(r"[\0-\x08\x0a-\x1f\x7f]", part["type"] or "")):
        part["type"] = None
    return part


# In place of a value that isn't compared.
ANY = "(any)"


def expected(peer, parts):
    """The parts as a peer is expected to read them; `None` for a body that isn't compared."""
    parts = [{**part, "content": b64decode(part["content"])} for part in parts]
    texts = [part[key] or "" for part in parts for key in ("name", "filename", "type")]
    # A line of the disposition is 35 bytes and its names.
    longest = max((sum(len((part[key] or "").encode()) for key in ("name", "filename")) + 53 for part in parts), default=0)
    if peer == "python-multipart" and rule("python-multipart: a header of its limit", longest > 4000):
        return None
    if peer == "multipart" and rule("multipart: a header of its limit", longest > 2000):
        return None
    if peer in ("busboy", "go") and rule(f"{peer}: control characters", any(re.search(r"[\0-\x08\x0a-\x1f\x7f]", text) for text in texts)):
        return None
    if peer == "busboy":
        charsets = [re.search(r"charset", part["type"] or "", re.I) and not re.search(r';[ \t]*charset="?utf-?8"?[ \t]*(;|$)', part["type"], re.I) for part in parts]
        if rule("busboy: another charset", any(charsets)):
            return None
    parts = [READINGS[peer](part) for part in parts]
    return [{**part, "sha256": digest(part["content"]), "content": None} for part in parts if part]


def named(part, read, *keys):
    """A part with its names changed."""
    return {**part, **{key: part[key] if part[key] is None else read(part[key]) for key in keys or ("name", "filename")}}


def ends_escaped(part, is_any=False):
    """Whether the quote after a name is escaped by the backslash before it; with `is_any`, whether it looks like that."""
    ends = [re.search(r"\\*$", part[key] or "")[0] for key in ("name", "filename")]
    return any(end if is_any else len(end) % 2 for end in ends)


def replaced(name, pattern, by):
    return lambda text: re.sub(pattern, by, text, flags=re.DOTALL) if rule(name, re.search(pattern, text, re.DOTALL)) else text


def without_windows_folders(name):
    is_path = lambda text: text[1:3] == ":\\" or text[:2] == "\\\\"
    return lambda text: text.rpartition("\\")[2] if rule(name, is_path(text)) else text


WHATWG_ESCAPES = {"%22": '"', "%0D": "\r", "%0A": "\n"}


def decoded(name):
    return replaced(name, "%(22|0D|0A)", lambda found: WHATWG_ESCAPES[found[0]])


def for_python_multipart(part):
    if rule("python-multipart: a backslash at the end", ends_escaped(part, True)):
        return {**part, "name": ANY, "filename": ANY}
    part = named(part, replaced("python-multipart: backslash pairs", r"\\([\\\"])", r"\1"))
    return named(part, without_windows_folders("python-multipart: folders of Windows"), "filename")


def for_multipart(part):
    part = named(part, decoded("multipart: %22, %0D and %0A"))
    return named(part, without_windows_folders("multipart: folders of Windows"), "filename")


def for_werkzeug(part):
    if rule("werkzeug: a backslash at the end", ends_escaped(part)):
        return {**part, "name": ANY, "filename": ANY}
    return named(named(part, replaced("werkzeug: backslashes", r"\\(.)", r"\1")), replaced("werkzeug: %22", "%22", '"'))


def for_go(part):
    if rule("go: a backslash at the end", ends_escaped(part)):
        return {**part, "name": None, "filename": None}
    part = named(part, replaced("go: backslashes", r'\\([()<>@,;:\\"/\[\]?=])', r"\1"))

    def base(filename):
        if not rule("go: folders", "/" in filename):
            return filename
        return posixpath.basename(filename.rstrip("/")) or "/"

    return named(part, base, "filename")


def for_busboy(part):
    if rule("busboy: a backslash at the end", ends_escaped(part)):
        return None
    part = named(part, replaced("busboy: backslash pairs", r'\\([\\"])', r"\1"))
    if rule("busboy: a name without text", "" in (part["name"], part["filename"])):
        part = named(part, lambda text: text or None)
    type_, rest = media_type(part["type"]) or (None, "")
    # With malformed parameters it isn't a type.
    value = r"""([!#$%&'*+.^_`|~\w-]+|"([^"\\]|\\.)*")"""
    is_type = type_ and re.fullmatch(rf"([ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+={value})*[ \t]*", rest, re.ASCII)
    given = type_ if is_type else "text/plain"
    rule("busboy: types", given != part["type"])
    part["type"] = given
    if rule("busboy: application/octet-stream", part["filename"] is None and given == "application/octet-stream"):
        part["filename"] = ""
    if part["filename"] is None:
        part["content"] = text_of(part["content"], "busboy: text", "utf-8")
    return part


def text_of(content, name, encoding):
    text = content.decode(encoding, "replace").encode()
    rule(name, text != content)
    return text


def for_node(part):
    part = named(part, decoded("node: %22, %0D and %0A"))
    part = named(part, lambda text: text[1:] if rule("node: text", text.startswith("\ufeff")) else text)
    if part["filename"] is None:
        rule("node: types", part["type"])
        return {**part, "type": None, "content": text_of(part["content"], "node: text", "utf-8-sig")}
    given = "text/plain" if part["type"] is None else part["type"].lower() if re.fullmatch("[ -~]*", part["type"]) else ""
    rule("node: types", given != part["type"])
    return {**part, "type": given}


READINGS = {
    "python-multipart": for_python_multipart, "multipart": for_multipart, "werkzeug": for_werkzeug, "go": for_go, "busboy": for_busboy, "node": for_node,
}


def is_same(wanted, got):
    if got is None or len(wanted) != len(got):
        return False
    return all(a[key] in (ANY, b[key]) for a, b in zip(wanted, got) for key in ("name", "filename", "type", "sha256"))


def digested(answer):
    """An answer with digests instead of contents."""
    parts = [{**part, "content": None, "sha256": digest(b64decode(part["content"]))} for part in answer.get("parts", [])]
    return {**answer, "parts": parts} if "parts" in answer else answer


def run(options, program, found):
    began = time.monotonic()
    cases = list(bodies(random.Random(options.seed), options.count))
    answers = peers.ask([program], [([type_], body) for _, type_, body in cases])
    accepted = [(case, answer) for case, answer in zip(cases, answers) if "error" not in answer]
    failures = []
    for (name, content_type, body), answer in accepted:
        if "failure" in answer:
            failures.append((name, "formwork", content_type, body, answer["failure"], None))
            continue
        wanted = [written(part) for part in answer["parts"]]
        if wanted != answer["again"]:
            failures.append((name, "formwork", content_type, body, answer["again"], wanted))
    composed = [(case, answer) for case, answer in accepted if "failure" not in answer]
    counts, excepted = collections.Counter(), collections.Counter()
    print(f"{len(cases)} bodies, of which formwork accepts {len(accepted)}; seed {options.seed}")
    found = {name: command for name, (_, command) in found.items() if name in PEERS}
    for peer, command in found.items():
        theirs = peers.ask(command, [([answer["type"]], b64decode(answer["body"])) for _, answer in composed], strict=True)
        for (case, answer), their in zip(composed, map(digested, theirs)):
            wanted = expected(peer, answer["again"])
            if wanted is None:
                excepted[peer] += 1
            elif is_same(wanted, their.get("parts")):
                counts[peer] += 1
            else:
                failures.append((case[0], peer, answer["type"], b64decode(answer["body"]), their, wanted))
    print("\nexpected differences")
    rule.show()
    for index, (name, peer, content_type, body, got, wanted) in enumerate(failures):
        if index < 20:
            print(f"\n  {name}, {peer}\n    wanted {wanted}\n    got    {got}")
        options.keep.mkdir(parents=True, exist_ok=True)
        head = f"Content-Type: {content_type}\r\n\r\n".encode()
        file = options.keep / f"{peer}-{re.sub('[^A-Za-z0-9-]', '_', name)}"
        file.with_suffix(".http").write_bytes(head + body)
        file.with_suffix(".json").write_text(json.dumps({"wanted": wanted, "got": got}))
    if failures:
        print(f"\n{len(failures)} bodies kept in {options.keep}")
    agreed = ", ".join(f"{peer} {counts[peer]} ({excepted[peer]} not compared)" for peer in found)
    print(f"\n{len(composed)} composed bodies read the same by: {agreed}; {len(failures)} different  ({time.monotonic() - began:.1f} s)")
    return failures != [] or len(found) < 3
