"""receive FOLDER: Flask, with its own server; every file of a form goes to FOLDER. Prints its port."""

import pathlib
import sys

from flask import Flask, request
from werkzeug.serving import make_server

app = Flask(__name__)
folder = pathlib.Path(sys.argv[1])


@app.post("/")
def receive():
    for file in request.files.values():
        file.save(folder / pathlib.Path(file.filename).name, buffer_size=1 << 20)
    return ""


server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
