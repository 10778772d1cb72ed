#if defined(CJOSE_ACCELERATED)
#include <string.h>

#include "rsa.h"

#define LIMB (((uint64_t)1 << 52) - 1)

static uint64_t big_endian(uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static uint64_t read64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return big_endian(value);
}

static void write64(uint8_t *at, uint64_t value) {
    value = big_endian(value);
    memcpy(at, &value, sizeof value);
}

void cjose_kernel_limbs_read(const uint8_t *bytes, size_t n, uint64_t *limbs, size_t count) {
    // Zeros come first, so that the eight bytes of the highest limb can be read.
    uint8_t padded[8 + RSA_BYTES_MAX] = {0};
    memcpy(padded + 8, bytes, n);
    for (size_t i = 0; i < count; i++) {
        size_t place = 52 * i / 8;
        limbs[i] = place < n ? read64(padded + n - place) >> (52 * i % 8) & LIMB : 0;
    }
}

void cjose_kernel_limbs_write(const uint64_t *limbs, size_t count, uint8_t *bytes, size_t n) {
    // Two limbs are thirteen bytes. The zeros before the upper five are overwritten by the next two limbs, or stay at the
    // beginning.
    uint8_t whole[3 + 52 * RSA_LIMBS_MAX / 8];
    uint8_t *end = whole + sizeof whole;
    for (size_t i = 0; i < count; i += 2) {
        size_t place = 13 * i / 2;
        write64(end - place - 16, limbs[i + 1] >> 12);
        write64(end - place - 8, limbs[i] | limbs[i + 1] << 52);
    }
    memcpy(bytes, end - n, n);
}
#endif
