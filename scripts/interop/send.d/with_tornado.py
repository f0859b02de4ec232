"""Tornado with its own limits; it holds a body of up to 100 MB in memory."""

import asyncio
import sys

import tornado
from tornado.web import Application, RequestHandler

from rows import is_first, row


class Handler(RequestHandler):
    def get(self):
        self.write(f"Tornado {tornado.version}\n")

    def post(self):
        match self.request.path.split("/"):
            case ["", "moved"]:
                self.set_status(307)
                self.set_header("Location", "/form")
            case ["", "full"]:
                self.answer(413, "too large\n")
            case ["", "busy", key] if is_first(key):
                self.set_header("Retry-After", "1")
                self.answer(503, "busy\n")
            case _:
                self.write(self.rows())

    def answer(self, status, text):
        self.set_status(status)
        self.write(text)

    def rows(self):
        request = self.request
        files = [row(name, file.filename, file.body) for name, files in request.files.items() for file in files]
        return "".join(files + [row(name, None, v) for name, values in request.body_arguments.items() for v in values])


async def main():
    Application([("/.*", Handler)]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()


asyncio.run(main())
