"""Python's standard library alone: http.server for the request, email for the form."""

import platform
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "lib"))

import posts
from rows import row, unread


class Handler(posts.Handler):
    def do_GET(self):
        self.answer(200, f"Python {platform.python_version()}, http.server and email\n")

    def do_POST(self):
        if answer := unread(self.path):
            # Answers before the body was read, and reads none of it.
            self.close_connection = True
            status, text, fields = answer
            self.answer(status, text, {**fields, "Connection": "close"})
        else:
            self.answer(200, self.rows())

    def rows(self):
        text = ""
        for part in posts.parts(self.headers["Content-Type"], self.body()):
            disposition = part["Content-Disposition"].params
            # The parser takes bytes beyond ASCII for surrogates; the headers are UTF-8.
            name, filename = (
                None if text is None else text.encode("utf-8", "surrogateescape").decode("utf-8")
                for text in (disposition.get("name"), disposition.get("filename"))
            )
            text += row(name, filename, part.get_payload(decode=True))
        return text


posts.Server(Handler, int(sys.argv[1])).serve_forever()
