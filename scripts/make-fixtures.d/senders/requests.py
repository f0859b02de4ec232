import json
import sys

# This script's folder is where Python looks first, and it holds a requests.py.
del sys.path[0]
import requests

form = json.load(open(sys.argv[2]))
files = [
    (form["file"]["name"], open(form["file"]["filename"], "rb")),
    (form["unfilledFile"], ("", b"")),
]
requests.post(sys.argv[1], data=[tuple(field) for field in form["fields"]], files=files).raise_for_status()
print("requests", requests.__version__, "with urllib3", requests.packages.urllib3.__version__)
