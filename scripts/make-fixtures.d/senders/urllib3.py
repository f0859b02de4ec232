import json
import sys

# This script's folder is where Python looks first, and it holds an urllib3.py.
del sys.path[0]
import urllib3

form = json.load(open(sys.argv[2]))
fields = [tuple(field) for field in form["fields"]]
filename = form["file"]["filename"]
fields.append((form["file"]["name"], (filename, open(filename, "rb").read())))
fields.append((form["unfilledFile"], ("", b"")))
urllib3.PoolManager().request("POST", sys.argv[1], fields=fields)
print("urllib3", urllib3.__version__)
