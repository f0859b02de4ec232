/* files DIRECTORY COUNT [opened]
 *
 * The reference for many small files: f00000, f00001, ... opened, read through one buffer, closed and
 * written to standard output, without any framing between them. "opened" opens and closes each, and nothing else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024 };

static char buffer[BUFFER];

static int write_all(const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static int copy_file(const char *path, int opened) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got = 0;
    while (!opened && (got = read(file, buffer, sizeof buffer)) > 0)
        if (write_all(buffer, (size_t)got) < 0) break;
    close(file);
    return got == 0 ? 0 : -1;
}

int main(int count, char **arguments) {
    int opened = count == 4 && strcmp(arguments[3], "opened") == 0;
    if (count != 3 && !opened) {
        fprintf(stderr, "usage: files DIRECTORY COUNT [opened]\n");
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    for (unsigned long number = 0; number < files; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/f%05lu", arguments[1], number);
        if (copy_file(path, opened) < 0) return perror(path), 1;
    }
    return 0;
}
