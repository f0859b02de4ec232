import json
import sys

# This script's folder is where Python looks first, and it holds an httpx.py.
del sys.path[0]
import httpx

form = json.load(open(sys.argv[2]))
filename = form["file"]["filename"]
files = [(form["file"]["name"], open(filename, "rb")), (form["unfilledFile"], ("", b""))]
httpx.post(sys.argv[1], data=dict(form["fields"]), files=files).raise_for_status()
print("httpx", httpx.__version__)
