#ifndef FORMWORK_BYTE_ORDER_H
#define FORMWORK_BYTE_ORDER_H

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FORMWORK_BIG_ENDIAN32(word) (word)
#define FORMWORK_BIG_ENDIAN64(word) (word)
#define FORMWORK_LITTLE_ENDIAN32(word) __builtin_bswap32(word)
#else
#define FORMWORK_BIG_ENDIAN32(word) __builtin_bswap32(word)
#define FORMWORK_BIG_ENDIAN64(word) __builtin_bswap64(word)
#define FORMWORK_LITTLE_ENDIAN32(word) (word)
#endif

#endif
