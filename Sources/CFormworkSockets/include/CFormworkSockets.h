// TCP on this machine alone. Every function returns a count or 0, or minus errno; none retries, and none raises SIGPIPE.
#ifndef CFORMWORKSOCKETS_H
#define CFORMWORKSOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a pipe that no child process inherits: `ends[0]` is read, `ends[1]` written.
int fw_stop_pipe(int ends[2]);
/// Listens on a free port of 127.0.0.1, which is then in `*port`. Returns the socket.
int fw_listen(uint16_t *port);
/// Takes the next connection. Returns its socket.
int fw_accept(int listener);
/// Waits until a socket has bytes, a connection or an end (1), or until the other end of the pipe `stop` is closed (0).
int fw_wait_readable(int socket, int stop);
/// The same until it takes bytes.
int fw_wait_writable(int socket, int stop);
/// The same until the peer has closed or reset the connection, whatever it has sent before.
int fw_wait_gone(int socket, int stop);
/// Takes bytes that are there. Returns 0 at their end.
ssize_t fw_receive(int socket, void *bytes, size_t count);
/// Sends what there is room for.
ssize_t fw_send(int socket, const void *bytes, size_t count);
/// Says that nothing more is sent.
int fw_finish(int socket);
/// Makes the next close a reset.
int fw_reset_on_close(int socket);

#ifdef __cplusplus
}
#endif
#endif
