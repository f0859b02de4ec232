// Url-decoding in C, for scripts/bench: `pairs PAIRS ENCODED`. Each name and each value becomes a string of its own.
// PAIRS has the plain pairs, with a NUL byte after each name and each value; ENCODED has the same url-encoded. Prints MB of
// input for each second of CPU time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct text { char *bytes; size_t count; };
struct pair { struct text name, value; };

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

// Unescapes up to `stop`, `&` or the end; `*place` is at that byte then.
static struct text unescape(const char **place, const char *end, char stop, char *room) {
    const char *from = *place;
    char *to = room;
    while (from < end && *from != stop && *from != '&') {
        if (*from == '%' && end - from > 2 && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
            *to++ = (char)(digit(from[1]) << 4 | digit(from[2]));
            from += 3;
        } else {
            *to++ = *from == '+' ? ' ' : *from;
            from++;
        }
    }
    *place = from;
    struct text text = {.count = to - room};
    text.bytes = malloc(text.count + 1);
    if (text.bytes == NULL) abort();
    memcpy(text.bytes, room, text.count);
    text.bytes[text.count] = 0;
    return text;
}

static struct pair *decode(const char *text, size_t length, size_t *count) {
    char *room = malloc(length);
    size_t capacity = length / 16 + 1;
    struct pair *pairs = malloc(capacity * sizeof *pairs);
    const char *place = text, *end = text + length;
    *count = 0;
    while (place < end) {
        if (*count == capacity) pairs = realloc(pairs, (capacity *= 2) * sizeof *pairs);
        if (room == NULL || pairs == NULL) abort();
        struct pair *pair = &pairs[(*count)++];
        pair->name = unescape(&place, end, '=', room);
        if (place < end && *place == '=') place++;
        pair->value = unescape(&place, end, '&', room);
        if (place < end) place++;
    }
    free(room);
    return pairs;
}

static void release(struct pair *pairs, size_t count) {
    for (size_t index = 0; index < count; index++) {
        free(pairs[index].name.bytes);
        free(pairs[index].value.bytes);
    }
    free(pairs);
}

static char *contents(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(1);
    *length = ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (bytes == NULL || fread(bytes, 1, *length, file) != *length) exit(1);
    fclose(file);
    return bytes;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

int main(int count_of_words, char **words) {
    if (count_of_words != 3) return 2;
    size_t plain_length, length, count;
    char *plain = contents(words[1], &plain_length);
    char *text = contents(words[2], &length);
    struct pair *pairs = decode(text, length, &count);
    const char *place = plain;
    for (size_t index = 0; index < count; index++) {
        struct text texts[] = {pairs[index].name, pairs[index].value};
        for (int part = 0; part < 2; part++) {
            if (strcmp(place, texts[part].bytes) != 0) {
                fprintf(stderr, "not the pairs that were encoded\n");
                return 1;
            }
            place += texts[part].count + 1;
        }
    }
    if (place != plain + plain_length) return 1;
    release(pairs, count);
    double rounds[9];
    for (int round = 0; round < 9; round++) {
        double start = cpu_seconds();
        int runs = 0;
        do {
            pairs = decode(text, length, &count);
            release(pairs, count);
            runs++;
        } while (cpu_seconds() - start < 0.05);
        rounds[round] = (cpu_seconds() - start) / runs;
    }
    qsort(rounds, 9, sizeof *rounds, ascending);
    printf("decode %d\n", (int)(length / rounds[4] / 1e6));
}
