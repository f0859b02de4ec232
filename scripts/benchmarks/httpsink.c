/* httpsink REQUESTS SECONDS [BODY-FD]
 *
 * A web server that discards request bodies: HTTP/1.1 on a free port of 127.0.0.1, one request a
 * connection, bodies with a Content-Length or chunked, "Expect: 100-continue" answered. Prints the port,
 * then answers every complete request with 200 and the number of its body's bytes; a connection that
 * ends early gets no answer. With BODY-FD the decoded bodies are written there as well. Exits after
 * REQUESTS answered requests, and is killed by its alarm after SECONDS.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, LONGEST_LINE = 8 * 1024 };

static int copy_to = -1; /* BODY-FD */

struct connection {
    int socket;
    size_t start, end; /* the received bytes of the buffer that are not used yet */
    char buffer[CHUNK];
};

struct request {
    bool chunked, expects_continue;
    unsigned long long length;
};

static bool write_all(int descriptor, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Receives more into the emptied buffer. */
static bool refill(struct connection *c) {
    ssize_t got;
    do got = read(c->socket, c->buffer, sizeof c->buffer);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    c->start = 0;
    c->end = (size_t)got;
    return true;
}

/* Reads a line without its line end. */
static bool read_line(struct connection *c, char *line) {
    for (size_t length = 0; length < LONGEST_LINE;) {
        if (c->start == c->end && !refill(c)) return false;
        char byte = c->buffer[c->start++];
        if (byte == '\n') {
            if (length > 0 && line[length - 1] == '\r') length--;
            line[length] = 0;
            return true;
        }
        line[length++] = byte;
    }
    return false;
}

/* Drops exactly `size` bytes of body. */
static bool drain(struct connection *c, unsigned long long size) {
    while (size > 0) {
        if (c->start == c->end && !refill(c)) return false;
        size_t here = c->end - c->start;
        if (here > size) here = (size_t)size;
        if (copy_to >= 0 && !write_all(copy_to, c->buffer + c->start, here)) return false;
        c->start += here;
        size -= here;
    }
    return true;
}

static bool drain_chunks(struct connection *c, unsigned long long *total) {
    char line[LONGEST_LINE + 1];
    for (;;) {
        char *end;
        if (!read_line(c, line)) return false;
        unsigned long long size = strtoull(line, &end, 16);
        if (end == line) return false;
        if (size == 0) break;
        if (!drain(c, size) || !read_line(c, line) || line[0]) return false;
        *total += size;
    }
    do /* the trailer */
        if (!read_line(c, line)) return false;
    while (line[0]);
    return true;
}

static const char *value_of(const char *line, const char *name) {
    size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

static bool read_head(struct connection *c, struct request *request) {
    char line[LONGEST_LINE + 1];
    const char *value;
    if (!read_line(c, line)) return false; /* the request line: any method, any path */
    for (;;) {
        if (!read_line(c, line)) return false;
        if (!line[0]) return true;
        if ((value = value_of(line, "Content-Length"))) request->length = strtoull(value, NULL, 10);
        if ((value = value_of(line, "Transfer-Encoding"))) request->chunked = strcasestr(value, "chunked");
        if ((value = value_of(line, "Expect"))) request->expects_continue = strcasestr(value, "100-continue");
    }
}

static bool serve(struct connection *c) {
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct request request = {0};
    char digits[32], answer[256];

    if (!read_head(c, &request)) return false;
    if (request.expects_continue && !write_all(c->socket, go_on, sizeof go_on - 1)) return false;
    unsigned long long total = request.length;
    if (request.chunked) {
        total = 0;
        if (!drain_chunks(c, &total)) return false;
    } else if (!drain(c, total)) {
        return false;
    }
    int size = snprintf(digits, sizeof digits, "%llu\n", total);
    size = snprintf(answer, sizeof answer,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n"
                    "Connection: close\r\n\r\n%s",
                    size, digits);
    return write_all(c->socket, answer, (size_t)size);
}

static int listen_on_loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 16) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0)
        return -1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int main(int count, char **arguments) {
    static struct connection connection;
    if (count < 3) {
        fprintf(stderr, "usage: httpsink REQUESTS SECONDS [BODY-FD]\n");
        return 2;
    }
    long requests = atol(arguments[1]);
    alarm((unsigned)atoi(arguments[2]));
    signal(SIGPIPE, SIG_IGN);
    if (count > 3) copy_to = atoi(arguments[3]);

    int listener = listen_on_loopback();
    if (listener < 0) {
        perror("httpsink: listen");
        return 1;
    }
    while (requests > 0) {
        connection.socket = accept(listener, NULL, NULL);
        if (connection.socket < 0) continue;
        connection.start = connection.end = 0;
        if (serve(&connection)) requests--;
        close(connection.socket);
    }
    return 0;
}
