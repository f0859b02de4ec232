"""`parsing different`: whatever receivers read differently, strict refuses, and lint names what strict refuses."""

import collections
import itertools
import json
import posixpath
import random
import re
import subprocess
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import peers
from cases import Case, fixed, mutations, written
from composed import bodies
from questions import table

HERE = Path(__file__).resolve().parent
REFUSED = "refused"


def windows(text):
    return text.rpartition("\\")[2] if text[1:3] == ":\\" or text[:2] == "\\\\" else text


def percent(text):
    # Until nothing changes, since the other reading is decoded too, and this one was before.
    while all(re.match("%[0-9A-Fa-f]{2}", escape) for escape in re.findall("%.?.?", text)) and "%" in text:
        text = unquote(text)
    return text


def variable(text):
    """A name as PHP's: https://www.php.net/manual/language.variables.external.php"""
    if text is None:
        return None
    text = text.partition("\0")[0].lstrip(" ")
    head, keys = re.match(r"([^\[]*)((?:\[[^\]]*\])*)", text).groups()
    return re.sub("[ .]", "_", head) + keys if keys else re.sub(r"[ .[]", "_", text)


def as_variables(rows):
    """Of values with one name, the last is left; `[]` counts."""
    found, counts = {}, collections.Counter()
    for index, name, file, content in rows:
        name = variable(name)
        while name and (list_ := name.find("[]")) > 0:
            counts[index, name[:list_], file is None] += 1
            name = f"{name[:list_]}[{counts[index, name[:list_], file is None] - 1}]{name[list_ + 2 :]}"
        found[index, name, file is None] = (index, name, file, content)
    return list(found.values())


# What these do to every value, however it is written; both readings are changed so before they are compared.
VALUES = {
    "percent": ("rack rack-3", "filename", percent, "file names are decoded if each % begins an escape"),
    "escapes": ("node multipart werkzeug", "name filename", lambda t: re.sub("%22", '"', t), "WHATWG's %22, which browsers write"),
    "line ends": (
        "node multipart", "name filename", lambda t: t.replace("%0D", "\r").replace("%0A", "\n"), "WHATWG's %0D and %0A, likewise"),
    "small line ends": ("node", "name filename", lambda t: t.replace("%0d", "\r").replace("%0a", "\n"), "as %0D and %0A"),
    "byte order mark": ("node", "name filename", lambda t: t.removeprefix("\ufeff"), "removed, as by every decoder of WHATWG"),
    "folders": (
        "go", "filename", lambda t: posixpath.basename(t.rstrip("/")) if t.strip("/") else "/"[: len(t)],
        "the last component of a file name"),
    "any folders": ("rack rack-3", "filename", lambda t: re.split(r"[/\\]", t.rstrip("/\\"))[-1], "as folders, of Windows too"),
    "folders of Windows": ("python-multipart multipart", "filename", windows, "IE sent whole paths"),
    "variables": ("php", "", as_variables, "names are those of variables, and trees"),
    "text": ("node busboy", "content", lambda t: t.encode("latin-1", "replace").decode(errors="replace"), "fields are text in UTF-8"),
}


class Reading:
    """How one reader reads a case: by body and part the name, the file name and the content as Latin-1; `None` if it is refused."""

    def __init__(self, answers):
        self.reason = next((answer["error"] for answer in answers if "error" in answer), None)
        accepted = [(index, answer["parts"]) for index, answer in enumerate(answers) if "parts" in answer]
        self.parts = [(index, p["name"], p["filename"], p["content"]) for index, parts in accepted for p in parts] if accepted else None

    def left_empty(self):
        """The file inputs left empty: `filename=""`, and no content."""
        return {(index, name) for index, name, file, content in self.parts or [] if file == "" and not content}

    def leave_out(self, empty):
        """Of those some receivers report an empty file, some a field, some nothing."""
        self.parts = self.parts and [row for row in self.parts if (row[0], row[1]) not in empty or row[2] or row[3]]

    def as_read(self, *readers, applied):
        rows = self.parts
        for name, (whose, keys, change, _) in VALUES.items():
            if set(whose.split()) & set(readers):
                change_of = lambda text, key: change(text) if text is not None and key in keys.split() else text
                new = change(rows) if not keys else [
                    (i, change_of(n, "name"), change_of(f, "filename"), c if f is not None else change_of(c, "content"))
                    for i, n, f, c in rows]
                applied[name] += new != rows
                rows = new
        return sorted(rows, key=repr)

    def __str__(self):
        if self.parts is None:
            return REFUSED
        several = len({index for index, *_ in self.parts}) > 1 or any(index for index, *_ in self.parts)
        shown = [f"#{index} " * several + quoted(name) + ("" if file is None else "@" + quoted(file)) + f"={short(readable(content))}"
                 for index, name, file, content in self.parts]
        return " + ".join(shown) or "(no parts)"


