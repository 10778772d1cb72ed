// The compression functions of SHA-2 alone do what MGF1 needs; EVP takes several times as long for one block. Deprecated since
// OpenSSL 3.0, in every 3.x that was not built without them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <string.h>

#include "rsa.h"

/// RFC 8017, 9.2, note 1: what comes before the digest in DigestInfo.
static const uint8_t prefixes[3][19] = {
    {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20},
    {0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30},
    {0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40},
};
static const size_t sizes[3] = {32, 48, 64};

/// Nothing is looked for in what the signature opened to: all of it must be the one encoding there is.
static bool pkcs1_holds(int hash, const uint8_t *encoded, size_t n, const uint8_t *digest) {
    size_t size = sizes[hash], filler = n - size - sizeof prefixes[0] - 3;
    unsigned difference = encoded[0] | (encoded[1] ^ 1u) | encoded[2 + filler];
    for (size_t i = 0; i < filler; i++) difference |= encoded[2 + i] ^ 0xFFu;
    const uint8_t *info = encoded + 3 + filler;
    for (size_t i = 0; i < sizeof prefixes[0]; i++) difference |= (unsigned)(info[i] ^ prefixes[hash][i]);
    for (size_t i = 0; i < size; i++) difference |= (unsigned)(info[sizeof prefixes[0] + i] ^ digest[i]);
    return difference == 0;
}

static void write_words32(const SHA_LONG *words, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
}

static void write_words64(const SHA_LONG64 *words, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(words[i / 8] >> (56 - 8 * (i % 8)));
}

/// The hash of the first `n` bytes of `text`, which is changed: what follows them, up to two blocks in all, is the padding's.
static void hash_short(int hash, uint8_t text[256], size_t n, uint8_t *out) {
    size_t block = hash == 0 ? 64 : 128, blocks = n + 1 + block / 8 <= block ? 1 : 2, end = blocks * block;
    memset(text + n, 0, end - n);
    text[n] = 0x80;
    text[end - 2] = (uint8_t)(8 * n >> 8);
    text[end - 1] = (uint8_t)(8 * n);
    if (hash == 0) {
        SHA256_CTX state;
        SHA256_Init(&state);
        for (size_t i = 0; i < blocks; i++) SHA256_Transform(&state, text + i * block);
        write_words32(state.h, sizes[hash], out);
    } else {
        SHA512_CTX state;
        (void)(hash == 1 ? SHA384_Init(&state) : SHA512_Init(&state));
        for (size_t i = 0; i < blocks; i++) SHA512_Transform(&state, text + i * block);
        write_words64(state.h, sizes[hash], out);
    }
}

/// RFC 8017, B.2.1: the mask of `seed`, put on `n` bytes.
static void unmask(int hash, const uint8_t *seed, uint8_t *bytes, size_t n) {
    uint8_t text[256], mask[64];
    size_t size = sizes[hash];
    for (size_t i = 0; i * size < n; i++) {
        memcpy(text, seed, size);
        memset(text + size, 0, 3);
        text[size + 3] = (uint8_t)i;
        hash_short(hash, text, size + 4, mask);
        size_t rest = n - i * size < size ? n - i * size : size;
        for (size_t j = 0; j < rest; j++) bytes[i * size + j] ^= mask[j];
    }
}

/// RFC 8017, 9.1.2, with a salt as long as the hash (RFC 7518, 3.5). Moduli are of whole bytes, so that one bit is unused.
static bool pss_holds(int hash, const uint8_t *encoded, size_t n, const uint8_t *digest) {
    size_t size = sizes[hash], count = n - size - 1, filler = count - size - 1;
    const uint8_t *seed = encoded + count;
    if (encoded[n - 1] != 0xBC || encoded[0] > 0x7F) return false;
    uint8_t block[RSA_BYTES_MAX], text[256] = {0}, made[64];
    memcpy(block, encoded, count);
    unmask(hash, seed, block, count);
    block[0] &= 0x7F;
    unsigned difference = block[filler] ^ 1u;
    for (size_t i = 0; i < filler; i++) difference |= block[i];
    if (difference != 0) return false;
    memcpy(text + 8, digest, size);
    memcpy(text + 8 + size, block + filler + 1, size);
    hash_short(hash, text, 8 + 2 * size, made);
    for (size_t i = 0; i < size; i++) difference |= (unsigned)(made[i] ^ seed[i]);
    return difference == 0;
}

bool cjose_lanes_rsa_holds(cjose_lanes_rsa_scheme scheme, const uint8_t *encoded, size_t n, const uint8_t *digest) {
    int hash = (int)scheme % 3;
    return scheme < cjose_lanes_rsa_scheme_ps256 ? pkcs1_holds(hash, encoded, n, digest)
                                                 : pss_holds(hash, encoded, n, digest);
}
