#ifndef CFORMWORKDIGESTS_H
#define CFORMWORKDIGESTS_H

#include <stddef.h>
#include <stdint.h>

// Each takes whole blocks of 64 bytes (SHA-512: 128) into the words of a digest: four of MD5, five of SHA-1, eight of SHA-2.
void formwork_md5(uint32_t *state, const void *bytes, size_t blocks);
void formwork_sha1(uint32_t *state, const void *bytes, size_t blocks);
void formwork_sha512(uint64_t *state, const void *bytes, size_t blocks);

// With the processor's instructions where it has them.
void formwork_sha256(uint32_t *state, const void *bytes, size_t blocks);

// The same bytes into two digests: quicker than one after the other.
void formwork_sha256_two(uint32_t *state, uint32_t *other_state, const void *bytes, size_t blocks);

// The same on any processor.
void formwork_sha256_portable(uint32_t *state, const void *bytes, size_t blocks);

#endif
