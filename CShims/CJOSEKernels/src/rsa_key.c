#if defined(CJOSE_ACCELERATED)
#include <openssl/bn.h>
#include <stdlib.h>

#include "rsa.h"

#define LIMB (((uint64_t)1 << 52) - 1)

/// Returns -n^-1 modulo 2^52, by Newton's iteration: each step doubles the number of correct bits, and n is its own inverse in
/// three.
static uint64_t negative_inverse(uint64_t n) {
    uint64_t inverse = n;
    for (int bits = 3; bits < 52; bits *= 2) inverse *= 2 - n * inverse;
    return -inverse & LIMB;
}

/// Stores -n^-1 modulo R: the multiples of n that make each limb of 1 + out*n zero, from the lowest one on.
static void store_negative_inverse(const uint64_t *n, uint64_t *out, size_t limbs) {
    uint64_t sum[RSA_LIMBS_MAX] = {1}, inverse = negative_inverse(n[0]);
    for (size_t i = 0; i < limbs; i++) {
        uint64_t limb = out[i] = sum[i] * inverse & LIMB, carry = 0;
        for (size_t j = i; j < limbs; j++) {
            unsigned __int128 column = (unsigned __int128)limb * n[j - i] + sum[j] + carry;
            sum[j] = (uint64_t)column & LIMB;
            carry = (uint64_t)(column >> 52);
        }
    }
}

static bool store(const BIGNUM *value, uint64_t *limbs, size_t count) {
    uint8_t bytes[RSA_BYTES_MAX];
    if (BN_bn2binpad(value, bytes, sizeof bytes) != sizeof bytes) return false;
    cjose_kernel_limbs_read(bytes, sizeof bytes, limbs, count);
    return true;
}

/// Stores 2^`bits` mod n.
static bool store_power(int bits, const BIGNUM *n, uint64_t *limbs, size_t count, BN_CTX *ctx) {
    BIGNUM *power = BN_new();
    bool ok = power != NULL && BN_set_bit(power, bits) == 1 && BN_mod(power, power, n, ctx) == 1
        && store(power, limbs, count);
    BN_free(power);
    return ok;
}

static cjose_kernel_rsa_key *make(const BIGNUM *n, const BIGNUM *e) {
    int bits = BN_num_bits(n);
    if ((bits != 2048 && bits != 3072 && bits != 4096) || !BN_is_odd(n)) return NULL;
    if (BN_num_bits(e) > 33 || BN_num_bits(e) < 2 || !BN_is_odd(e)) return NULL;
    cjose_kernel_rsa_key *key = calloc(1, sizeof *key);
    BN_CTX *ctx = BN_CTX_new();
    uint8_t exponent[8];
    bool ok = key != NULL && ctx != NULL && BN_bn2binpad(e, exponent, sizeof exponent) == sizeof exponent;
    if (ok) {
        key->bytes = (size_t)bits / 8;
        key->blocks = (size_t)bits / 512;
        size_t limbs = key->blocks * RSA_BLOCK;
        int r = (int)limbs * 52;
        for (size_t i = 0; i < sizeof exponent; i++) key->e = key->e << 8 | exponent[i];
        ok = store(n, key->n, limbs) && store_power(r, n, key->one, limbs, ctx)
            && store_power(2 * r, n, key->square, limbs, ctx);
        store_negative_inverse(key->n, key->negative, limbs);
    }
    BN_CTX_free(ctx);
    if (ok) return key;
    free(key);
    return NULL;
}

cjose_kernel_rsa_key *cjose_kernel_rsa_key_new(const uint8_t *n, size_t n_len, const uint8_t *e, size_t e_len) {
    if (cjose_kernel_form_current() != cjose_kernel_form_ifma || n_len > 2 * RSA_BYTES_MAX || e_len > RSA_BYTES_MAX)
        return NULL;
    BIGNUM *modulus = BN_bin2bn(n, (int)n_len, NULL), *exponent = BN_bin2bn(e, (int)e_len, NULL);
    cjose_kernel_rsa_key *key = modulus != NULL && exponent != NULL ? make(modulus, exponent) : NULL;
    BN_free(modulus);
    BN_free(exponent);
    return key;
}

void cjose_kernel_rsa_key_free(cjose_kernel_rsa_key *key) { free(key); }

size_t cjose_kernel_rsa_key_bits(const cjose_kernel_rsa_key *key) { return 8 * key->bytes; }

size_t cjose_kernel_rsa_key_bytes(const cjose_kernel_rsa_key *key) { return sizeof *key; }
#endif
