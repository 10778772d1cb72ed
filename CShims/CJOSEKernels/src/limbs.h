#ifndef CJOSE_LIMBS_H
#define CJOSE_LIMBS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The largest numbers: 4096 bits, in limbs of 52 bits.
#define LIMBS_MAX 80
#define LIMBS_BYTES_MAX 512

static inline uint64_t limbs_big_endian(uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static inline uint64_t limbs_read64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return limbs_big_endian(value);
}

static inline void limbs_write64(uint8_t *at, uint64_t value) {
    value = limbs_big_endian(value);
    memcpy(at, &value, sizeof value);
}

/// Converts big-endian bytes to limbs; higher limbs become zero. No branch and no address depends on their values.
static inline void limbs_read(const uint8_t *bytes, size_t n, uint64_t *limbs, size_t count) {
    // Zeros come first, so that the eight bytes of the highest limb can be read.
    uint8_t padded[8 + LIMBS_BYTES_MAX] = {0};
    memcpy(padded + 8, bytes, n);
    for (size_t i = 0; i < count; i++) {
        size_t offset = 52 * i / 8;
        limbs[i] = offset < n ? limbs_read64(padded + n - offset) >> (52 * i % 8) & (((uint64_t)1 << 52) - 1) : 0;
    }
}

/// Writes the lowest `n` bytes of the limbs, big-endian. `count` is even. No branch and no address depends on their
/// values.
static inline void limbs_write(const uint64_t *limbs, size_t count, uint8_t *bytes, size_t n) {
    // Two limbs are thirteen bytes. The zeros before the upper five are overwritten by the next two limbs, or stay at
    // the beginning.
    uint8_t whole[3 + 52 * LIMBS_MAX / 8];
    uint8_t *end = whole + sizeof whole;
    for (size_t i = 0; i < count; i += 2) {
        size_t offset = 13 * i / 2;
        limbs_write64(end - offset - 16, limbs[i + 1] >> 12);
        limbs_write64(end - offset - 8, limbs[i] | limbs[i + 1] << 52);
    }
    memcpy(bytes, end - n, n);
}
#endif
