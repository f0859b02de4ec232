# Rust's reqwest, by way of Python: crates are not among what this project installs.
import json
import sys
from importlib.metadata import version

from pyreqwest.client import SyncClientBuilder
from pyreqwest.multipart import FormBuilder, PartBuilder

form = json.load(open(sys.argv[2]))
body = FormBuilder()
for name, value in form["fields"]:
    body = body.text(name, value)
filename = form["file"]["filename"]
body = body.part(form["file"]["name"], PartBuilder.from_bytes(open(filename, "rb").read()).file_name(filename))
body = body.part(form["unfilledFile"], PartBuilder.from_bytes(b"").file_name(""))
with SyncClientBuilder().build() as client:
    client.post(sys.argv[1]).multipart(body).build().send()
print("reqwest, in pyreqwest", version("pyreqwest"))
