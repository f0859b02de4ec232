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