def quoted(name):
    return short(json.dumps(name, ensure_ascii=False))


def readable(content):
    try:
        return content.encode("latin-1").decode()
    except UnicodeDecodeError:
        return content


def short(text):
    text = text if len(text) < 60 else f"{text[:24]}…{sha256(text.encode()).hexdigest()[:8]}"
    return re.sub(r"[\0-\x1f\x7f]", lambda found: repr(found[0])[1:-1], text)


class Formwork:
    """The command, which reads one body at a time."""

    def __init__(self, program, folder):
        self.program, self.folder, self.numbers = program, folder, itertools.count()

    def inspect(self, file, *options):
        result = subprocess.run([self.program, "inspect", "--json", *options, file], capture_output=True)
        try:
            return json.loads(result.stdout)
        except ValueError:
            return {"error": result.stderr.decode(errors="replace") or "no answer", "findings": []}

    def answer(self, question):
        types, message = question
        if types is not None:
            head = "".join(f"Content-Type: {text}\r\n" for text in types)
            message = f"POST / HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(message)}\r\n\r\n".encode("latin-1") + message
        file = self.folder / f"{next(self.numbers)}.http"
        file.write_bytes(message)
        answers = {}
        for profile in ("strict", "default"):
            read = self.inspect(file, "--profile", profile)
            answers[profile] = {"error": str(read["error"])} if read["error"] else {"parts": [
                {**part, "content": body_of(message, part)} for part in read["parts"]]}
            answers[profile]["warnings"] = read.get("warnings", [])
        lint = self.inspect(file, "--lint")
        answers["lint"] = [finding["rule"] for finding in lint.get("findings", [])]
        file.unlink()
        return answers


def body_of(message, part):
    """A part's content; in a message it has no place, as chunks may be around it, but a digest."""
    start = message.index(b"\r\n\r\n") + 4 + part["offset"]
    content = message[start : start + part["length"]]
    if sha256(content).hexdigest() != part["sha256"]:
        content = next((text for text in (b"v", b"w", b"") if sha256(text).hexdigest() == part["sha256"]), b"another content")
    return content.decode("latin-1")


def latin1(answer):
    for part in answer.get("parts", []):
        part["content"] = b64decode(part["content"]).decode("latin-1")
    return answer


class Comparison:
    def __init__(self, found):
        self.readers = list(found)
        # Only then does no reader read a case otherwise: one that isn't here might.
        self.has_all_readers = len(found) >= len(peers.ALL_PEERS)
        self.applied = collections.Counter()
        # A pattern of cases, the peers (or formwork) whose readings don't count there, and the reason.
        self.exceptions, self.needed = {key: rest.split("\t") for key, rest in table(HERE / "exceptions.tsv").items()}, set()
        self.classes, self.kinds, self.alarms = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
        self.violations = []
        # Cases that differ, which the default profile reads without a warning of `inspect`: for information.
        self.silent = 0

    def is_same(self, one, other, readings):
        return readings[one].as_read(one, other, applied=self.applied) == readings[other].as_read(one, other, applied=self.applied)

    def class_of(self, readings):
        accepting = [name for name in self.readers if name in readings and readings[name].parts is not None]
        if not accepting:
            return "all refuse"
        if not all(self.is_same(one, other, readings) for at, one in enumerate(accepting) for other in accepting[:at]):
            return "differ"
        return "same" if len(accepting) == len(readings.keys() & set(self.readers)) else "some refuse"

    def faults(self, kind, class_, readings, lint):
        strict, default = readings["strict"], readings["default"]
        if strict.parts is None:
            if kind == "plain" and self.has_all_readers and class_ in ("same", "some refuse"):
                yield "strict refuses what a client sends"
            if not all(lint):
                yield "strict refuses, and lint has no finding"
            return
        if class_ in ("differ", "all refuse"):
            yield {"differ": "strict accepts what peers read differently", "all refuse": "strict accepts what every peer refuses"}[class_]
        else:
            others = [name for name in self.readers if readings.get(name) and readings[name].parts is not None]
            wrong = [name for name in others if not self.is_same("strict", name, readings)]
            if wrong:
                yield f"strict reads it otherwise than {', '.join(wrong)}"
        if default.parts != strict.parts:
            yield "default reads it otherwise than strict"

    def add(self, case, readings, lint):
        """The case's class and faults, after the exceptions."""
        empty = set().union(*(reading.left_empty() for reading in readings.values()))
        for reading in readings.values():
            reading.leave_out(empty)
        class_ = self.class_of(readings)
        faults = list(self.faults(case.kind, class_, readings, lint))
        if faults:
            fitting = [pattern for pattern in self.exceptions if re.search(pattern, case.name)]
            without = {peer for pattern in fitting for peer in self.exceptions[pattern][0].split()}
            left = {name: reading for name, reading in readings.items() if name not in without}
            remaining = [] if "formwork" in without else list(self.faults(case.kind, self.class_of(left), left, lint))
            if len(remaining) < len(faults):
                self.needed |= set(fitting)
            faults = remaining
        self.classes[class_] += 1
        self.kinds[case.kind][class_] += 1
        if class_ == "same" and readings["strict"].parts is None:
            self.alarms[case.kind] += 1
        self.violations += [(case, fault) for fault in faults]
        return class_, faults


