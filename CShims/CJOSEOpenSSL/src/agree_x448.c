#include "internal.h"

#define SIZE 56

/// Computes the agreement. `invalid` where libcrypto finds that the result is all zero (RFC 7748, 6.2).
static cjose_status derive(EVP_PKEY *ours, EVP_PKEY *theirs, void *z) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, ours, NULL);
    size_t made = SIZE;
    cjose_forget_errors();
    cjose_status status = cjose_status_backend;
    if (ctx != NULL && EVP_PKEY_derive_init(ctx) == 1 && EVP_PKEY_derive_set_peer_ex(ctx, theirs, 0) == 1)
        status = EVP_PKEY_derive(ctx, z, &made) == 1 && made == SIZE ? cjose_status_ok : cjose_status_invalid;
    EVP_PKEY_CTX_free(ctx);
    return status == cjose_status_ok ? status : cjose_refused(status);
}

cjose_status cjose_agree_x448(const cjose_key *key, const void *point, size_t point_len, void *z) {
    if (!key->is_private) return cjose_status_key_invalid;
    if (point_len != SIZE) return cjose_status_invalid;
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X448", NULL, point, point_len);
    if (peer == NULL) return cjose_failed(cjose_status_backend);
    cjose_status status = derive(key->pkey, peer, z);
    EVP_PKEY_free(peer);
    return status;
}

cjose_status cjose_agree_x448_fresh(const cjose_key *recipient, void *point, void *z) {
    uint8_t scalar[SIZE];
    cjose_status status = cjose_random(scalar, sizeof scalar);
    if (status != cjose_status_ok) return status;
    EVP_PKEY *pair = EVP_PKEY_new_raw_private_key_ex(NULL, "X448", NULL, scalar, sizeof scalar);
    OPENSSL_cleanse(scalar, sizeof scalar);
    size_t size = SIZE;
    status = cjose_status_backend;
    if (pair != NULL && EVP_PKEY_get_raw_public_key(pair, point, &size) == 1 && size == SIZE)
        status = derive(pair, recipient->pkey, z);
    EVP_PKEY_free(pair);
    return status == cjose_status_ok ? status : cjose_failed(status);
}
