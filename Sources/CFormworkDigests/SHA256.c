#include "ByteOrder.h"
#include "CFormworkDigests.h"
#include "SHA2.h"

// FIPS 180-4, section 6.2.

static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

#define ROTATED(word, bits) __builtin_rotateright32(word, bits)

#define ROUND(a, b, c, d, e, f, g, h, n)                                                                               \
    h += (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + (g ^ (e & (f ^ g))) + constants[i + (n)] + w[n];          \
    d += h;                                                                                                            \
    h += (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) | (c & (a | b)));

// The message word 16 places on, in place of the one that is no longer needed.
#define WORD(n)                                                                                                        \
    w[n] += (ROTATED(w[(n + 1) % 16], 7) ^ ROTATED(w[(n + 1) % 16], 18) ^ w[(n + 1) % 16] >> 3) + w[(n + 9) % 16]      \
        + (ROTATED(w[(n + 14) % 16], 17) ^ ROTATED(w[(n + 14) % 16], 19) ^ w[(n + 14) % 16] >> 10);

void formwork_sha256_portable(uint32_t *state, const void *start, size_t blocks) {
    const unsigned char *bytes = start;
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t w[16];
        for (int i = 0; i < 16; i++) {
            __builtin_memcpy(w + i, bytes + 4 * i, 4);
            w[i] = FORMWORK_BIG_ENDIAN32(w[i]);
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0;;) {
            EIGHT(0) EIGHT(8)
            i += 16;
            if (i == 64) break;
            WORD(0) WORD(1) WORD(2) WORD(3) WORD(4) WORD(5) WORD(6) WORD(7)
            WORD(8) WORD(9) WORD(10) WORD(11) WORD(12) WORD(13) WORD(14) WORD(15)
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if defined(__x86_64__)
typedef int quad __attribute__((vector_size(16)));
typedef unsigned int unsigned_quad __attribute__((vector_size(16)));
typedef char lane_bytes __attribute__((vector_size(16)));

static int has_instructions(void) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (a < 7 || !__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("sse4.1")) return 0;
    a = 7, c = 0;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (b >> 29) & 1;
}

// The words of a state, in the order of the instructions.
typedef struct {
    quad abef, cdgh;
} lanes;

static lanes lanes_of(const uint32_t *state) {
    quad low, high;
    __builtin_memcpy(&low, state, 16);
    __builtin_memcpy(&high, state + 4, 16);
    return (lanes){__builtin_shufflevector(low, high, 5, 4, 1, 0), __builtin_shufflevector(low, high, 7, 6, 3, 2)};
}

static void store(lanes words, uint32_t *state) {
    quad low = __builtin_shufflevector(words.abef, words.cdgh, 3, 2, 7, 6);
    quad high = __builtin_shufflevector(words.abef, words.cdgh, 1, 0, 5, 4);
    __builtin_memcpy(state, &low, 16);
    __builtin_memcpy(state + 4, &high, 16);
}

static lanes sum(lanes one, lanes other) {
    return (lanes){(quad)((unsigned_quad)one.abef + (unsigned_quad)other.abef),
                   (quad)((unsigned_quad)one.cdgh + (unsigned_quad)other.cdgh)};
}

#define FIRST(k, m)                                                                                                    \
    {                                                                                                                  \
        lane_bytes v;                                                                                                  \
        __builtin_memcpy(&v, bytes + 16 * (k), 16);                                                                    \
        m = (quad)__builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);                 \
        ROUNDS(k, m)                                                                                                   \
    }

// The next four message words, in place of the oldest.
#define NEXT(k, m, after, before, last)                                                                                \
    m = __builtin_ia32_sha256msg2(                                                                                     \
        (quad)((unsigned_quad)__builtin_ia32_sha256msg1(m, after)                                                      \
               + (unsigned_quad)__builtin_shufflevector(before, last, 1, 2, 3, 4)),                                    \
        last);                                                                                                         \
    ROUNDS(k, m)

#define BLOCK                                                                                                          \
    quad m0, m1, m2, m3;                                                                                               \
    FIRST(0, m0) FIRST(1, m1) FIRST(2, m2) FIRST(3, m3)                                                                \
    NEXT(4, m0, m1, m2, m3) NEXT(5, m1, m2, m3, m0) NEXT(6, m2, m3, m0, m1) NEXT(7, m3, m0, m1, m2)                    \
    NEXT(8, m0, m1, m2, m3) NEXT(9, m1, m2, m3, m0) NEXT(10, m2, m3, m0, m1) NEXT(11, m3, m0, m1, m2)                  \
    NEXT(12, m0, m1, m2, m3) NEXT(13, m1, m2, m3, m0) NEXT(14, m2, m3, m0, m1) NEXT(15, m3, m0, m1, m2)

// The message words in m and their constants, for four rounds.
#define WORDS(k, m)                                                                                                    \
    quad words;                                                                                                        \
    __builtin_memcpy(&words, constants + 4 * (k), 16);                                                                 \
    words = (quad)((unsigned_quad)words + (unsigned_quad)m);                                                           \
    quad upper = __builtin_shufflevector(words, words, 2, 3, 2, 3);

#define TARGET __attribute__((target("sha,ssse3,sse4.1")))

