#!/usr/bin/env python3
"""Checks that the object store of scripts keeps nothing of a request that was cut, wherever that was."""

import argparse
import socket
import tempfile
import threading
from pathlib import Path

import objectstore

settings = argparse.Namespace(fail=0, seed=1)
server = objectstore.Server(("127.0.0.1", 0), objectstore.Handler)
with tempfile.TemporaryDirectory() as folder:
    server.store = objectstore.Store(Path(folder), settings)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def send(request):
        with socket.create_connection(server.server_address) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer.split(b"\r\n")[0]

    head = b"HTTP/1.1\r\nHost: h\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\n"
    small = b"PUT /bucket/a " + head + b"Content-Length: 5\r\n\r\n01234"
    large = b"PUT /bucket/b " + head + b"Content-Length: 2000000\r\n\r\n" + bytes(2_000_000)
    cuts = [small[:count] for count in range(1, len(small))] + [large[:-1], large[:-1_500_000]]
    # Without its Content-Length such a head would be a request to store nothing.
    empty = b"PUT /bucket/c " + head + b"\r\n"
    cuts += [empty[:count] for count in range(1, len(empty))]
    for cut in cuts:
        answer = send(cut)
        assert answer == b"", f"{cut[:80]}: {answer}"
        assert not server.store.objects, f"{cut[:80]} was stored"
    for request in [small, large, empty]:
        assert send(request) == b"HTTP/1.1 200 X", request[:80]
    sizes = {key: stored.size for key, stored in server.store.objects.items()}
    assert sizes == {"a": 5, "b": 2_000_000, "c": 0}, sizes
    wrong = b"PUT /bucket/d HTTP/1.1\r\nX-Amz-Content-Sha256: %064d\r\nContent-Length: 5\r\n\r\n01234" % 0
    assert send(wrong) == b"HTTP/1.1 400 X"
    assert "d" not in server.store.objects
    server.shutdown()
