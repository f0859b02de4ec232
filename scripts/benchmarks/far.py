"""A server far away: far.py PORT MEGABITS MILLISECONDS passes connections on to that port, with a rate in Mbit/s and a delay for each
way. No more bytes are under way than fill the link. Prints its own port.

A network device with a delay (netem) would be closer to a real network, but not every kernel has one."""

import queue
import socket
import sys
import threading
import time

PIECE = 16 << 10


def carry(source, target, rate, delay):
    """One direction of a connection: bytes per second, and seconds."""
    window = threading.Semaphore(max(1, int(rate * delay) // PIECE))
    under_way = queue.Queue()

    def receive():
        while True:
            window.acquire()
            piece = source.recv(PIECE)
            under_way.put((time.monotonic() + delay, piece))
            if not piece:
                return

    threading.Thread(target=receive, daemon=True).start()
    free = time.monotonic()
    while True:
        arrives, piece = under_way.get()
        free = max(free, arrives) + len(piece) / rate
        time.sleep(max(0, free - time.monotonic()))
        if not piece:
            return target.shutdown(socket.SHUT_WR)
        target.sendall(piece)
        window.release()


def main():
    port, megabits, milliseconds = map(int, sys.argv[1:])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        near, _ = listener.accept()
        far = socket.create_connection(("127.0.0.1", port))
        for pair in ((near, far), (far, near)):
            threading.Thread(target=carry, args=(*pair, megabits * 125_000, milliseconds / 1000), daemon=True).start()


main()
