"""Programs between a client and a server on loopback, which count what passes through them, and cut connections."""

import socket
import struct
import threading


def serving(listener, serve) -> None:
    """Calls `serve` with each connection, in a thread of its own, until the listener is closed."""

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def pieces(source):
    """The bytes of a connection until it ends; a reset is an end, too."""
    try:
        while piece := source.recv(1 << 16):
            yield piece
    except OSError:
        pass


class Relay:
    """Passes bytes on to a port. Counts connections, those that the server ended first, and bytes to the server."""

    def __init__(self, port, listener=None, source=None):
        self.target, self.source = port, source
        self.connections = self.ended_by_server = self.sent = self.cuts = 0
        self.lock = threading.Lock()
        self.listener = listener or socket.create_server(("127.0.0.1", 0), backlog=128)
        serving(self.listener, self.serve)

    @property
    def port(self):
        return self.listener.getsockname()[1]

    def room(self):
        """After how many bytes to the server a new connection is cut; None if it isn't."""
        return None

    def is_reset(self):
        """Whether a connection is cut by a reset, as when a network is gone, or by an ordinary close."""
        return True

    def serve(self, client):
        with self.lock:
            self.connections += 1
            room = self.room()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), source_address=self.source)
        except OSError:
            client.close()
            return
        client_ended = threading.Event()
        back = threading.Thread(target=self.answer, args=(server, client, client_ended), daemon=True)
        back.start()
        if self.upload(client, server, room, client_ended):
            if self.is_reset():
                for side in (client, server):
                    side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            back.join()
        for side in (client, server):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            side.close()

    def upload(self, client, server, room, client_ended):
        """Passes the client's bytes on; returns whether the connection has to be cut."""
        try:
            for piece in pieces(client):
                is_cut = room is not None and len(piece) > room
                piece = piece[:room] if is_cut else piece
                server.sendall(piece)
                with self.lock:
                    self.sent += len(piece)
                    self.cuts += is_cut
                if is_cut:
                    return True
                if room is not None:
                    room -= len(piece)
            client_ended.set()
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        return False

    def answer(self, server, client, client_ended):
        try:
            for piece in pieces(server):
                client.sendall(piece)
            # Before the client can know of it.
            if not client_ended.is_set():
                with self.lock:
                    self.ended_by_server += 1
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()


class CutOnce(Relay):
    """Cuts one connection after some bytes."""

    def __init__(self, port, after, is_reset=True, **options):
        self.after, self.is_by_reset = after, is_reset
        super().__init__(port, **options)

    def room(self):
        return None if self.cuts else max(0, self.after - self.sent)

    def is_reset(self):
        return self.is_by_reset
