#if defined(CJOSE_ACCELERATED)
#include "rsa_power.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <stdlib.h>
#include <string.h>

#include "../../CJOSEKernels/src/digest_info.h"
#include "internal.h"

struct cjose_rsa_power {
    BIGNUM *modulus, *base, *value;
    BN_MONT_CTX *mont;
    BN_CTX *ctx;
    uint64_t exponent;
};

void cjose_rsa_power_free(cjose_rsa_power *power) {
    if (power == NULL) return;
    BN_free(power->modulus);
    BN_free(power->base);
    BN_free(power->value);
    BN_MONT_CTX_free(power->mont);
    BN_CTX_free(power->ctx);
    free(power);
}

cjose_rsa_power *cjose_rsa_power_new(const EVP_PKEY *pkey) {
    cjose_rsa_power *power = calloc(1, sizeof *power);
    if (power == NULL) return NULL;
    BIGNUM *exponent = NULL;
    power->base = BN_new();
    power->value = BN_new();
    power->mont = BN_MONT_CTX_new();
    power->ctx = BN_CTX_new();
    bool ok = power->base != NULL && power->value != NULL && power->mont != NULL && power->ctx != NULL
        && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &power->modulus) == 1
        && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 && BN_is_odd(power->modulus)
        && BN_num_bytes(power->modulus) <= cjose_rsa_max_bytes && BN_num_bits(exponent) <= 33 && BN_is_odd(exponent)
        && !BN_is_one(exponent) && BN_MONT_CTX_set(power->mont, power->modulus, power->ctx) == 1;
    if (ok) power->exponent = BN_get_word(exponent);
    BN_free(exponent);
    if (ok) return power;
    cjose_rsa_power_free(power);
    ERR_clear_error();
    return NULL;
}

/// Computes `value` = `base` to the exponent, both below the modulus and not in Montgomery form.
static bool raise(cjose_rsa_power *power) {
    BIGNUM *value = power->value;
    uint64_t remaining = power->exponent;
    int bit = 63 - __builtin_clzll(remaining);
    if (BN_to_montgomery(value, power->base, power->mont, power->ctx) != 1) return false;
    // Only exponents with further bits between the first and the last need the base in this form.
    BIGNUM *form = NULL;
    bool ok = true;
    BN_CTX_start(power->ctx);
    if ((remaining & (remaining - 1) & ~(1ULL << bit)) != 0) {
        form = BN_CTX_get(power->ctx);
        ok = form != NULL && BN_copy(form, value) != NULL;
    }
    while (ok && --bit >= 0) {
        ok = BN_mod_mul_montgomery(value, value, value, power->mont, power->ctx) == 1;
        if (!ok || (remaining >> bit & 1) == 0) continue;
        // The exponent is odd: the last product, with the plain base, leaves Montgomery form.
        ok = BN_mod_mul_montgomery(value, value, bit == 0 ? power->base : form, power->mont, power->ctx) == 1;
    }
    BN_CTX_end(power->ctx);
    return ok;
}

cjose_status cjose_rsa_power_raise(cjose_rsa_power *power, const uint8_t *signature, size_t size, uint8_t *out) {
    if (cjose_too_long(size) || BN_bin2bn(signature, (int)size, power->base) == NULL) return cjose_status_backend;
    // RFC 8017, 5.2.2, step 1.
    if (BN_ucmp(power->base, power->modulus) >= 0) return cjose_status_invalid;
    return raise(power) && BN_bn2binpad(power->value, out, (int)size) == (int)size ? cjose_status_ok : cjose_status_backend;
}

cjose_status cjose_pkcs1_check(cjose_hash hash, const uint8_t *digest, const uint8_t *encoded, size_t size) {
    uint8_t wanted[cjose_rsa_max_bytes];
    size_t digest_size = cjose_hash_size(hash), tail = sizeof digest_info_prefixes[0] + digest_size;
    if (hash == cjose_hash_sha1 || size > sizeof wanted || size < tail + 11) return cjose_status_invalid;
    // The complete encoding is compared: nothing that the signer wrote is parsed (T14).
    wanted[0] = 0;
    wanted[1] = 1;
    memset(wanted + 2, 0xff, size - tail - 3);
    wanted[size - tail - 1] = 0;
    memcpy(wanted + size - tail, digest_info_prefixes[hash - cjose_hash_sha256], sizeof digest_info_prefixes[0]);
    memcpy(wanted + size - digest_size, digest, digest_size);
    return CRYPTO_memcmp(encoded, wanted, size) == 0 ? cjose_status_ok : cjose_status_invalid;
}
#endif
