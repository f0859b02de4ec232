#include "CFormworkBytes.h"

static const uint64_t gamma = 0x9E3779B97F4A7C15u;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE(z) __builtin_bswap64(z)
#else
#define LITTLE(z) (z)
#endif

// Unrolled: what isn't optimised in a debug build is the loop.
#define WORD(k)                                                                                                        \
    {                                                                                                                  \
        uint64_t z = state + (k) * gamma;                                                                              \
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;                                                                     \
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;                                                                     \
        z = LITTLE(z ^ (z >> 31));                                                                                     \
        __builtin_memcpy(bytes + 8 * (k), &z, 8);                                                                      \
    }

void formwork_fill_random(void *start, size_t count, uint64_t index, uint64_t seed) {
    uint64_t state = seed + (index + 1) * gamma;
    unsigned char *bytes = start;
    for (unsigned char *end = bytes + 32 * count; bytes < end; bytes += 32) {
        WORD(0)
        WORD(1)
        WORD(2)
        WORD(3)
        state += 4 * gamma;
    }
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_step(uint32_t state, const unsigned char *bytes, size_t count) {
    uint64_t crc = state;
    // Unrolled: what isn't optimised in a debug build is the loop.
#define STEP(k)                                                                                                        \
    {                                                                                                                  \
        uint64_t word;                                                                                                 \
        __builtin_memcpy(&word, bytes + 8 * (k), 8);                                                                   \
        crc = __builtin_ia32_crc32di(crc, word);                                                                       \
    }
    for (; count >= 64; count -= 64, bytes += 64) {
        STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
    }
    for (; count >= 8; count -= 8, bytes += 8) STEP(0)
#undef STEP
    uint32_t low = (uint32_t)crc;
    for (; count > 0; count--) low = __builtin_ia32_crc32qi(low, *bytes++);
    return low;
}

int formwork_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") != 0; }
uint32_t formwork_crc32c(uint32_t state, const void *bytes, size_t count) { return crc_step(state, bytes, count); }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

int formwork_has_crc32c(void) { return 1; }
uint32_t formwork_crc32c(uint32_t state, const void *start, size_t count) {
    const unsigned char *bytes = start;
    for (; count >= 8; count -= 8, bytes += 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        state = __crc32cd(state, word);
    }
    for (; count > 0; count--) state = __crc32cb(state, *bytes++);
    return state;
}
#else
int formwork_has_crc32c(void) { return 0; }
uint32_t formwork_crc32c(uint32_t state, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return state;
}
#endif

typedef unsigned char lanes __attribute__((vector_size(16)));
typedef unsigned long long words __attribute__((vector_size(16)));

enum { PAGE = 4096 };

#define REPEATED(b) {b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b}
#define PAIR(k)                                                                                                        \
    lanes head##k, tail##k;                                                                                            \
    __builtin_memcpy(&head##k, at + 16 * (k), 16);                                                                     \
    __builtin_memcpy(&tail##k, at + distance + 16 * (k), 16);                                                          \
    lanes both##k = (lanes)((head##k == firsts) & (tail##k == lasts));

size_t formwork_skip_blocks(
    const void *start, size_t from, size_t end, unsigned char first, unsigned char last, size_t distance) {
    lanes firsts = REPEATED(first), lasts = REPEATED(last);
    const unsigned char *bytes = start;
    // Some processors don't read ahead beyond a page, and wait at the start of each. If they are asked for the bytes a page
    // ahead, they need a third of the time. A chunk of less than a page was just received, and is in the cache.
    size_t ahead = end + distance - from >= PAGE ? PAGE : 0;
    for (; from + 64 <= end; from += 64) {
        const unsigned char *at = bytes + from;
        // It never faults, so it may be beyond the bytes.
        __builtin_prefetch(at + ahead);
        PAIR(0)
        PAIR(1)
        PAIR(2)
        PAIR(3)
        words found = (words)((both0 | both1) | (both2 | both3));
        if (found[0] | found[1]) break;
    }
    return from;
}
