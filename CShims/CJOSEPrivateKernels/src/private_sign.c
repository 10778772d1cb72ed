#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__)
// RSA_padding_add_PKCS1_PSS_mgf1 has no successor that encodes a digest without the private operation.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>

#include "../../CJOSEKernels/src/digest_info.h"
#include "private_internal.h"

#define DIGEST_BYTES 64

static const EVP_MD *hash_of(cjose_private_signature algorithm) {
    switch (algorithm) {
    case cjose_private_rs256:
    case cjose_private_ps256: return EVP_sha256();
    case cjose_private_rs384:
    case cjose_private_ps384: return EVP_sha384();
    case cjose_private_rs512:
    case cjose_private_ps512: return EVP_sha512();
    }
    return NULL;
}

/// Returns the public key, whose size the encoding of RSASSA-PSS needs. The caller frees it.
static RSA *public_half(const cjose_private_rsa_key *key) {
    RSA *rsa = RSA_new();
    BIGNUM *n = BN_bin2bn(key->modulus, (int)key->bytes, NULL), *e = BN_new();
    if (rsa != NULL && n != NULL && e != NULL && BN_set_word(e, key->e) == 1 && RSA_set0_key(rsa, n, e, NULL) == 1)
        return rsa;
    RSA_free(rsa);
    BN_free(n);
    BN_free(e);
    return NULL;
}

/// Encodes a digest by EMSA-PSS, with a salt as long as the digest (RFC 8017, 9.1.1).
static bool encode_pss(const cjose_private_rsa_key *key, const EVP_MD *md, const uint8_t *digest, uint8_t *encoded) {
    RSA *rsa = public_half(key);
    bool ok = rsa != NULL
        && RSA_padding_add_PKCS1_PSS_mgf1(rsa, encoded, digest, md, md, RSA_PSS_SALTLEN_DIGEST) == 1;
    RSA_free(rsa);
    return ok;
}

/// Encodes a digest by EMSA-PKCS1-v1_5 (RFC 8017, 9.2).
static bool encode_pkcs1(const cjose_private_rsa_key *key, const EVP_MD *md, const uint8_t *digest, uint8_t *encoded) {
    size_t n = (size_t)EVP_MD_get_size(md), prefix = sizeof digest_info_prefixes[0];
    uint8_t info[sizeof digest_info_prefixes[0] + DIGEST_BYTES];
    memcpy(info, digest_info_prefixes[n / 16 - 2], prefix);
    memcpy(info + prefix, digest, n);
    return RSA_padding_add_PKCS1_type_1(encoded, (int)key->bytes, info, (int)(prefix + n)) == 1;
}

void cjose_private_rsa_sign(
    cjose_private_signature algorithm, cjose_private_rsa_key *const *keys, const uint8_t *const *digests, size_t count,
    uint8_t *const *outputs, uint8_t *results) {
    const EVP_MD *md = hash_of(algorithm);
    memset(results, cjose_private_failed, count);
    if (md == NULL || count == 0 || !private_have_one_size(keys, count)) return;
    bool is_pss = algorithm >= cjose_private_ps256;
    // Both encodings are public: they are the signature under the public exponent.
    uint8_t encoded[PRIVATE_TOKENS][PRIVATE_BYTES];
    const uint8_t *inputs[PRIVATE_TOKENS];
    for (size_t done = 0; done < count; done += PRIVATE_TOKENS) {
        size_t part = count - done < PRIVATE_TOKENS ? count - done : PRIVATE_TOKENS;
        bool ok = true;
        for (size_t i = 0; i < part && ok; i++) {
            const cjose_private_rsa_key *key = keys[done + i];
            inputs[i] = encoded[i];
            ok = (is_pss ? encode_pss : encode_pkcs1)(key, md, digests[done + i], encoded[i]);
        }
        if (ok) cjose_private_rsa_power(keys + done, inputs, part, outputs + done, results + done);
    }
    ERR_clear_error();
}
#endif
#endif
