"""peer.py PARSER < questions: the parts of one body per line, as a Python parser reads them, a line of JSON each."""

import io
import json
import logging
import sys
from base64 import b64decode, b64encode


class Refused(Exception):
    pass


def part(name, filename, content_type, content):
    return {"name": name, "filename": filename, "type": content_type, "content": b64encode(content).decode()}


def with_python_multipart(content_type, body, is_strict):
    """Used as in Starlette: the parser's events for the framing, its own function for the disposition."""
    from python_multipart import multipart

    type_, options = multipart.parse_options_header(content_type)
    form(type_.decode("latin-1"))
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
        if texts[0] is None and not is_strict:
            raise Refused("no name")
        parts.append(part(*texts, bytes(content)))
        headers.clear()
        content.clear()

    def end():
        nonlocal has_ended
        has_ended = True

    parser = multipart.MultipartParser(options[b"boundary"], {
        "on_header_field": lambda data, start, stop: name.extend(data[start:stop]),
        "on_header_value": lambda data, start, stop: value.extend(data[start:stop]),
        "on_header_end": header_end, "on_part_end": part_end, "on_end": end,
        "on_part_data": lambda data, start, stop: content.extend(data[start:stop]),
    })
    parser.write(body)
    parser.finalize()
    if not has_ended and is_strict:
        raise Refused("the body doesn't end")
    return parts


def with_multipart(content_type, body, is_strict):
    import multipart

    type_, options = multipart.parse_options_header(content_type)
    form(type_)
    parser = multipart.MultipartParser(io.BytesIO(body), options["boundary"], strict=is_strict)
    return [part(p.name, p.filename, p.headers.get("Content-Type"), p.raw) for p in parser]


def with_werkzeug(content_type, body, is_strict):
    from werkzeug.http import parse_options_header
    from werkzeug.sansio import multipart

    type_, options = parse_options_header(content_type)
    form(type_)
    decoder = multipart.MultipartDecoder(options["boundary"].encode("latin-1"))
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
        raise Refused("the body doesn't end")
    return parts


def with_email(content_type, body, is_strict):
    """It is made for mail and reads everything; what it lists as a defect counts as refused."""
    from email.parser import BytesParser
    from email.policy import HTTP

    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n" + body)
    form(message.get_content_type())

    def whole(thing):
        # Bytes beyond ASCII are one, too, but forms have names in UTF-8.
        defects = [] if thing is None else [each for each in thing.defects if type(each).__name__ != "UndecodableBytesDefect"]
        if defects:
            raise Refused(type(defects[0]).__name__)
        return thing

    whole(message), whole(message["Content-Type"])
    text = lambda value: value if value is None else value.encode("utf-8", "surrogateescape").decode("utf-8")
    parts = []
    for each in message.iter_parts():
        if whole(disposition := whole(each)["Content-Disposition"]) is None:
            raise Refused("no Content-Disposition")
        names = [text(disposition.params.get(key)) for key in ("name", "filename")]
        given = each["Content-Type"]
        parts.append(part(*names, given and str(given), each.get_payload(decode=True) if not each.is_multipart() else each.as_bytes()))
    return parts


def form(type_):
    if type_.strip().lower() != "multipart/form-data":
        raise Refused("not a form")


logging.disable()  # python-multipart logs what it refuses
read = {"python-multipart": with_python_multipart, "multipart": with_multipart, "werkzeug": with_werkzeug, "email": with_email}[sys.argv[1]]
for line in sys.stdin:
    question = json.loads(line)
    try:
        # As gunicorn and uvicorn join fields of one name.
        answer = {"parts": read(", ".join(question["types"]), b64decode(question["body"]), question.get("strict", False))}
    except Exception as error:  # whatever it is, this parser refused the body
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
