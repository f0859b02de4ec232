"""Runs the command lines of the pages, of help and of Fixtures/examples.txt, each in a folder with the files that it reads and with a
receiver instead of example.com. Each must end with 0. And options in text and in units must exist, each option needs an example, and
a default must do what the option does with that value.

    python3 scripts/lib/commandlines.py FORMWORK [TEXT]     all, or the lines with this text
"""

import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import certificates
import manual
import posts
import store
from links import is_article
from receiving import Receiver
from tree import ROOT, files

# What begins a line that isn't run, and why.
EXCEPTIONS = dict(line.split(" -> ") for line in Path(__file__).with_suffix(".txt").read_text().splitlines())
# What isn't there, and what is there instead.
INSTEAD = [
    (r"https?://(?:[a-z]+\.)?example\.com(?:(?=/)|:8080)|http://127\.0\.0\.1:8080(?=/)|https?://(?:up|app)\.example\.com|http://10\.0\.0\.5:8080", "$U"),
    (r"(?<=')URL(?=')|URL$|http://h/", "$U"), (r"(?<=[ @])/(?=(?:var|etc|srv|dev/shm)/)", "$PWD/"), 
    (r"10G", "10M"), (r"KEY_ID=… AWS_SECRET_ACCESS_KEY=… AWS_ENDPOINT_URL_S3=\S+", "KEY_ID=$AWS_ACCESS_KEY_ID"),
    (r"--port 8080", ""), (r"…", "a-word-of-16-or-more"), (r"\n~/", "\n$HOME/"), (r"\$\{fpath\[1\]\}", "$HOME"), (r"(?<=> )~", "$HOME"),
]
VARYING = r"formwork-[0-9a-f]{32}|-{24}\w+"


class Accepting(posts.Handler):
    """A server that accepts any body."""

    def do_POST(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while (size := int(self.rfile.readline(), 16)) + 2 > 2:
                self.rfile.read(size + 2)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, "accepted\n")


