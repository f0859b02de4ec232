#ifndef CFORMWORKBYTES_H
#define CFORMWORKBYTES_H

#include <stddef.h>
#include <stdint.h>

// Writes `count` times 32 bytes of SplitMix64, least significant byte first, from the word of `index` on. In C, because
// a debug build of Swift takes twelve times as long.
void formwork_fill_random(void *start, size_t count, uint64_t index, uint64_t seed);

#endif
