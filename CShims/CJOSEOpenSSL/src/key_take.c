#include <openssl/x509.h>

#include "internal.h"

/// Whether the private numbers can be read, determined by reading one of them.
static bool gives_parts(EVP_PKEY *pkey, cjose_key_kind kind) {
    cjose_key read = {.pkey = pkey, .kind = kind, .is_private = true};
    cjose_key_part part = kind == cjose_key_kind_rsa ? cjose_key_part_rsa_d
        : cjose_curve_of(kind) != NULL               ? cjose_key_part_ec_d
                                                     : cjose_key_part_raw_private;
    uint8_t bytes[1100];
    size_t count = 0;
    bool gives = cjose_key_part_get(&read, part, bytes, sizeof bytes, &count) == cjose_status_ok;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return gives;
}

/// Creates the public half as an ordinary key from its SubjectPublicKeyInfo.
static cjose_status half_of(EVP_PKEY *pkey, cjose_key **out) {
    uint8_t *der = NULL;
    int count = i2d_PUBKEY(pkey, &der);
    if (count <= 0) return cjose_refused(cjose_status_unsupported);
    cjose_status status = cjose_key_read((cjose_bytes){der, (size_t)count}, (cjose_bytes){NULL, 0}, cjose_der_spki, out);
    OPENSSL_free(der);
    return status;
}

cjose_status cjose_key_take(void *taken, bool is_private, cjose_key **out) {
    EVP_PKEY *pkey = taken;
    *out = NULL;
    cjose_key_kind kind = cjose_key_kind_in(pkey);
    // Keys of libsodium's curves, and those that are byte strings, are used by their bytes.
    bool may_stay = kind == cjose_key_kind_rsa || cjose_curve_of(kind) != NULL;
    if (!is_private || !may_stay || gives_parts(pkey, kind)) return cjose_key_adopt(pkey, is_private, out);
    cjose_key *half = NULL;
    cjose_status status = half_of(pkey, &half);
    if (status == cjose_status_ok && half->kind != kind) status = cjose_status_key_invalid;
    if (status != cjose_status_ok) {
        cjose_key_free(half);
        EVP_PKEY_free(pkey);
        return status;
    }
    if ((status = cjose_key_wrap(pkey, kind, true, out)) != cjose_status_ok) {
        cjose_key_free(half);
        return status;
    }
    (*out)->half = half;
    (*out)->bits = half->bits;
    return cjose_status_ok;
}
