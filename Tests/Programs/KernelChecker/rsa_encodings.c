#if defined(CJOSE_ACCELERATED)
#include <stdio.h>
#include <string.h>

#include "rsa.h"

// Signatures whose encoding is not valid: with a known private key any encoding can be signed.

typedef struct shape {
    cjose_kernel_rsa_scheme scheme;
    const uint8_t *digest;
    /// The bits of the modulus, and its bytes.
    int bits;
    size_t bytes;
    int fault;
} shape;

static const EVP_MD *hash_of(int hash) {
    const EVP_MD *const hashes[] = {EVP_sha256(), EVP_sha384(), EVP_sha512()};
    return hashes[hash % 3];
}

enum {
    pkcs1_good, pkcs1_first_byte, pkcs1_type_0, pkcs1_type_2, pkcs1_filler, pkcs1_no_separator, pkcs1_trailing,
    pkcs1_mostly_trailing, pkcs1_other_hash, pkcs1_no_null, pkcs1_long_length, pkcs1_bare, pkcs1_faults
};

/// Writes an encoding of RFC 8017, 9.2, or one with a fault.
static void encode_pkcs1(dice *dice, const shape *shape, uint8_t *out) {
    int hash = (int)shape->scheme % 3;
    size_t size = digest_size(shape->scheme), trailing = 0, n = 0;
    uint8_t info[96] = {0x30, (uint8_t)(size + 17), 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
                        (uint8_t)(hash + 1), 0x05, 0x00, 0x04, (uint8_t)size};
    memcpy(info + 19, shape->digest, size);
    n = 19 + size;
    if (shape->fault == pkcs1_other_hash) info[14] = (uint8_t)((hash + 1) % 3 + 1);
    if (shape->fault == pkcs1_bare) memmove(info, info + 19, n = size);
    if (shape->fault == pkcs1_no_null) {
        memmove(info + 15, info + 17, n - 17);
        n -= 2;
        info[1] = (uint8_t)(info[1] - 2);
        info[3] = (uint8_t)(info[3] - 2);
    }
    if (shape->fault == pkcs1_long_length) {
        memmove(info + 2, info + 1, n - 1);
        info[1] = 0x81;
        n++;
    }
    if (shape->fault == pkcs1_trailing) trailing = 1;
    if (shape->fault == pkcs1_mostly_trailing) trailing = shape->bytes - n - 11;
    size_t filler = shape->bytes - trailing - n - 3;
    out[0] = 0;
    out[1] = 1;
    memset(out + 2, 0xFF, filler);
    out[2 + filler] = 0;
    memcpy(out + 3 + filler, info, n);
    dice_fill(dice, out + 3 + filler + n, trailing);
    if (shape->fault == pkcs1_first_byte) out[0] = 1;
    if (shape->fault == pkcs1_type_0) out[1] = 0;
    if (shape->fault == pkcs1_type_2) out[1] = 2;
    if (shape->fault == pkcs1_filler) out[2 + dice_below(dice, filler)] ^= (uint8_t)(1u << dice_below(dice, 8));
    if (shape->fault == pkcs1_no_separator) out[2 + filler] = 0xFF;
}

enum {
    pss_good, pss_trailer, pss_top_bit, pss_filler_first, pss_filler_last, pss_separator, pss_salt_short, pss_salt_long,
    pss_salt_none, pss_hash, pss_other_mask, pss_mask_from_one, pss_no_zeros, pss_faults
};

static void mask(const shape *shape, const uint8_t *seed, uint8_t *bytes, size_t n) {
    int hash = (int)shape->scheme % 3 + (shape->fault == pss_other_mask);
    uint8_t text[68], made[64];
    unsigned length = 0;
    memcpy(text, seed, 64);
    size_t size = digest_size(shape->scheme);
    for (size_t i = 0, counter = shape->fault == pss_mask_from_one; i < n; counter++) {
        const uint8_t tail[] = {0, 0, 0, (uint8_t)counter};
        memcpy(text + size, tail, sizeof tail);
        need(EVP_Digest(text, size + 4, made, &length, hash_of(hash), NULL) == 1, "EVP_Digest");
        for (unsigned j = 0; j < length && i < n; j++, i++) bytes[i] ^= made[j];
    }
}

