"""parse.py PARSER FILE BOUNDARY CHUNK, for scripts/bench: MB of a multipart body for each second of CPU time."""

import sys

from timing import seconds

name, path, boundary, size = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
body = open(path, "rb").read()
chunks = [body[start : start + size] for start in range(0, len(body), size)]
length = len(body)
del body


def with_multipart():
    from multipart import PushMultipartParser

    parts = count = 0
    unlimited = {"max_segment_count": 10**9, "max_segment_size": 10**12, "max_header_size": 10**6}
    with PushMultipartParser(boundary, content_length=length, **unlimited) as parser:
        for chunk in chunks:
            for event in parser.parse(chunk):
                if not event:
                    continue
                if isinstance(event, (bytes, bytearray)):
                    count += len(event)
                else:
                    parts += bool(event.name)
    return parts, count


def with_python_multipart():
    from python_multipart.multipart import MultipartParser, parse_options_header

    parts = count = 0
    field, value = b"", b""

    def on_part_begin():
        nonlocal field, value
        field = value = b""

    def on_header_field(data, start, end):
        nonlocal field
        field += data[start:end]

    def on_header_value(data, start, end):
        nonlocal value
        value += data[start:end]

    def on_header_end():
        nonlocal field, value, parts
        if field.lower() == b"content-disposition":
            parts += b"name" in parse_options_header(value)[1]
        field = value = b""

    def on_part_data(data, start, end):
        nonlocal count
        count += end - start

    names = ("on_part_begin", "on_header_field", "on_header_value", "on_header_end", "on_part_data")
    callbacks = {name: function for name, function in locals().items() if name in names}
    parser = MultipartParser(boundary.encode(), callbacks)
    for chunk in chunks:
        parser.write(chunk)
    parser.finalize()
    return parts, count


def with_werkzeug():
    from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

    parts = count = 0
    decoder = MultipartDecoder(boundary.encode(), max_parts=None)
    for chunk in [*chunks, None]:
        decoder.receive_data(chunk)
        while not isinstance(event := decoder.next_event(), (NeedData, Epilogue)):
            if isinstance(event, Data):
                count += len(event.data)
            elif isinstance(event, (Field, File)):
                parts += bool(event.name)
    return parts, count


parse = {"multipart": with_multipart, "python-multipart": with_python_multipart, "werkzeug": with_werkzeug}[name]
found = []
taken = seconds(lambda: found.append(parse()))
assert len(set(found)) == 1
print("parts", found[0][0])
print("bytes", found[0][1])
print("rate", round(length / taken / 1e6))
