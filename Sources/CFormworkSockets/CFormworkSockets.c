#ifdef __linux__
#define _GNU_SOURCE // POLLRDHUP, accept4
#endif
#include "CFormworkSockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __APPLE__
#include <sys/event.h>
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int checked(int result) { return result < 0 ? -errno : result; }

/// A socket that no child process inherits, that doesn't wait, and whose closed peer is no signal.
static int prepared(int socket) {
    if (socket < 0) return -errno;
    int flags = fcntl(socket, F_GETFL);
    int failed = fcntl(socket, F_SETFD, FD_CLOEXEC) < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0;
#ifdef SO_NOSIGPIPE
    int on = 1;
    failed = failed || setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) < 0;
#endif
    if (!failed) return socket;
    int reason = errno;
    close(socket);
    return -reason;
}

int fw_stop_pipe(int ends[2]) {
#ifdef __linux__
    return checked(pipe2(ends, O_CLOEXEC));
#else
    if (pipe(ends) < 0) return -errno;
    return checked(fcntl(ends[0], F_SETFD, FD_CLOEXEC) < 0 ? -1 : fcntl(ends[1], F_SETFD, FD_CLOEXEC));
#endif
}

int fw_listen(uint16_t *port) {
#ifdef SOCK_CLOEXEC
    int listener = prepared(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
#else
    int listener = prepared(socket(AF_INET, SOCK_STREAM, 0));
#endif
    if (listener < 0) return listener;
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 128) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0) {
        int reason = errno;
        close(listener);
        return -reason;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

int fw_accept(int listener) {
#ifdef __linux__
    return prepared(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
#else
    return prepared(accept(listener, NULL, NULL));
#endif
}

static int wait_for(int socket, short events, int stop) {
    struct pollfd both[2] = {{.fd = socket, .events = events}, {.fd = stop, .events = POLLIN}};
    int count = poll(both, 2, -1);
    if (count < 0) return -errno;
    return both[1].revents ? 0 : 1;
}

int fw_wait_readable(int socket, int stop) { return wait_for(socket, POLLIN, stop); }
int fw_wait_writable(int socket, int stop) { return wait_for(socket, POLLOUT, stop); }

#ifdef __APPLE__
// Darwin's poll has no event for the end alone. A queue with EV_CLEAR reports bytes once, and the end when it comes.
int fw_wait_gone(int socket, int stop) {
    int queue = kqueue();
    if (queue < 0) return -errno;
    struct kevent both[2], event;
    EV_SET(&both[0], socket, EVFILT_READ, EV_ADD | EV_CLEAR, 0, 0, NULL);
    EV_SET(&both[1], stop, EVFILT_READ, EV_ADD | EV_CLEAR, 0, 0, NULL);
    int changes = 2, result;
    do {
        int count = kevent(queue, both, changes, &event, 1, NULL);
        changes = 0;
        if (count < 0) {
            result = -errno;
            break;
        }
        result = event.ident == (uintptr_t)stop ? 0 : 1;
    } while (result == 1 && (event.flags & EV_EOF) == 0);
    close(queue);
    return result;
}
#else
int fw_wait_gone(int socket, int stop) { return wait_for(socket, POLLRDHUP, stop); }
#endif

ssize_t fw_receive(int socket, void *bytes, size_t count) {
    ssize_t got = recv(socket, bytes, count, 0);
    return got < 0 ? -errno : got;
}

ssize_t fw_send(int socket, const void *bytes, size_t count) {
    ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

int fw_finish(int socket) { return checked(shutdown(socket, SHUT_WR)); }

int fw_reset_on_close(int socket) {
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    return checked(setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none));
}
