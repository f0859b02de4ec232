"""peer.py PARSER < questions: the parts of one body per line, as a Python parser reads them, a line of JSON each."""

import hashlib
import io
import json
import logging
import sys
from base64 import b64decode


def part(name, filename, content_type, content):
    return {"name": name, "filename": filename, "type": content_type, "sha256": hashlib.sha256(content).hexdigest()}


def with_python_multipart(content_type, body):
    """Used as in Starlette: the parser's events for the framing, its own function for the disposition."""
    from python_multipart import multipart

    _, options = multipart.parse_options_header(content_type)
    parts, headers, content = [], [], bytearray()
    name, value = bytearray(), bytearray()
    has_ended = False

    def header_end():
        headers.append((bytes(name).lower(), bytes(value)))
        name.clear()
        value.clear()

    def part_end():
        fields = dict(headers)
        _, disposition = multipart.parse_options_header(fields.get(b"content-disposition"))
        given = fields.get(b"content-type")
        texts = [None if text is None else text.decode(errors="replace") for text in (disposition.get(b"name"), disposition.get(b"filename"), given)]
        parts.append(part(*texts, bytes(content)))
        headers.clear()
        content.clear()

    def end():
        nonlocal has_ended
        has_ended = True

    parser = multipart.MultipartParser(options.get(b"boundary", b""), {
        "on_header_field": lambda data, start, stop: name.extend(data[start:stop]),
        "on_header_value": lambda data, start, stop: value.extend(data[start:stop]),
        "on_header_end": header_end, "on_part_end": part_end, "on_end": end,
        "on_part_data": lambda data, start, stop: content.extend(data[start:stop]),
    })
    parser.write(body)
    parser.finalize()
    if not has_ended:
        raise ValueError("the body doesn't end")
    return parts


def with_multipart(content_type, body):
    import multipart

    _, options = multipart.parse_options_header(content_type)
    parser = multipart.MultipartParser(io.BytesIO(body), options.get("boundary", ""), strict=True)
    return [part(p.name, p.filename, p.headers.get("Content-Type"), p.raw) for p in parser]


def with_werkzeug(content_type, body):
    from werkzeug.http import parse_options_header
    from werkzeug.sansio import multipart

    _, options = parse_options_header(content_type)
    decoder = multipart.MultipartDecoder(options.get("boundary", "").encode())
    decoder.receive_data(body)
    decoder.receive_data(None)
    parts, head, content = [], None, b""
    while not isinstance(event := decoder.next_event(), (multipart.Epilogue, multipart.NeedData)):
        if isinstance(event, (multipart.Field, multipart.File)):
            head, content = event, b""
        elif isinstance(event, multipart.Data):
            content += event.data
            if not event.more_data:
                parts.append(part(head.name, getattr(head, "filename", None), head.headers.get("Content-Type"), content))
    if isinstance(event, multipart.NeedData):
        raise ValueError("the body doesn't end")
    return parts


logging.disable()  # python-multipart logs what it refuses
read = {"python-multipart": with_python_multipart, "multipart": with_multipart, "werkzeug": with_werkzeug}[sys.argv[1]]
for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {"parts": read(question["type"], b64decode(question["body"]))}
    except Exception as error:  # whatever it is, this parser refused the body
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
