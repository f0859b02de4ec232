"""reader.py PARSER CONTENT-TYPE < body: the parts as a Python parser reads them, a JSON object a line."""

import hashlib
import io
import json
import sys


def line(name, filename, content):
    digest = hashlib.sha256(content).hexdigest()
    print(json.dumps({"name": name, "filename": filename, "size": len(content), "sha256": digest}))


def with_email(content_type, body):
    from email.parser import BytesParser
    from email.policy import HTTP

    head = b"Content-Type: " + content_type.encode() + b"\r\n\r\n"
    for part in BytesParser(policy=HTTP).parsebytes(head + body).iter_parts():
        disposition = part["Content-Disposition"].params
        # The parser takes bytes beyond ASCII for surrogates; the headers are UTF-8.
        name, filename = (
            None if text is None else text.encode("utf-8", "surrogateescape").decode("utf-8")
            for text in (disposition.get("name"), disposition.get("filename"))
        )
        line(name, filename, part.get_payload(decode=True))


def with_werkzeug(content_type, body):
    from werkzeug.formparser import FormDataParser

    parser = FormDataParser(max_form_parts=5000)
    _, fields, files = parser.parse(io.BytesIO(body), content_type.split(";")[0], len(body), options(content_type))
    for name, value in fields.items(multi=True):
        line(name, None, value.encode())
    for name, file in files.items(multi=True):
        line(name, file.filename, file.read())


def with_multipart(content_type, body):
    from multipart import MultipartParser

    for part in MultipartParser(io.BytesIO(body), options(content_type)["boundary"]):
        line(part.name, part.filename, part.raw)


def options(content_type):
    name, value = content_type.split(";", 1)[1].strip().split("=", 1)
    return {name: value.strip('"')}


{"email": with_email, "werkzeug": with_werkzeug, "multipart": with_multipart}[sys.argv[1]](
    sys.argv[2], sys.stdin.buffer.read()
)