#define ROUNDS(k, m)                                                                                                   \
    {                                                                                                                  \
        WORDS(k, m)                                                                                                    \
        one.cdgh = __builtin_ia32_sha256rnds2(one.cdgh, one.abef, words);                                              \
        one.abef = __builtin_ia32_sha256rnds2(one.abef, one.cdgh, upper);                                              \
    }
TARGET static void with_instructions(uint32_t *state, const unsigned char *bytes, size_t blocks) {
    lanes one = lanes_of(state);
    for (; blocks > 0; blocks--, bytes += 64) {
        lanes before = one;
        BLOCK
        one = sum(one, before);
    }
    store(one, state);
}
#undef ROUNDS

// An instruction waits for the one before, so that two digests take hardly longer than one.
#define ROUNDS(k, m)                                                                                                   \
    {                                                                                                                  \
        WORDS(k, m)                                                                                                    \
        one.cdgh = __builtin_ia32_sha256rnds2(one.cdgh, one.abef, words);                                              \
        other.cdgh = __builtin_ia32_sha256rnds2(other.cdgh, other.abef, words);                                        \
        one.abef = __builtin_ia32_sha256rnds2(one.abef, one.cdgh, upper);                                              \
        other.abef = __builtin_ia32_sha256rnds2(other.abef, other.cdgh, upper);                                        \
    }
TARGET static void two_with_instructions(
    uint32_t *state, uint32_t *other_state, const unsigned char *bytes, size_t blocks) {
    lanes one = lanes_of(state), other = lanes_of(other_state);
    for (; blocks > 0; blocks--, bytes += 64) {
        lanes before = one, other_before = other;
        BLOCK
        one = sum(one, before);
        other = sum(other, other_before);
    }
    store(one, state);
    store(other, other_state);
}
#undef ROUNDS
#elif defined(__aarch64__) && !defined(__AARCH64EB__) && (defined(__APPLE__) || defined(__linux__))
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

static int has_instructions(void) {
#if defined(__APPLE__)
    return 1;
#else
    // HWCAP_SHA2 of Linux's asm/hwcap.h.
    return (getauxval(AT_HWCAP) >> 6) & 1;
#endif
}

// Four rounds with the message words in m.
#define ROUNDS(k, m)                                                                                                   \
    {                                                                                                                  \
        uint32x4_t words = vaddq_u32(m, vld1q_u32(constants + 4 * (k))), before = abcd;                                \
        abcd = vsha256hq_u32(abcd, efgh, words);                                                                       \
        efgh = vsha256h2q_u32(efgh, before, words);                                                                    \
    }

#define FIRST(k, m)                                                                                                    \
    m = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * (k))));                                                  \
    ROUNDS(k, m)

// The next four message words, in place of the oldest.
#define NEXT(k, m, after, before, last)                                                                                \
    m = vsha256su1q_u32(vsha256su0q_u32(m, after), before, last);                                                      \
    ROUNDS(k, m)

__attribute__((target("sha2"))) static void with_instructions(
    uint32_t *state, const unsigned char *bytes, size_t blocks) {
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32x4_t abcd_before = abcd, efgh_before = efgh, m0, m1, m2, m3;
        FIRST(0, m0) FIRST(1, m1) FIRST(2, m2) FIRST(3, m3)
        NEXT(4, m0, m1, m2, m3) NEXT(5, m1, m2, m3, m0) NEXT(6, m2, m3, m0, m1) NEXT(7, m3, m0, m1, m2)
        NEXT(8, m0, m1, m2, m3) NEXT(9, m1, m2, m3, m0) NEXT(10, m2, m3, m0, m1) NEXT(11, m3, m0, m1, m2)
        NEXT(12, m0, m1, m2, m3) NEXT(13, m1, m2, m3, m0) NEXT(14, m2, m3, m0, m1) NEXT(15, m3, m0, m1, m2)
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

static void two_with_instructions(
    uint32_t *state, uint32_t *other_state, const unsigned char *bytes, size_t blocks) {
    with_instructions(state, bytes, blocks);
    with_instructions(other_state, bytes, blocks);
}
#else
static int has_instructions(void) { return 0; }
static void with_instructions(uint32_t *state, const unsigned char *bytes, size_t blocks) {
    formwork_sha256_portable(state, bytes, blocks);
}
static void two_with_instructions(
    uint32_t *state, uint32_t *other_state, const unsigned char *bytes, size_t blocks) {
    formwork_sha256_portable(state, bytes, blocks);
    formwork_sha256_portable(other_state, bytes, blocks);
}
#endif

// Asked once: a virtual machine takes long to answer.
static int uses_instructions(void) {
    // 0 is not asked yet.
    static char answer;
    char known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (known == 0) {
        known = has_instructions() ? 1 : 2;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known == 1;
}

void formwork_sha256(uint32_t *state, const void *start, size_t blocks) {
    if (uses_instructions()) {
        with_instructions(state, start, blocks);
    } else {
        formwork_sha256_portable(state, start, blocks);
    }
}

void formwork_sha256_two(uint32_t *state, uint32_t *other_state, const void *start, size_t blocks) {
    if (uses_instructions()) {
        two_with_instructions(state, other_state, start, blocks);
    } else {
        formwork_sha256_portable(state, start, blocks);
        formwork_sha256_portable(other_state, start, blocks);
    }
}
