import json
import sys

# Python searches this script's folder first, which contains a niquests.py.
del sys.path[0]
import niquests

form = json.load(open(sys.argv[2]))
filename = form["file"]["filename"]
files = [(form["file"]["name"], (filename, open(filename, "rb"))), (form["unfilledFile"], ("", b""))]
niquests.post(sys.argv[1], data=[tuple(field) for field in form["fields"]], files=files).raise_for_status()
print("niquests", niquests.__version__)
