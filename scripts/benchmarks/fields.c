/* fields COUNT [measured|once]
 *
 * The reference for many small fields: builds the whole body in one buffer of exactly its size,
 * then writes it at once. The bytes are those that `formwork-bench fields COUNT` writes.
 *
 * "once" does what a sender of any fields does: a function of the caller's makes each field's name and value as strings, the
 * name is checked, and a small buffer is written whenever it is full. "measured" makes each field twice, first for its length.
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

struct field {
    char *name, *value;
};

/* Made anew each time, as a caller's strings are. */
static struct field make_field(unsigned long number) {
    char name[LENGTH(NAME) + NAME_DIGITS + 1], value[LENGTH(VALUE) + VALUE_DIGITS + 1];
    *put_number(put(name, NAME, LENGTH(NAME)), number, NAME_DIGITS) = 0;
    *put_number(put(value, VALUE, LENGTH(VALUE)), number, VALUE_DIGITS) = 0;
    struct field field = {strdup(name), strdup(value)};
    if (!field.name || !field.value) abort();
    return field;
}

/* Called through a pointer: the compiler doesn't know the caller's function. */
static struct field (*volatile make)(unsigned long) = make_field;

/* The length of a field with its framing; 0 for a name that has to be escaped. */
static size_t field_length(struct field field) {
    if (strpbrk(field.name, "\"\\\r\n")) return 0;
    return LENGTH(OPENING) + strlen(field.name) + LENGTH(HEAD_END) + strlen(field.value) + LENGTH(VALUE_END);
}

static void free_field(struct field field) {
    free(field.name);
    free(field.value);
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

static char small[256 * 1024];

/* Returns 0, or -1 if a length changed, a name is invalid, or the output fails. */
static int send_fields(unsigned long fields, int measured) {
    size_t length = 0, sent = 0, filled = 0;
    for (unsigned long number = 0; measured && number < fields; number++) {
        struct field field = make(number);
        size_t size = field_length(field);
        if (!size) return -1;
        length += size;
        free_field(field);
    }
    for (unsigned long number = 0; number < fields; number++) {
        struct field field = make(number);
        size_t size = field_length(field);
        if (!size || size > sizeof small) return -1;
        if (sizeof small - filled < size) {
            if (write_all(STDOUT_FILENO, small, filled) < 0) return -1;
            filled = 0;
        }
        char *out = put(small + filled, OPENING, LENGTH(OPENING));
        out = put(out, field.name, strlen(field.name));
        out = put(out, HEAD_END, LENGTH(HEAD_END));
        out = put(out, field.value, strlen(field.value));
        put(out, VALUE_END, LENGTH(VALUE_END));
        filled += size;
        sent += size;
        free_field(field);
    }
    if (measured && sent != length) return -1;
    if (write_all(STDOUT_FILENO, small, filled) < 0) return -1;
    return write_all(STDOUT_FILENO, CLOSING, LENGTH(CLOSING));
}

int main(int count, char **arguments) {
    int measured = count == 3 && strcmp(arguments[2], "measured") == 0;
    if (count < 2 || count > 3 || (count == 3 && !measured && strcmp(arguments[2], "once") != 0)) {
        fprintf(stderr, "usage: fields COUNT [measured|once]\n");
        return 2;
    }
    unsigned long fields = strtoul(arguments[1], NULL, 10);
    if (count == 3) return send_fields(fields, measured) < 0;
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
