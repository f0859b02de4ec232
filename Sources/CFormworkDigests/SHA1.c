#include "ByteOrder.h"
#include "CFormworkDigests.h"

// FIPS 180-4, section 6.1.

#define F1(x, y, z) ((z ^ (x & (y ^ z))) + 0x5A827999)
#define F2(x, y, z) ((x ^ y ^ z) + 0x6ED9EBA1)
#define F3(x, y, z) (((x & y) | (z & (x | y))) + 0x8F1BBCDC)
#define F4(x, y, z) ((x ^ y ^ z) + 0xCA62C1D6)

// From the sixteenth on, a message word takes the place of the one that is no longer needed.
#define WORD(n)                                                                                                        \
    ((n) < 16 ? w[(n) % 16]                                                                                            \
              : (w[(n) % 16] = __builtin_rotateleft32(                                                                 \
                     w[((n) + 13) % 16] ^ w[((n) + 8) % 16] ^ w[((n) + 2) % 16] ^ w[(n) % 16], 1)))

#define STEP(function, a, b, c, d, e, n)                                                                               \
    e += __builtin_rotateleft32(a, 5) + function(b, c, d) + WORD(n);                                                   \
    b = __builtin_rotateleft32(b, 30);

#define FIVE(function, n)                                                                                              \
    STEP(function, a, b, c, d, e, n)                                                                                   \
    STEP(function, e, a, b, c, d, n + 1)                                                                               \
    STEP(function, d, e, a, b, c, n + 2)                                                                               \
    STEP(function, c, d, e, a, b, n + 3)                                                                               \
    STEP(function, b, c, d, e, a, n + 4)

void formwork_sha1(uint32_t *state, const void *start, size_t blocks) {
    const unsigned char *bytes = start;
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t w[16];
        for (int i = 0; i < 16; i++) {
            __builtin_memcpy(w + i, bytes + 4 * i, 4);
            w[i] = FORMWORK_BIG_ENDIAN32(w[i]);
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
        FIVE(F1, 0) FIVE(F1, 5) FIVE(F1, 10) FIVE(F1, 15)
        FIVE(F2, 20) FIVE(F2, 25) FIVE(F2, 30) FIVE(F2, 35)
        FIVE(F3, 40) FIVE(F3, 45) FIVE(F3, 50) FIVE(F3, 55)
        FIVE(F4, 60) FIVE(F4, 65) FIVE(F4, 70) FIVE(F4, 75)
        state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
    }
}
