/* files DIRECTORY COUNT [checked|seen|opened]
 *
 * The reference for many small files: f00000, f00001, ... opened, read through one buffer, closed and
 * written to standard output, without any framing between them.
 *
 * "seen" makes the system calls of a sender that opens each file when its turn comes, and finds out whether it changed while
 * it was read: stat after it was opened and after it was read, and a seek that waits for a running write; small contents are
 * gathered and written together.
 *
 * "checked" makes those of a sender that knows the length beforehand: stat for all files first, by their paths, and for each
 * again after it was read, which waits for a running write.
 *
 * "opened" opens and closes each, and nothing else.
 */
#define _GNU_SOURCE
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

static int gather_file(const char *path, int seen) {
    struct stat before, now;
    if (sizeof gathered - filled < BUFFER) {
        if (write_all(gathered, filled) < 0) return -1;
        filled = 0;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    if (seen && fstat(file, &before) < 0) return close(file), -1;
    lseek(file, 0, SEEK_DATA);
    ssize_t got = pread(file, gathered + filled, BUFFER, 0);
    if (got > 0) filled += (size_t)got;
    int status = fstat(file, &now);
    close(file);
    if (got < 0 || status < 0 || now.st_size != got) return -1;
    return seen && (before.st_mtim.tv_sec != now.st_mtim.tv_sec || before.st_mtim.tv_nsec != now.st_mtim.tv_nsec) ? -1 : 0;
}

static int gather_files(const char *directory, unsigned long files, int seen) {
    struct stat planned;
    char path[4096];
    for (unsigned long number = 0; !seen && number < files; number++) {
        snprintf(path, sizeof path, "%s/f%05lu", directory, number);
        if (stat(path, &planned) < 0) return perror(path), 1;
    }
    for (unsigned long number = 0; number < files; number++) {
        snprintf(path, sizeof path, "%s/f%05lu", directory, number);
        if (gather_file(path, seen) < 0) return perror(path), 1;
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
    const char *how = count == 4 ? arguments[3] : "";
    int seen = strcmp(how, "seen") == 0, opened = strcmp(how, "opened") == 0;
    if (count < 3 || count > 4 || (count == 4 && !seen && !opened && strcmp(how, "checked") != 0)) {
        fprintf(stderr, "usage: files DIRECTORY COUNT [checked|seen|opened]\n");
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    if (opened) return open_files(arguments[1], files);
    if (count == 4) return gather_files(arguments[1], files, seen);
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
