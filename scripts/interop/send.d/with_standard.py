"""Python's standard library alone: http.server for the request, email for the form."""

import platform
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "lib"))

import posts
from rows import is_first, row


class Handler(posts.Handler):
    def do_GET(self):
        self.answer(200, f"Python {platform.python_version()}, http.server and email\n")

    def do_POST(self):
        match self.path.split("/"):
            case ["", "form"]:
                self.answer(200, self.rows())
            case ["", "moved"]:
                self.hang_up(307, "elsewhere\n", {"Location": "/form"})
            case ["", "busy", key] if is_first(key):
                self.hang_up(503, "busy\n", {"Retry-After": "1"})
            case ["", "busy", _]:
                self.answer(200, self.rows())
            case ["", "full"]:
                self.hang_up(413, "too large\n", {})

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

    def hang_up(self, status, text, headers):
        """Answers before the body was read, and reads none of it."""
        self.close_connection = True
        self.answer(status, text, {**headers, "Connection": "close"})


posts.Server(Handler, int(sys.argv[1])).serve_forever()
