"""A question per line, answered by urllib.parse: see scripts/interop/urlencoded."""

import json
import sys
from base64 import b64decode, b64encode
from urllib.parse import parse_qsl, quote, quote_plus, urlencode


def base64(text):
    return b64encode(text.encode()).decode()


for line in sys.stdin:
    kind, content = json.loads(line)
    if kind == "parse_qsl":
        answer = [[base64(t) for t in pair] for pair in parse_qsl(b64decode(content).decode(), keep_blank_values=True)]
    elif kind == "urlencode":
        answer = base64(urlencode([tuple(b64decode(word) for word in pair) for pair in content]))
    elif kind == "quote_plus":
        answer = base64(quote_plus(b64decode(content)))
    else:
        answer = base64(quote(b64decode(content)))
    print(json.dumps(answer))
