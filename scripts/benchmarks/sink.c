/* sink
 *
 * Reads standard input (a pipe or a socket) to its end and discards it. Prints "ready" before the
 * first read, so that its own start isn't measured, and "COUNT END" at the end: the bytes it got and the
 * CLOCK_MONOTONIC second at which it saw the end. Both sides of a comparison use it, because the reader of a pipe
 * matters as much as the writer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, LONGEST_LIFE_SECONDS = 900 };

static char buffer[CHUNK];

int main(void) {
    unsigned long long count = 0;
    struct timespec end;

    alarm(LONGEST_LIFE_SECONDS);
    puts("ready");
    fflush(stdout);
    for (;;) {
        ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got > 0) {
            count += (unsigned long long)got;
        } else if (got == 0) {
            break;
        } else if (errno != EINTR) {
            perror("sink: read");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%llu %lld.%09ld\n", count, (long long)end.tv_sec, end.tv_nsec);
    return 0;
}
