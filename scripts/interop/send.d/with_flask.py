"""Flask, whose Werkzeug spools files of more than 500 kB to disk. Served by gunicorn."""

from importlib.metadata import version

from flask import Flask, redirect, request

from rows import is_first, row

app = Flask(__name__)


@app.get("/")
def versions():
    return f"Flask {version('flask')}, Werkzeug {version('werkzeug')}, gunicorn {version('gunicorn')}\n"


@app.post("/form")
def form():
    fields = [row(name, None, value) for name, value in request.form.items(multi=True)]
    files = [row(name, file.filename, file.stream) for name, file in request.files.items(multi=True)]
    return "".join(fields + files)


@app.post("/moved")
def moved():
    return redirect("/form", 307)


@app.post("/busy/<key>")
def busy(key):
    return ("busy\n", 503, {"Retry-After": "1"}) if is_first(key) else form()


@app.post("/full")
def full():
    return "too large\n", 413


@app.post("/protocol")
def protocol():
    """What the proxy in front was asked in."""
    return f"{request.headers['X-Protocol']}, {len(request.files)} file\n"
