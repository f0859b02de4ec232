"""Takes one request on loopback and writes its body to a file, with a head that `formwork inspect` reads."""

import http.server
import sys

import posts


class Handler(posts.Handler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        with open(sys.argv[1], "wb") as file:
            file.write(f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode())
            rest = length
            while rest and (piece := self.rfile.read(min(rest, 1 << 20))):
                file.write(piece)
                rest -= len(piece)
        self.answer(200 if rest == 0 else 400, f"got {length - rest} of {length} bytes\n", {"Connection": "close"})


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.handle_request()
