#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__)
#include <string.h>

#include "ed25519_internal.h"

/// The order L of the base point (RFC 8032, 5.1), the lowest word first: 2^252 and a number of 125 bits.
static const uint64_t order[4] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000};

static uint64_t read64(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

void ed_limbs(const uint8_t bytes[32], uint64_t limbs[5]) {
    const uint64_t mask = ((uint64_t)1 << 52) - 1;
    uint64_t words[4];
    for (int i = 0; i < 4; i++) words[i] = read64(bytes + 8 * i);
    limbs[0] = words[0] & mask;
    limbs[1] = (words[0] >> 52 | words[1] << 12) & mask;
    limbs[2] = (words[1] >> 40 | words[2] << 24) & mask;
    limbs[3] = (words[2] >> 28 | words[3] << 36) & mask;
    limbs[4] = words[3] >> 16;
}

bool ed_is_same(const uint64_t *a, const uint64_t *b, size_t count) {
    uint64_t difference = 0;
    for (size_t i = 0; i < count; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}

/// Returns whether a - b is negative, and writes the difference.
static bool subtract(const uint64_t a[4], const uint64_t b[4], uint64_t out[4]) {
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        unsigned __int128 difference = (unsigned __int128)a[i] - b[i] - borrow;
        out[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow != 0;
}

bool ed_scalar_is_canonical(const uint8_t scalar[32]) {
    uint64_t words[4], difference[4];
    for (int i = 0; i < 4; i++) words[i] = read64(scalar + 8 * i);
    return subtract(words, order, difference);
}

void ed_scalar_reduce(const uint8_t bytes[64], uint64_t out[4]) {
    // Half a word at a time: x = r 2^32 + half is below 2^285, and q = x / 2^252 differs from x / L by at most one.
    uint64_t r[4] = {0};
    for (int i = 15; i >= 0; i--) {
        uint32_t half;
        memcpy(&half, bytes + 4 * i, sizeof half);
        uint64_t top = r[3] >> 32;
        for (int j = 3; j > 0; j--) r[j] = r[j] << 32 | r[j - 1] >> 32;
        r[0] = r[0] << 32 | half;
        const uint64_t q = top << 4 | r[3] >> 60;
        r[3] &= ((uint64_t)1 << 60) - 1;
        // Then x - q L = r - q (L - 2^252), and that plus L where it is negative.
        unsigned __int128 low = (unsigned __int128)q * order[0], high = (unsigned __int128)q * order[1] + (uint64_t)(low >> 64);
        const uint64_t product[4] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64), 0};
        if (subtract(r, product, r)) {
            uint64_t carry = 0;
            for (int j = 0; j < 4; j++) {
                unsigned __int128 sum = (unsigned __int128)r[j] + order[j] + carry;
                r[j] = (uint64_t)sum, carry = (uint64_t)(sum >> 64);
            }
        }
    }
    memcpy(out, r, sizeof r);
}

void ed_scalar_digits(const uint64_t scalar[4], unsigned windows, unsigned bits, int16_t *digits) {
    const unsigned half = 1u << (bits - 1);
    unsigned carry = 0;
    for (unsigned window = 0; window < windows; window++) {
        unsigned at = window * bits, word = at / 64, shift = at % 64;
        uint64_t value = word < 4 ? scalar[word] >> shift : 0;
        if (shift + bits > 64 && word < 3) value |= scalar[word + 1] << (64 - shift);
        unsigned digit = ((unsigned)value & (2 * half - 1)) + carry;
        carry = digit > half;
        digits[window] = (int16_t)((int)digit - (carry != 0 ? (int)(2 * half) : 0));
    }
}

bool ed_has_small_order(const uint8_t encoding[32]) {
    // The y of the points whose order divides 8: 0, 1, -1 and two of order 8, and p and p + 1, which are 0 and 1.
    static const uint64_t numbers[7][4] = {
        {0, 0, 0, 0},
        {1, 0, 0, 0},
        {0xb027b2c28f95e826, 0xf098eff289f4c345, 0x3933c6d305acdfd5, 0x05fc536d880238b1},
        {0x4fd84d3d706a17c7, 0x0f67100d760b3cba, 0xc6cc392cfa53202a, 0x7a03ac9277fdc74e},
        {0xffffffffffffffec, UINT64_MAX, UINT64_MAX, INT64_MAX},
        {0xffffffffffffffed, UINT64_MAX, UINT64_MAX, INT64_MAX},
        {0xffffffffffffffee, UINT64_MAX, UINT64_MAX, INT64_MAX},
    };
    uint64_t words[4];
    for (int i = 0; i < 4; i++) words[i] = read64(encoding + 8 * i);
    words[3] &= INT64_MAX;
    for (int i = 0; i < 7; i++)
        if (ed_is_same(words, numbers[i], 4)) return true;
    return false;
}

bool ed_is_acceptable(const uint8_t encoding[32]) {
    static const uint64_t p[4] = {0xffffffffffffffed, UINT64_MAX, UINT64_MAX, INT64_MAX};
    uint64_t words[4], difference[4];
    for (int i = 0; i < 4; i++) words[i] = read64(encoding + 8 * i);
    words[3] &= INT64_MAX;
    return subtract(words, p, difference) && !ed_has_small_order(encoding);
}
#endif
#endif
