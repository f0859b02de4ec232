/* files DIRECTORY COUNT [checked|opened]
 *
 * The reference for many small files: f00000, f00001, ... opened, read through one buffer, closed and
 * written to standard output, without any framing between them.
 *
 * "checked" makes the system calls of a sender that knows the length beforehand and checks the files: stat for all files
 * first, and for each again after it was read; small contents are gathered and written together.
 *
 * "opened" opens and closes each, and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static char gathered[4 * BUFFER];
static size_t filled;

static int gather_file(const char *path) {
    struct stat now;
    if (sizeof gathered - filled < BUFFER) {
        if (write_all(gathered, filled) < 0) return -1;
        filled = 0;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got = pread(file, gathered + filled, BUFFER, 0);
    if (got > 0) filled += (size_t)got;
    int status = fstat(file, &now);
    close(file);
    return got < 0 || status < 0 || now.st_size != got ? -1 : 0;
}

static int gather_files(const char *directory, unsigned long files) {
    struct stat planned;
    char path[4096];
    for (unsigned long number = 0; number < files; number++) {
        snprintf(path, sizeof path, "%s/f%05lu", directory, number);
        if (stat(path, &planned) < 0) return perror(path), 1;
    }
    for (unsigned long number = 0; number < files; number++) {
        snprintf(path, sizeof path, "%s/f%05lu", directory, number);
        if (gather_file(path) < 0) return perror(path), 1;
    }
    return write_all(gathered, filled) < 0;
}

static int open_files(const char *directory, unsigned long files) {
    char path[4096];
    for (unsigned long number = 0; number < files; number++) {
        snprintf(path, sizeof path, "%s/f%05lu", directory, number);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return perror(path), 1;
        close(file);
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3 || count > 4 ||
        (count == 4 && strcmp(arguments[3], "checked") != 0 && strcmp(arguments[3], "opened") != 0)) {
        fprintf(stderr, "usage: files DIRECTORY COUNT [checked|opened]\n");
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    if (count == 4 && strcmp(arguments[3], "opened") == 0) return open_files(arguments[1], files);
    if (count == 4) return gather_files(arguments[1], files);
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
