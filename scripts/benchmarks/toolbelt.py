"""toolbelt URL NAME=FILE...: posts the files as a form with requests and requests-toolbelt, streamed; prints the answer."""

import sys

import requests
from requests_toolbelt import MultipartEncoder

url, *files = sys.argv[1:]
form = MultipartEncoder([("a", "1"), *((n, (n, open(path, "rb"), "application/octet-stream")) for n, path in (f.split("=", 1) for f in files))])
print(requests.post(url, data=form, headers={"Content-Type": form.content_type}).text, end="")
