/* files DIRECTORY COUNT
 *
 * The reference for many small files: f00000, f00001, ... opened, read through one buffer, closed and
 * written to standard output, without any framing between them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

static int copy_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) > 0)
        if (write_all(buffer, (size_t)got) < 0) break;
    close(file);
    return got == 0 ? 0 : -1;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: files DIRECTORY COUNT\n");
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    for (unsigned long number = 0; number < files; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/f%05lu", arguments[1], number);
        if (copy_file(path) < 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}
