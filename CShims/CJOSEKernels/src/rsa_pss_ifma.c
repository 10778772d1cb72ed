#if defined(CJOSE_ACCELERATED)
#include <string.h>

#include "rsa.h"

#if defined(__x86_64__)
#include "rsa_ifma.h"
#include "sha2_ifma.h"

static uint64_t read_word(const uint8_t *at, size_t word) {
    uint32_t half;
    uint64_t whole;
    if (word == sizeof half) {
        memcpy(&half, at, sizeof half);
        return __builtin_bswap32(half);
    }
    memcpy(&whole, at, sizeof whole);
    return __builtin_bswap64(whole);
}

static void write_word(uint8_t *at, size_t word, uint64_t value) {
    value = word == 4 ? __builtin_bswap32((uint32_t)value) : __builtin_bswap64(value);
    memcpy(at, &value, word);
}

/// Reads the words of each lane's bytes; `n` is a multiple of their size.
IFMA static void read_words(const uint8_t *const bytes[RSA_LANES], size_t n, size_t word, sha2_words *out) {
    for (size_t lane = 0; lane < RSA_LANES; lane++)
        for (size_t i = 0; i < n / word; i++) out[i][lane] = read_word(bytes[lane] + i * word, word);
}

/// Applies the mask of each lane's seed to its `n` bytes (RFC 8017, B.2.1).
IFMA static void unmask(
    int bits, const sha2_words *seed, uint8_t bytes[RSA_LANES][RSA_BYTES_MAX], size_t n) {
    size_t word = bits == 256 ? 4 : 8, size = (size_t)bits / 8, count = size / word;
    for (size_t block = 0; block * size < n; block++) {
        sha2_words text[32], mask[8];
        memcpy(text, seed, count * sizeof *seed);
        // The counter is four bytes: half a word of the longer hashes.
        text[count] = (sha2_words){0} + ((uint64_t)block << (word == 8 ? 32 : 0));
        cjose_kernel_sha2(bits, text, size + 4, mask);
        size_t remaining = n - block * size < size ? n - block * size : size;
        for (size_t lane = 0; lane < RSA_LANES; lane++) {
            uint8_t part[64], *at = bytes[lane] + block * size;
            for (size_t i = 0; i < count; i++) write_word(part + i * word, word, mask[i][lane]);
            for (size_t i = 0; i < remaining; i++) at[i] ^= part[i];
        }
    }
}

/// Checks the encodings (RFC 8017, 9.1.2) with a salt as long as the hash (RFC 7518, 3.5). Moduli have whole bytes, so
/// that one bit is unused.
IFMA void cjose_kernel_pss_check(
    int bits, uint8_t encoded[RSA_LANES][RSA_BYTES_MAX], size_t n, const uint8_t *const digests[RSA_LANES],
    bool valid[RSA_LANES]) {
    size_t word = bits == 256 ? 4 : 8, size = (size_t)bits / 8, words = size / word;
    size_t count = n - size - 1, filler = count - size - 1;
    const uint8_t *positions[RSA_LANES];
    sha2_words seed[8], text[32], made[8];
    uint64_t difference[RSA_LANES];
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        difference[lane] = (uint64_t)(encoded[lane][0] >> 7) | (uint64_t)(encoded[lane][n - 1] ^ 0xBC);
        positions[lane] = encoded[lane] + count;
    }
    read_words(positions, size, word, seed);
    unmask(bits, seed, encoded, count);
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        difference[lane] |= (uint64_t)(encoded[lane][0] & 0x7F) | (uint64_t)(encoded[lane][filler] ^ 1);
        for (size_t i = 1; i < filler; i++) difference[lane] |= encoded[lane][i];
        positions[lane] = encoded[lane] + filler + 1;
    }
    // The hashed text is eight zeros, the digest and the salt.
    for (size_t i = 0; i < 8 / word; i++) text[i] = (sha2_words){0};
    read_words(digests, size, word, text + 8 / word);
    read_words(positions, size, word, text + 8 / word + words);
    cjose_kernel_sha2(bits, text, 8 + 2 * size, made);
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        for (size_t i = 0; i < words; i++) difference[lane] |= made[i][lane] ^ seed[i][lane];
        valid[lane] = difference[lane] == 0;
    }
}
#endif
#endif
