"""Flask, whose Werkzeug spools files of more than 500 kB to disk. Served by gunicorn."""

from importlib.metadata import version

from flask import Flask, request

from rows import row, unread

app = Flask(__name__)


@app.get("/")
def versions():
    return f"Flask {version('flask')}, Werkzeug {version('werkzeug')}, gunicorn {version('gunicorn')}\n"


@app.post("/<path:place>")
def form(place):
    if answer := unread(request.path):
        status, text, fields = answer
        return text, status, fields
    fields = [row(name, None, value) for name, value in request.form.items(multi=True)]
    files = [row(name, file.filename, file.stream) for name, file in request.files.items(multi=True)]
    return "".join(fields + files)


@app.post("/protocol")
def protocol():
    """What the proxy in front was asked in."""
    return f"{request.headers['X-Protocol']}, {len(request.files)} file\n"