def run(options, program, found, folder):
    always = ("client", "plain", "report", "written")
    cases = [*written(program, folder), *fixed(), *mutations()]
    cases = [case for case in cases if not options.quick or case.kind in always or case.is_among(30)]
    forms = bodies(random.Random(options.seed), options.random)
    cases += [Case("form", name, [type_], [body]) for name, type_, body in forms if name.startswith(("form ", "change "))]
    questions = [(case.types, body) for case in cases for body in case.bodies]
    print(f"{len(cases)} cases, {len(questions)} bodies")

    def answers_of(name):
        given = iter(peers.answers(found[name][1], folder, [each for each in questions if each[0] is not None or name in peers.WITH_HTTP]))
        return [latin1(next(given)) if types is not None or name in peers.WITH_HTTP else None for types, _ in questions]

    # Some wait long for bodies that don't end.
    with ThreadPoolExecutor(len(found)) as pool:
        answers = dict(zip(found, map(iter, pool.map(answers_of, found))))
    formwork = Formwork(program, folder)
    with ThreadPoolExecutor(2) as pool:
        ours = pool.map(formwork.answer, questions)
        comparison = Comparison(found)
        options.table.parent.mkdir(parents=True, exist_ok=True)
        with open(options.table, "w") as table:
            print("case", "class", "faults", "lint", "warnings", "strict", "default", *found, sep="\t", file=table)
            for case in cases:
                mine = [next(ours) for _ in case.bodies]
                theirs = {name: [next(answers[name]) for _ in case.bodies] for name in found}
                readings = {name: Reading(each) for name, each in theirs.items() if None not in each}
                readings |= {profile: Reading([each[profile] for each in mine]) for profile in ("strict", "default")}
                lint = [each["lint"] or "error" not in each["strict"] for each in mine]
                class_, faults = comparison.add(case, readings, lint)
                named = " ".join(dict.fromkeys(rule for each in mine for rule in each["lint"]))
                warnings = sum(len(each["default"]["warnings"]) for each in mine)
                comparison.silent += class_ == "differ" and readings["default"].parts is not None and not warnings
                shown = [readings.get(name, "") for name in ("strict", "default", *found)]
                print(case.name, class_, "; ".join(faults), named, warnings, *shown, sep="\t", file=table)
                comparison.violations += [(case, fault) for fault in unexpected(case, readings, options.quick)]
    return report(options, comparison, len(cases))


def unexpected(case, readings, quick):
    """Where a reading isn't the one that the case's row has, in a literal."""
    for names, wanted in case.expected.items():
        for name in names.split():
            # Other versions of the parsers from PyPI may be installed.
            if name in readings and str(readings[name]) != wanted and not (quick and name in peers.PYTHON):
                yield f"{name} reads {readings[name]}, not {wanted}"


def report(options, comparison, count):
    order = ["same", "some refuse", "differ", "all refuse"]
    print(f"\n{'kind':22}" + "".join(f"{name:>13}" for name in order) + f"{'false alarms':>14}")
    for kind, classes in comparison.kinds.items():
        print(f"{kind:22}" + "".join(f"{classes[name]:13}" for name in order) + f"{comparison.alarms[kind]:14}")
    print(f"{'':22}" + "".join(f"{comparison.classes[name]:13}" for name in order) + f"{sum(comparison.alarms.values()):14}")
    print(f"default reads {comparison.silent} that differ without a warning")
    faults = collections.Counter(re.sub(" than .*| reads .*", "", fault) for _, fault in comparison.violations)
    shown = collections.Counter()
    for case, fault in comparison.violations:
        shown[key := (case.kind, fault)] += 1
        if shown[key] <= options.show:
            print(f"  {case.name}: {fault}")
    # With fewer peers or cases some aren't needed.
    unused = [] if options.quick or len(comparison.readers) <= len(peers.ALL_PEERS) else [
        *(f"exception {pattern}" for pattern in comparison.exceptions if pattern not in comparison.needed),
        *(f"rule {name}" for name in VALUES if not comparison.applied[name])]
    for name in unused:
        print(f"  {name} isn't needed")
    for fault, number in faults.items():
        print(f"{number:6} {fault}")
    print(f"{count} cases, {len(comparison.violations)} violations, {len(unused)} exceptions too many; every case in {options.table}")
    return bool(comparison.violations or unused)
