"""urllib.parse, for scripts/bench: MB of input for each second of CPU time."""
import sys
import urllib.parse

from timing import seconds

raw = open(sys.argv[1], "rb").read()
texts = raw.decode().split("\0")[:-1]
pairs = list(zip(texts[::2], texts[1::2]))
encoded = open(sys.argv[2]).read()


assert urllib.parse.urlencode(pairs) == encoded, "not what the reference encoded"
assert urllib.parse.parse_qsl(encoded, keep_blank_values=True) == pairs, "not the pairs that were encoded"
print("encode", round(len(raw) / seconds(lambda: urllib.parse.urlencode(pairs)) / 1e6))
print("decode", round(len(encoded) / seconds(lambda: urllib.parse.parse_qsl(encoded, keep_blank_values=True)) / 1e6))