/// Writes an encoding of RFC 8017, 9.1.1, or one with a fault.
static void encode_pss(dice *dice, const shape *shape, uint8_t *out) {
    // The encoding has a bit less than the modulus, which may be a byte less: that byte is then 0.
    size_t before = (size_t)(shape->bits % 8 == 1), bytes = shape->bytes - before;
    uint8_t top = (uint8_t)(0xFF >> (8 * bytes - (size_t)shape->bits + 1));
    out[0] = 0;
    out += before;
    size_t size = digest_size(shape->scheme), salt = size, count = bytes - size - 1;
    if (shape->fault == pss_salt_short) salt--;
    if (shape->fault == pss_salt_long) salt++;
    if (shape->fault == pss_salt_none) salt = 0;
    uint8_t text[8 + 64 + 65] = {0}, seed[64] = {0};
    unsigned length = 0;
    memcpy(text + 8, shape->digest, size);
    dice_fill(dice, text + 8 + size, salt);
    size_t zeros = shape->fault == pss_no_zeros ? 8 : 0;
    need(
        EVP_Digest(text + zeros, 8 - zeros + size + salt, seed, &length, hash_of((int)shape->scheme), NULL) == 1,
        "EVP_Digest");
    memset(out, 0, count);
    out[count - salt - 1] = shape->fault == pss_separator ? 2 : 1;
    memcpy(out + count - salt, text + 8 + size, salt);
    if (shape->fault == pss_filler_first) out[0] = 1;
    if (shape->fault == pss_filler_last) out[count - salt - 2] = 0x80;
    mask(shape, seed, out, count);
    out[0] &= top;
    if (shape->fault == pss_top_bit && before != 0) out[-1] = 1;
    else if (shape->fault == pss_top_bit) out[0] |= (uint8_t)(top + 1);
    if (shape->fault == pss_hash) seed[dice_below(dice, size)] ^= 1;
    memcpy(out + count, seed, size);
    out[bytes - 1] = shape->fault == pss_trailer ? 0xCC : 0xBC;
}

static bool is_below(const uint8_t *encoded, const pair *pair) {
    BIGNUM *value = BN_bin2bn(encoded, (int)pair_bytes(pair), NULL), *n = NULL;
    need(value != NULL && EVP_PKEY_get_bn_param(pair->pkey, "n", &n) == 1, "n");
    bool below = BN_cmp(value, n) < 0;
    BN_free(value);
    BN_free(n);
    return below;
}

int rsa_faults(cjose_kernel_rsa_scheme scheme) {
    return scheme >= cjose_kernel_rsa_scheme_ps256 ? (int)pss_faults : (int)pkcs1_faults;
}

void rsa_sign_fault(
    dice *dice, const pair *pair, cjose_kernel_rsa_scheme scheme, int fault, const uint8_t *digest, uint8_t *signature) {
    uint8_t encoded[RSA_MAX];
    shape shape = {scheme, digest, pair->bits, pair_bytes(pair), fault};
    // The salt is new each time, until the number with the surplus top bit is below n.
    do scheme >= cjose_kernel_rsa_scheme_ps256 ? encode_pss(dice, &shape, encoded) : encode_pkcs1(dice, &shape, encoded);
    while (!is_below(encoded, pair));
    pair_sign_encoded(pair, encoded, signature);
}

void rsa_check_encodings(dice *dice, const pair *pair) {
    static signature good, wrong, lanes[8];
    const struct pair *pairs[8] = {pair, pair, pair, pair, pair, pair, pair, pair};
    size_t cases = 0;
    for (int scheme = 0; scheme < 6; scheme++) {
        cjose_kernel_rsa_scheme of = (cjose_kernel_rsa_scheme)scheme;
        for (int fault = 0; fault < rsa_faults(of); fault++) {
            dice_fill(dice, good.digest, sizeof good.digest);
            wrong = good;
            rsa_sign_fault(dice, pair, of, 0, good.digest, good.bytes);
            rsa_sign_fault(dice, pair, of, fault, wrong.digest, wrong.bytes);
            if ((pair_verify(pair, of, wrong.digest, wrong.bytes) == cjose_kernel_valid) != (fault == 0))
                fail("libcrypto does not see fault %d of scheme %d", fault, scheme);
            for (size_t place = 0; place < 8; place++, cases++) {
                for (size_t i = 0; i < 8; i++) lanes[i] = i == place ? wrong : good;
                signatures_compare(dice, of, pairs, lanes, 8);
            }
        }
    }
    printf("  %d bits: %zu encodings with a fault\n", pair->bits, cases);
}
#endif
