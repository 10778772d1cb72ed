#include "internal.h"

static bool derive(EVP_PKEY_CTX *ctx, EVP_PKEY *peer, craw *op) {
    op->z_count = sizeof op->z;
    return EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0 && EVP_PKEY_derive(ctx, op->z, &op->z_count) > 0;
}

static bool agree_fresh(craw *op) {
    EVP_PKEY *fresh = NULL;
    size_t n = sizeof op->point;
    TRY(EVP_PKEY_keygen(op->key_ctx, &fresh) > 0);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, fresh, NULL);
    bool ok = EVP_PKEY_get_raw_public_key(fresh, op->point, &n) > 0 && EVP_PKEY_derive_init(ctx) > 0
        && derive(ctx, op->key, op) && craw_finish_agreement(op, true);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(fresh);
    return ok;
}

static bool agree(craw *op) {
    const bytes *point = &op->field[craw_field_point];
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X448", NULL, point->at, point->count);
    bool ok = peer && derive(op->key_ctx, peer, op) && craw_finish_agreement(op, false);
    EVP_PKEY_free(peer);
    return ok;
}

bool craw_ready_x448(craw *op, bool encrypt) {
    op->recipient = encrypt ? agree_fresh : agree;
    op->key_ctx = encrypt ? EVP_PKEY_CTX_new_from_name(NULL, "X448", NULL)
                          : EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL);
    return op->key_ctx && (encrypt ? EVP_PKEY_keygen_init(op->key_ctx) : EVP_PKEY_derive_init(op->key_ctx)) > 0;
}
