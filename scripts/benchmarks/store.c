/* store FOLDER
 *
 * What receiving a file needs at least: a web server that writes the body of `PUT /NAME` to FOLDER/NAME as it arrives, with
 * recv and write and nothing else. HTTP/1.1 on a free port of 127.0.0.1, one request a connection, bodies with a
 * Content-Length, "Expect: 100-continue" answered. Prints the port, answers 200, and ends by a signal.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

static char buffer[CHUNK + 1];

/* Stores one request's body; false if it ended early or could not be written. */
static int store(int connection, const char *folder) {
    size_t held = 0;
    char *end, name[64], path[4096];
    buffer[0] = 0;
    while (!(end = strstr(buffer, "\r\n\r\n"))) {
        ssize_t got = recv(connection, buffer + held, CHUNK - held, 0);
        if (got <= 0) return 0;
        held += (size_t)got;
        buffer[held] = 0;
    }
    *end = 0;
    const char *length = strcasestr(buffer, "\r\nContent-Length:");
    if (!length || sscanf(buffer, "PUT /%63[a-z.] ", name) != 1) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unsigned long long left = strtoull(length + 17, NULL, 10);
    if (strcasestr(buffer, "100-continue")) send(connection, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);

    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return 0;
    char *bytes = end + 4;
    ssize_t got = buffer + held - bytes;
    for (;;) {
        while (got > 0) {
            ssize_t written = write(file, bytes, (size_t)got);
            if (written <= 0) return close(file), 0;
            bytes += written;
            got -= written;
            left -= (unsigned long long)written;
        }
        if (left == 0) return close(file) == 0;
        got = recv(connection, bytes = buffer, left < CHUNK ? (size_t)left : CHUNK, 0);
        if (got <= 0) return close(file), 0;
    }
}

int main(int count, char **arguments) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (count != 2 || listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 16) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
        fprintf(stderr, "usage: store FOLDER\n");
        return 2;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        const char *answer = store(connection, arguments[1]) ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                                                             : "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
        send(connection, answer, strlen(answer), MSG_NOSIGNAL);
        close(connection);
    }
}
