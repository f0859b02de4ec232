"""Sends one form with many other clients, and keeps the bodies.

Each client is a script in senders/, called with the address to post to and the form as a JSON file; it prints its
version. A client that can't be installed or fails is named and left out; its previous capture is kept.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import packages
from capture import Server
from packages import Unavailable

SENDERS = Path(__file__).resolve().parent / "senders"

# One text, two texts with difficult names, a value of several lines, an empty value; a file with
# every byte, whose last four could begin a delimiter; and an empty file input.
FIELDS = [
    ("title", 'Grüße & "more"'),
    ('näme "q" %0A', "awkward"),
    ("empty", ""),
    ("lines", "one\r\ntwo\r\n\r\nthree"),
]
FILENAME = 'flä "q" 50% \\b.txt'
CONTENT = bytes(range(256)) + b"\r\n--"


@dataclass
class Client:
    name: str
    command: list[str]
    # The packages that the command needs, from Debian or PyPI.
    apt: list[str] = field(default_factory=list)
    pip: list[str] = field(default_factory=list)
    # The part of the form that this client can't express, for people.
    lacks: str = ""
    # Names of captures besides the client's own: a browser posts twice.
    also: list[str] = field(default_factory=list)
    # The path of its sender.
    senders: Path = SENDERS


def python(name: str, *packages: str, sender: str | None = None, lacks: str = "") -> Client:
    return Client(name, ["python", f"{sender or name}.py"], pip=list(packages), lacks=lacks)


def java(name: str, *words: str, package: str, lacks: str = "") -> Client:
    # The folder of all libraries in Debian.
    command = ["java", "-cp", "/usr/share/java/*", *words]
    return Client(name, command, apt=["default-jdk-headless", package], lacks=lacks)


CLIENTS = [
    Client("curl", ["bash", "curl.sh"], apt=["curl"]),
    Client("curl-form-escape", ["bash", "curl.sh", "--form-escape"], apt=["curl"]),
    Client("wget", ["bash", "wget.sh"], apt=["wget"], lacks="wget can't make forms: the body is written by hand"),
    python("requests", "requests"),
    python("urllib3", "urllib3"),
    python("urllib3-1", "urllib3<2", sender="urllib3"),
    python("httpx", "httpx"),
    python("aiohttp", "aiohttp", lacks="only ASCII names: näme is name"),
    Client("aiohttp-unquoted", ["python", "aiohttp.py", "--unquoted"], pip=["aiohttp"]),
    python("reqwest", "pyreqwest"),
    Client("node-fetch", ["node", "node-fetch.mjs"], apt=["nodejs"]),
    Client("go", ["go", "run", "go.go"], apt=["golang-go"]),
    Client("php-curl", ["php", "php-curl.php"], apt=["php-cli", "php-curl"]),
    Client("lwp", ["perl", "lwp.pl"], apt=["libwww-perl"], lacks="no file without a name"),
    Client("mojolicious", ["perl", "mojolicious.pl"], apt=["libmojolicious-perl"]),
    Client("net-http", ["ruby", "net-http.rb"], apt=["ruby"]),
    Client("rest-client", ["ruby", "rest-client.rb"], apt=["ruby-rest-client"], lacks="no file without a name"),
    Client("httparty", ["ruby", "httparty.rb"], apt=["ruby-httparty"], lacks="no file without a name"),
    Client("multipart-post", ["ruby", "multipart-post.rb"], apt=["ruby-multipart-post"]),
    Client("http-rb", ["ruby", "http-rb.rb"], apt=["ruby-http"]),
    java("apache-httpclient", "ApacheHttpClient.java", "STRICT", package="libhttpmime-java", lacks="names are ASCII"),
    java("apache-httpclient-rfc6532", "ApacheHttpClient.java", "RFC6532", package="libhttpmime-java"),
    java("apache-httpclient-browser", "ApacheHttpClient.java", "BROWSER_COMPATIBLE", package="libhttpmime-java"),
    java("okhttp", "OkHttp.java", package="libokhttp-java"),
    Client("chromium-fetch", ["chromium"], apt=["chromium"], also=["chromium-form"]),
    Client("firefox-fetch", ["firefox-esr"], apt=["firefox-esr"], also=["firefox-form"]),
]


def install(client: Client, folder: Path, may_install: bool = True) -> dict[str, str]:
    """Installs what the client needs; returns the environment in which to run it."""
    environment = {**os.environ, "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "GO111MODULE": "off"}
    environment["GOCACHE"] = str(folder / "go")
    packages.install(client.apt, may_install)
    if client.pip:
        if not may_install:
            raise Unavailable("installs nothing")
        python = packages.python_with(folder, *client.pip)
        environment["PATH"] = f"{python.parent}:{environment['PATH']}"
    return environment


def send(client: Client, server: Server, form: Path, environment: dict[str, str]) -> str:
    """Runs a client once; returns its version. The form is in a folder together with its file."""
    names = [client.name, *client.also]
    program, *words = client.command
    if not words:
        return browse(program, names, server, form.parent, environment)
    sender = next(i for i, word in enumerate(words) if (client.senders / word).exists())
    words[sender] = str(client.senders / words[sender])
    # For senders written in shell, which can't read JSON.
    environment = {**environment, "FORM_FILENAME": json.loads(form.read_text())["file"]["filename"]}
    command = [program, *words, f"{server.url}/{client.name}", str(form)]
    try:
        result = subprocess.run(command, cwd=form.parent, env=environment, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(str(error))
    if result.returncode or not server.wait(names, 1):
        raise Unavailable(f"sent nothing: {result.stderr.strip()[:300]} … {result.stderr.strip()[-300:]}")
    return result.stdout.strip()


def browse(program: str, names: list[str], server: Server, folder: Path, environment: dict[str, str]) -> str:
    profile = folder / f"{program}-profile"
    profile.mkdir()
    url = f"{server.url}/page?{program.removesuffix('-esr')}"
    flags = ["--headless", "--profile", profile, "--no-remote", url]
    if program == "chromium":
        # Without its sandbox, which doesn't work for root: the only page is ours.
        flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", url]
    version = subprocess.run([program, "--version"], env=environment, capture_output=True, text=True).stdout.strip()
    # In its own session, so that its children are killed with it.
    browser = subprocess.Popen(
        [program, *flags], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        if not server.wait(names, 90):
            raise Unavailable("did not post its forms within 90 seconds")
    finally:
        os.killpg(browser.pid, signal.SIGTERM)
        try:
            browser.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
    return version


def make_form(filename: str) -> dict:
    return {"fields": FIELDS, "file": {"name": "file", "filename": filename}, "unfilledFile": "nothing"}


def page_of(form: dict) -> bytes:
    """The page from which browsers post the form."""
    text = json.dumps({**form, "content": list(CONTENT)})
    return (SENDERS / "page.html").read_text().replace("FORM", text).encode()


def lay(form: dict, folder: Path) -> Path:
    """Writes the form's description and its file into a folder; returns the description's path."""
    (folder / form["file"]["filename"]).write_bytes(CONTENT)
    (folder / "form.json").write_text(json.dumps(form))
    return folder / "form.json"


def make(target: Path, wanted: list[str]) -> None:
    if unknown := set(wanted) - {client.name for client in CLIENTS}:
        sys.exit(f"make-fixtures: no client {', '.join(sorted(unknown))}")
    target.mkdir(exist_ok=True)
    manifest = target / "clients.json"
    captures = {}
    if manifest.exists():
        captures = {one["client"]: one for one in json.loads(manifest.read_text())["captures"]}
    form = make_form(FILENAME)
    skipped = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, Server(page_of(form)) as server:
        folder = Path(name)
        (folder / "home").mkdir()
        lay(form, folder)
        for client in CLIENTS:
            if wanted and client.name not in wanted:
                continue
            try:
                version = send(client, server, folder / "form.json", install(client, folder))
            except Unavailable as error:
                skipped.append(client.name)
                print(f"SKIPPED {client.name}: {error}", file=sys.stderr)
                continue
            for one in [client.name, *client.also]:
                content_type, body = server.received[one]
                (target / f"{one}.body").write_bytes(body)
                captures[one] = {"client": one, "version": version, "contentType": content_type, "body": f"{one}.body"}
                if client.lacks:
                    captures[one]["lacks"] = client.lacks
                print(f"ok      {one}: {len(body)} bytes, {version}")
    form["file"]["contentHex"] = CONTENT.hex()
    order = [name for client in CLIENTS for name in [client.name, *client.also]]
    rows = sorted(captures.values(), key=lambda one: order.index(one["client"]))
    manifest.write_text(json.dumps({"form": form, "captures": rows}, indent=2, ensure_ascii=False) + "\n")
    print(f"{len(rows)} captures in {target}, {len(skipped)} clients skipped: {' '.join(skipped) or 'none'}")
