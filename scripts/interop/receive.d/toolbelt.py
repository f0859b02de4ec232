"""requests-toolbelt, which streams a form that requests would hold in memory."""

import json
import sys

import requests
import requests_toolbelt

form = json.load(open(sys.argv[2]))
filename = form["file"]["filename"]
fields = [*form["fields"], (form["file"]["name"], (filename, open(filename, "rb"), "text/plain"))]
body = requests_toolbelt.MultipartEncoder([tuple(field) for field in fields])
requests.post(sys.argv[1], data=body, headers={"Content-Type": body.content_type}).raise_for_status()
print("requests-toolbelt", requests_toolbelt.__version__)
