#if defined(CJOSE_ACCELERATED)
#include "internal.h"

static bool begin(EVP_MD_CTX *md) { return EVP_DigestInit_ex2(md, NULL, NULL) == 1; }

/// Removes the mask of `seed` from `count` bytes at `out` (RFC 8017, appendix B.2.1).
static bool unmask(EVP_MD_CTX *md, const uint8_t *seed, size_t hash_size, uint8_t *out, size_t count) {
    uint8_t block[64];
    for (uint32_t at = 0; count != 0; at++) {
        const uint8_t counter[4] = {(uint8_t)(at >> 24), (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at};
        if (!begin(md) || EVP_DigestUpdate(md, seed, hash_size) != 1 || EVP_DigestUpdate(md, counter, sizeof counter) != 1
            || EVP_DigestFinal_ex(md, block, NULL) != 1)
            return false;
        size_t now = count < hash_size ? count : hash_size;
        for (size_t i = 0; i < now; i++) out[i] ^= block[i];
        out += now;
        count -= now;
    }
    return true;
}

/// Checks an encoded message (RFC 8017, 9.1.2, steps 3 to 14). `encoded` has `bits` bits in as many bytes as these
/// take, and is overwritten.
static cjose_status check(
    EVP_MD_CTX *md, const uint8_t *digest, size_t hash_size, uint8_t *encoded, size_t size, int bits) {
    static const uint8_t zeros[8];
    if (size < 2 * hash_size + 2) return cjose_status_invalid;
    size_t masked = size - hash_size - 1, padding = masked - hash_size - 1;
    const uint8_t *wanted = encoded + masked, *salt = encoded + padding + 1;
    uint8_t top = (uint8_t)(0xff >> (8 * size - (size_t)bits)), excess = 0, found[64];
    if (encoded[size - 1] != 0xbc || (encoded[0] & ~top) != 0) return cjose_status_invalid;
    if (!unmask(md, wanted, hash_size, encoded, masked)) return cjose_status_backend;
    encoded[0] &= top;
    for (size_t i = 0; i < padding; i++) excess |= encoded[i];
    // The padding before the salt determines its length: it must be as long as the hash, whatever the signer chose.
    if (excess != 0 || encoded[padding] != 1) return cjose_status_invalid;
    if (!begin(md) || EVP_DigestUpdate(md, zeros, sizeof zeros) != 1 || EVP_DigestUpdate(md, digest, hash_size) != 1
        || EVP_DigestUpdate(md, salt, hash_size) != 1 || EVP_DigestFinal_ex(md, found, NULL) != 1)
        return cjose_status_backend;
    return CRYPTO_memcmp(found, wanted, hash_size) == 0 ? cjose_status_ok : cjose_status_invalid;
}

cjose_status cjose_pss_check(
    cjose_hash hash, EVP_MD_CTX *md, const uint8_t *digest, uint8_t *encoded, size_t size, int bits) {
    // One bit less than the modulus, which may be a byte less (RFC 8017, 8.1.2, step 2c).
    size_t before = size - ((size_t)bits + 6) / 8;
    if (before != 0 && encoded[0] != 0) return cjose_status_invalid;
    return check(md, digest, cjose_hash_size(hash), encoded + before, size - before, bits - 1);
}
#endif
