/* files DIRECTORY COUNT [checked|seen|opened|planned]
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
 *
 * "planned" opens none: it makes a list of parts in memory, each with its path, name, type, state, head and place in the
 * body, and prints how many have the type application/json.
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

struct part {
    char *path, *name, *filename;
    const char *type;
    struct stat status;
    size_t head, head_size;
    long long start;
};

static int compare_types(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The type by the table's size of a lookup: a binary search among a thousand extensions. */
static const char *type_of(const char *filename) {
    static char texts[1024][8];
    static const char *table[1024];
    if (!table[0]) {
        for (int i = 0; i < 1024; i++) {
            snprintf(texts[i], sizeof texts[i], "x%04d", i);
            table[i] = texts[i];
        }
        table[500] = "json";
        qsort(table, 1024, sizeof *table, compare_types);
    }
    const char *dot = strrchr(filename, '.');
    if (!dot) return NULL;
    dot++;
    return bsearch(&dot, table, 1024, sizeof *table, compare_types) ? "application/json" : NULL;
}

static int plan_files(const char *directory, unsigned long files) {
    struct part *parts = calloc(files, sizeof *parts);
    char *heads = NULL;
    size_t size = 0, room = 0;
    long long start = 0;
    unsigned long found = 0;
    if (!parts) return perror("calloc"), 1;
    for (unsigned long number = 0; number < files; number++) {
        struct part *part = parts + number;
        if (asprintf(&part->path, "%s/f%05lu", directory, number) < 0) return 1;
        part->name = strdup("f");
        if (asprintf(&part->filename, "f%05lu.json", number) < 0) return 1;
    }
    for (unsigned long number = 0; number < files; number++) {
        struct part *part = parts + number;
        if (stat(part->path, &part->status) < 0) return perror(part->path), 1;
        part->type = type_of(part->filename);
        if (!part->type || strpbrk(part->name, "\"\\\r\n") || strpbrk(part->filename, "\"\\\r\n")) return 1;
        if (room - size < 4096) {
            char *larger = realloc(heads, room = 2 * room + 8192);
            if (!larger) return perror("realloc"), 1;
            heads = larger;
        }
        part->head = size;
        part->head_size = (size_t)sprintf(
            heads + size,
            "\r\n--formwork-bench-boundary-0123456789\r\nContent-Disposition: form-data; name=\"%s\"; "
            "filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
            part->name, part->filename, part->type);
        size += part->head_size;
        part->start = start;
        start += (long long)part->head_size + part->status.st_size;
    }
    for (unsigned long number = 0; number < files; number++) found += strcmp(parts[number].type, "application/json") == 0;
    printf("application/json %lu\n", found);
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3 || count > 4 ||
        (count == 4 && strcmp(arguments[3], "checked") != 0 && strcmp(arguments[3], "seen") != 0 &&
         strcmp(arguments[3], "opened") != 0 && strcmp(arguments[3], "planned") != 0)) {
        fprintf(stderr, "usage: files DIRECTORY COUNT [checked|seen|opened|planned]\n");
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    if (count == 4 && strcmp(arguments[3], "opened") == 0) return open_files(arguments[1], files);
    if (count == 4 && strcmp(arguments[3], "planned") == 0) return plan_files(arguments[1], files);
    if (count == 4) return gather_files(arguments[1], files, strcmp(arguments[3], "seen") == 0);
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
