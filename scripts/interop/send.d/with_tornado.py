"""Tornado with its own limits; it holds a body of up to 100 MB in memory."""

import asyncio
import sys

import tornado
from tornado.web import Application, RequestHandler

from rows import row, unread


class Handler(RequestHandler):
    def get(self):
        self.write(f"Tornado {tornado.version}\n")

    def post(self):
        status, text, fields = unread(self.request.path) or (200, self.rows(), {})
        self.set_status(status)
        for name, value in fields.items():
            self.set_header(name, value)
        self.write(text)

    def rows(self):
        request = self.request
        files = [row(name, file.filename, file.body) for name, files in request.files.items() for file in files]
        return "".join(files + [row(name, None, v) for name, values in request.body_arguments.items() for v in values])


async def main():
    Application([("/.*", Handler)]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()


asyncio.run(main())
