#include <openssl/asn1t.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include "internal.h"

#define MAX_ROUNDS 10000000
/// The limit of libcrypto where none is given.
#define MAX_SCRYPT_BYTES (32ll << 20)

static bool small(const ASN1_INTEGER *value, int64_t max, int64_t *out) {
    return value != NULL && ASN1_INTEGER_get_int64(out, value) == 1 && *out >= 1 && *out <= max;
}

static bool pbkdf2_is_bounded(const ASN1_TYPE *parameters, int64_t *rounds) {
    PBKDF2PARAM *pbkdf2 = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), parameters);
    bool bounded = pbkdf2 != NULL && small(pbkdf2->iter, MAX_ROUNDS, rounds);
    PBKDF2PARAM_free(pbkdf2);
    return bounded;
}

static bool scrypt_is_bounded(const ASN1_TYPE *parameters) {
#ifndef OPENSSL_NO_SCRYPT
    SCRYPT_PARAMS *scrypt = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), parameters);
    int64_t n, r, p;
    bool bounded = scrypt != NULL && small(scrypt->costParameter, MAX_SCRYPT_BYTES / 128, &n)
        && small(scrypt->blockSize, 1024, &r) && small(scrypt->parallelizationParameter, 64, &p)
        && 128 * n * r <= MAX_SCRYPT_BYTES && 128 * n * r * p <= 8 * MAX_SCRYPT_BYTES
        // Without a key to derive, this checks the parameters as the derivation itself does first.
        && EVP_PBE_scrypt(NULL, 0, NULL, 0, (uint64_t)n, (uint64_t)r, (uint64_t)p, 0, NULL, 0) == 1;
    SCRYPT_PARAMS_free(scrypt);
    return bounded;
#else
    (void)parameters;
    return false;
#endif
}

/// The largest amount of work that scrypt takes, in rounds of PBKDF2, approximately.
#define SCRYPT_ROUNDS 1000000

/// The derivation must be one we know, and its work bounded, before anything is derived.
bool cjose_pbes2_rounds(const X509_ALGOR *algorithm, int64_t *rounds) {
    const ASN1_OBJECT *object;
    int type;
    const void *value;
    X509_ALGOR_get0(&object, &type, &value, algorithm);
    if (OBJ_obj2nid(object) != NID_pbes2 || type != V_ASN1_SEQUENCE) return false;
    PBE2PARAM *pbes2 = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
    bool bounded = false;
    if (pbes2 != NULL && pbes2->keyfunc != NULL) {
        X509_ALGOR_get0(&object, &type, &value, pbes2->keyfunc);
        int derivation = OBJ_obj2nid(object);
        if (derivation == NID_id_pbkdf2) bounded = pbkdf2_is_bounded(pbes2->keyfunc->parameter, rounds);
        if (derivation == NID_id_scrypt) {
            bounded = scrypt_is_bounded(pbes2->keyfunc->parameter);
            *rounds = SCRYPT_ROUNDS;
        }
    }
    PBE2PARAM_free(pbes2);
    return bounded;
}

cjose_status cjose_pkcs8_key(const PKCS8_PRIV_KEY_INFO *info, EVP_PKEY **out) {
    uint8_t *der = NULL;
    int size = i2d_PKCS8_PRIV_KEY_INFO(info, &der);
    if (size <= 0) return cjose_status_backend;
    bool is_explicit = cjose_der_has_explicit_curve((cjose_bytes){der, (size_t)size});
    OPENSSL_clear_free(der, (size_t)size);
    if (is_explicit) return cjose_status_unsupported;
    *out = EVP_PKCS82PKEY_ex(info, NULL, NULL);
    return *out != NULL ? cjose_status_ok : cjose_status_key_invalid;
}

cjose_status cjose_key_decrypt(cjose_bytes der, cjose_bytes passphrase, EVP_PKEY **out, bool *recognised) {
    const uint8_t *at = der.at, *end = at + der.count;
    X509_SIG *encrypted = d2i_X509_SIG(NULL, &at, (long)der.count);
    *recognised = encrypted != NULL && at == end;
    cjose_status status = cjose_status_unsupported;
    if (*recognised) {
        const X509_ALGOR *algorithm;
        X509_SIG_get0(encrypted, &algorithm, NULL);
        int64_t rounds = 0;
        if (!cjose_pbes2_rounds(algorithm, &rounds)) {
            status = cjose_status_unsupported;
        } else if (passphrase.at == NULL || cjose_too_long(passphrase.count)) {
            status = cjose_status_needs_passphrase;
        } else {
            PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt(encrypted, passphrase.at, (int)passphrase.count);
            status = info != NULL ? cjose_pkcs8_key(info, out) : cjose_status_needs_passphrase;
            PKCS8_PRIV_KEY_INFO_free(info);
        }
    }
    X509_SIG_free(encrypted);
    return status;
}
