#ifndef CFORMWORKBYTES_H
#define CFORMWORKBYTES_H

#include <stddef.h>
#include <stdint.h>

// Writes `count` times 32 bytes of SplitMix64, least significant byte first, from the word of `index` on. In C, because
// a debug build of Swift takes twelve times as long.
void formwork_fill_random(void *start, size_t count, uint64_t index, uint64_t seed);

// Whether this processor computes CRC-32C.
int formwork_has_crc32c(void);

// Takes bytes into the state of a CRC-32C, which is the checksum's complement. Only where the processor does.
uint32_t formwork_crc32c(uint32_t state, const void *bytes, size_t count);

// Goes on from `start` in steps of 64 while no offset of the step holds `first` with `last` `distance` bytes after it; stops
// where fewer than 64 offsets are left before `end`. Reads `bytes[start..<end + distance]`.
size_t formwork_skip_blocks(
    const void *bytes, size_t start, size_t end, unsigned char first, unsigned char last, size_t distance);

#endif
