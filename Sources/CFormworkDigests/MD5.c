#include "ByteOrder.h"
#include "CFormworkDigests.h"

// RFC 1321, section 3.4.

#define F1(x, y, z) (z ^ (x & (y ^ z)))
#define F2(x, y, z) (y ^ (z & (x ^ y)))
#define F3(x, y, z) (x ^ y ^ z)
#define F4(x, y, z) (y ^ (x | ~z))

#define STEP(function, a, b, c, d, word, constant, shift)                                                              \
    a = __builtin_rotateleft32(a + function(b, c, d) + w[word] + constant, shift) + b;

// Four steps with the message words k, the constants t and the shifts s.
#define FOUR(function, k1, k2, k3, k4, t1, t2, t3, t4, s1, s2, s3, s4)                                                 \
    STEP(function, a, b, c, d, k1, t1, s1)                                                                             \
    STEP(function, d, a, b, c, k2, t2, s2)                                                                             \
    STEP(function, c, d, a, b, k3, t3, s3)                                                                             \
    STEP(function, b, c, d, a, k4, t4, s4)

void formwork_md5(uint32_t *state, const void *start, size_t blocks) {
    const unsigned char *bytes = start;
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t w[16];
        for (int i = 0; i < 16; i++) {
            __builtin_memcpy(w + i, bytes + 4 * i, 4);
            w[i] = FORMWORK_LITTLE_ENDIAN32(w[i]);
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        FOUR(F1, 0, 1, 2, 3, 0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 7, 12, 17, 22)
        FOUR(F1, 4, 5, 6, 7, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501, 7, 12, 17, 22)
        FOUR(F1, 8, 9, 10, 11, 0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 7, 12, 17, 22)
        FOUR(F1, 12, 13, 14, 15, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821, 7, 12, 17, 22)
        FOUR(F2, 1, 6, 11, 0, 0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 5, 9, 14, 20)
        FOUR(F2, 5, 10, 15, 4, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8, 5, 9, 14, 20)
        FOUR(F2, 9, 14, 3, 8, 0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 5, 9, 14, 20)
        FOUR(F2, 13, 2, 7, 12, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A, 5, 9, 14, 20)
        FOUR(F3, 5, 8, 11, 14, 0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 4, 11, 16, 23)
        FOUR(F3, 1, 4, 7, 10, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70, 4, 11, 16, 23)
        FOUR(F3, 13, 0, 3, 6, 0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 4, 11, 16, 23)
        FOUR(F3, 9, 12, 15, 2, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665, 4, 11, 16, 23)
        FOUR(F4, 0, 7, 14, 5, 0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 6, 10, 15, 21)
        FOUR(F4, 12, 3, 10, 1, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1, 6, 10, 15, 21)
        FOUR(F4, 8, 15, 6, 13, 0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 6, 10, 15, 21)
        FOUR(F4, 4, 11, 2, 9, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391, 6, 10, 15, 21)
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    }
}