def shell_lines(text: str) -> list[str]:
    """The lines of sh blocks that use the command."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks if "formwork " in block for line in block.replace("\\\n", " ").splitlines()]


def unknown_options(text: str, known: dict[str, set[str]]) -> list[str]:
    """Options that a verb doesn't have, in blocks of other kinds and in code within text."""
    text = text.replace("\\\n", " ")
    words = "|".join(known)
    lines = "\n".join(re.findall(r"^```(?:sh|ini|text)\n(.*?)^```", text, re.M | re.S)).split("\n")
    lines += re.findall(rf"`((?:formwork|{words}) [^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    found = []
    for line in lines:
        for part in re.split(r"\||&&|;\s", re.sub(r"'[^']*'|\"[^\"]*\"", "X", re.split(r"(?<!\S)#", line)[0])):
            match = re.search(rf"(?:formwork|^)\s*\b({words})\b(.*)", part.strip())
            if match and ("formwork" in part or match[1] not in ("curl", "type", "link")):
                options = re.findall(r"(?<!\S)--[a-z][\w-]*", match[2])
                found += [f"formwork {match[1]} has no {option}" for option in options if option not in known[match[1]]]
    return found


class Runner:
    def __init__(self, program: Path, own: Path, variables: dict[str, str]):
        certificates.self_signed(own)
        self.own, self.used, self.count = own, set(), 0
        self.accepting = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
        threading.Thread(target=self.accepting.serve_forever, daemon=True).start()
        self.variables = {
            **variables, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(own), "TMPDIR": str(own), "OWN": str(own),
            "BASH_ENV": str(Path(__file__).with_suffix(".bash")), "FIXTURES": str(ROOT / "Fixtures"), "LC_ALL": "C.UTF-8",
            "FORMWORK_LINK_KEY": "0123456789abcdef0123456789abcdef", "ACCEPTING": f"http://127.0.0.1:{self.accepting.server_port}"}
        self.receiver = Receiver([program, "receive", "inbox"], own, environment=self.variables)
        self.variables["U"] = self.receiver.url.rstrip("/")
        subprocess.run(["bash", "-c", "prepare"], cwd=own, env=self.variables, check=True)
        self.variables["LINK"] = (own / "link").read_text().strip()

    def run(self, line: str) -> subprocess.CompletedProcess:
        for pattern, instead in INSTEAD:
            line = re.sub(pattern, instead, line)
        variables = self.variables | ({"U": self.variables["ACCEPTING"]} if re.search(r" -d |query encode \|", line) else {})
        with tempfile.TemporaryDirectory(dir=self.own) as folder:
            shutil.copytree(self.own / "prepared", folder, dirs_exist_ok=True)
            command = ["bash", "-c", line]
            return subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def wrong(self, place: str, line: str) -> str:
        """What is wrong with a line; an empty text if nothing is."""
        if exception := next((start for start in EXCEPTIONS if line.startswith(start)), None):
            self.used.add(exception)
            return ""
        self.count += 1
        ended = self.run(line)
        return f"{place}: {line}\n    {ended.returncode}: {ended.stderr.decode().strip()[-600:]}" if ended.returncode else ""

    def differs(self, verb: str, option: dict, value: str) -> str:
        """Whether a default isn't what the option does with that value; where it shows."""
        name = option["names"][-1]
        line = re.sub(rf" (?:{'|'.join(option['names'])}) (?:'[^']*'|\S+)", "", option["example"])
        line = line.split(" -- ")[0] + {"send": " --dry-run", "curl": " --print"}.get(verb, "")
        self.count += 2
        without, given = (self.run(text) for text in (line, f"{line} {name} {value}"))
        outputs = [re.sub(VARYING, "RANDOM", run.stdout.decode(errors="replace")) for run in (without, given)]
        is_same = outputs[0] == outputs[1] and without.returncode == given.returncode == 0
        return "" if is_same else f"{line}: {name} {value} isn't its default\n{outputs}\n{given.stderr.decode()}"


def main(program: str, wanted: str = "") -> int:
    program = Path(program).resolve()
    verbs = {" ".join(verb["words"][1:]): verb for verb in manual.described(str(program.with_name("formwork-transfer")))}
    known = {name: {word for option in verb["options"] for word in option["names"]} for name, verb in verbs.items() if name}
    known["query"] |= known["query encode"]
    wrong, lines, defaults = [], [], []
    for page in files("*.md"):
        if is_article(page) or page.parent == ROOT:
            name, text = page.relative_to(ROOT), page.read_text()
            wrong += [f"{name}: {fault}" for fault in unknown_options(text, known)]
            lines += [(str(name), line) for line in shell_lines(text) if line]
    for name, verb in verbs.items():
        shown = [line.strip() for line in re.sub(r"\|\n\s+", "| ", verb["text"].get("EXAMPLES", "")).split("\n")]
        lines += [(f"help {name}", line) for line in shown if line and not line.endswith(":")]
        for option in [one for options in manual.groups(verb).values() for one in options if not one["isArgument"]]:
            wrong += [] if option["example"] else [f"{manual.EXAMPLES.name}: no example of {option['spelling']} of {name}"]
            lines.append((manual.EXAMPLES.name, option["example"]))
            value = re.search(r"(\S+) \((?:[^()]*, )?the default[:)]|default: ([\w./-]*)", option["text"] + option["details"])
            # The receiver's come from the code. Of the others, a word that isn't a value says what happens.
            if value and name not in ("receive", "link") and (value[1] or value[2]) not in ("off", "not", "to", "the"):
                defaults.append((name, option, value[1] or value[2]))
    errors = (ROOT / "Sources/Formwork/Formwork.docc/Errors.md").read_text()
    if "".join(f"| {status} | {meaning} |\n" for status, meaning in manual.topic(str(program), "statuses")) not in errors:
        wrong.append("Errors.md doesn't have the rows of 'formwork help statuses'")
    with tempfile.TemporaryDirectory(prefix="formwork-lines-") as folder, store.opened("bucket", []) as bucket:
        runner = Runner(program, Path(folder), bucket.variables)
        with runner.receiver, ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            chosen = [line for line in dict.fromkeys(lines) if wanted in line[1]]
            wrong += pool.map(lambda line: runner.wrong(*line), chosen)
            wrong += pool.map(lambda row: runner.differs(*row), [row for row in defaults if wanted in row[1]["example"]])
    wrong += [f"{start!r} isn't the start of any line" for start in EXCEPTIONS.keys() - runner.used if not wanted]
    wrong = [fault for fault in wrong if fault]
    print("\n".join(wrong) or f"{runner.count} command lines run")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
