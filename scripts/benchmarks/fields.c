/* fields COUNT
 *
 * The reference for many small fields: builds the whole body in one buffer of exactly its size,
 * then writes it at once. The bytes are those that `formwork-bench fields COUNT` writes.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOUNDARY "formwork-bench-boundary-0123456789"
#define OPENING "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\""
#define NAME "field"
#define HEAD_END "\"\r\n\r\n"
#define VALUE "value-"
#define VALUE_END "\r\n"
#define CLOSING "--" BOUNDARY "--\r\n"

enum { NAME_DIGITS = 7, VALUE_DIGITS = 14 };

#define LENGTH(literal) (sizeof(literal) - 1)
static const size_t FIELD_SIZE = LENGTH(OPENING) + LENGTH(NAME) + NAME_DIGITS + LENGTH(HEAD_END) +
                                 LENGTH(VALUE) + VALUE_DIGITS + LENGTH(VALUE_END);

static char *put(char *out, const char *bytes, size_t size) {
    memcpy(out, bytes, size);
    return out + size;
}

static char *put_number(char *out, unsigned long number, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return out + digits;
}

static char *put_field(char *out, unsigned long number) {
    out = put(out, OPENING, LENGTH(OPENING));
    out = put(out, NAME, LENGTH(NAME));
    out = put_number(out, number, NAME_DIGITS);
    out = put(out, HEAD_END, LENGTH(HEAD_END));
    out = put(out, VALUE, LENGTH(VALUE));
    out = put_number(out, number, VALUE_DIGITS);
    return put(out, VALUE_END, LENGTH(VALUE_END));
}

static int write_all(int descriptor, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: fields COUNT\n");
        return 2;
    }
    unsigned long fields = strtoul(arguments[1], NULL, 10);
    size_t size = fields * FIELD_SIZE + LENGTH(CLOSING);
    char *body = malloc(size);
    if (!body) {
        perror("malloc");
        return 1;
    }
    char *out = body;
    for (unsigned long number = 0; number < fields; number++) out = put_field(out, number);
    put(out, CLOSING, LENGTH(CLOSING));
    if (write_all(STDOUT_FILENO, body, size) < 0) {
        perror("write");
        return 1;
    }
    return 0;
}
