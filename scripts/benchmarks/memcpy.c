// memcpy of a file's bytes in chunks, for scripts/bench: MB for each second of CPU time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    FILE *file = fopen(argv[1], "rb");
    size_t chunk = strtoul(argv[2], NULL, 10);
    if (!file || chunk == 0 || fseek(file, 0, SEEK_END)) return 1;
    long size = ftell(file);
    rewind(file);
    char *body = malloc(size), *into = malloc(chunk);
    if (!body || !into || fread(body, 1, size, file) != (size_t)size) return 1;
    double rounds[6];
    for (int round = 0; round < 6; round++) {
        double start = now();
        int runs = 0;
        do {
            for (long at = 0; at < size; at += chunk) {
                memcpy(into, body + at, (size_t)(size - at) < chunk ? (size_t)(size - at) : chunk);
                __asm__ volatile("" : : "r"(into) : "memory");
            }
            runs++;
        } while (now() - start < 0.05);
        rounds[round] = (now() - start) / runs;
    }
    // The first one warmed up.
    qsort(rounds + 1, 5, sizeof *rounds, compare);
    printf("rate %ld\n", (long)(size / rounds[3] / 1e6));
}
