#include "internal.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <sodium.h>
#include <string.h>

bool craw_concat_kdf(craw *op, unsigned char *out, size_t n) {
    const bytes *info = &op->field[craw_field_info];
    unsigned char counter[4] = {0}, block[32];
    for (size_t done = 0; done < n; done += sizeof block) {
        counter[3]++;
        TRY(EVP_DigestInit_ex2(op->md_ctx, NULL, NULL) && EVP_DigestUpdate(op->md_ctx, counter, 4));
        TRY(EVP_DigestUpdate(op->md_ctx, op->z, op->z_count) && EVP_DigestUpdate(op->md_ctx, info->at, info->count));
        TRY(EVP_DigestFinal_ex(op->md_ctx, block, NULL));
        memcpy(out + done, block, n - done < sizeof block ? n - done : sizeof block);
    }
    return true;
}

static size_t kek_count(const craw *op) { return strstr(op->alg, "A128") ? 16 : strstr(op->alg, "A192") ? 24 : 32; }

/// Derives the content encryption key from the agreed secret.
bool craw_finish_agreement(craw *op, bool encrypt) {
    unsigned char kek[32];
    if (!strchr(op->alg, '+')) return craw_concat_kdf(op, op->cek, op->enc->cek);
    TRY(craw_concat_kdf(op, kek, kek_count(op)) && craw_kek_use(op, kek, encrypt));
    return encrypt ? craw_wrap_cek(op) : craw_unwrap_cek(op);
}

static bool derive(EVP_PKEY_CTX *ctx, EVP_PKEY *peer, unsigned char *z, size_t *n) {
    *n = 66;
    return EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0 && EVP_PKEY_derive(ctx, z, n) > 0;
}

static bool agree_fresh(craw *op) {
    EVP_PKEY *fresh = NULL;
    size_t n;
    TRY(EVP_PKEY_keygen(op->key_ctx, &fresh) > 0);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, fresh, NULL);
    bool ok = EVP_PKEY_get_octet_string_param(
                  fresh, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, op->point, sizeof op->point, &n)
        && EVP_PKEY_derive_init(ctx) > 0 && derive(ctx, op->key, op->z, &op->z_count) && craw_finish_agreement(op, true);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(fresh);
    return ok;
}

static bool agree(craw *op) {
    const bytes *point = &op->field[craw_field_point];
    TRY(EVP_PKEY_set1_encoded_public_key(op->peer, point->at, point->count) > 0);
    return derive(op->key_ctx, op->peer, op->z, &op->z_count) && craw_finish_agreement(op, false);
}

static bool agree_sodium_fresh(craw *op) {
    unsigned char scalar[32];
    op->z_count = 32;
    randombytes_buf(scalar, sizeof scalar);
    TRY(!crypto_scalarmult_curve25519_base(op->point, scalar));
    TRY(!crypto_scalarmult_curve25519(op->z, scalar, op->field[craw_field_key].at));
    return craw_finish_agreement(op, true);
}

static bool agree_sodium(craw *op) {
    op->z_count = 32;
    TRY(!crypto_scalarmult_curve25519(op->z, op->field[craw_field_key].at, op->field[craw_field_point].at));
    return craw_finish_agreement(op, false);
}

bool craw_ready_agreement(craw *op) {
    bool encrypt = !strcmp(op->operation, "encrypt");
    unsigned char none[32] = {0};
    op->md = craw_md("SHA256");
    op->md_ctx = EVP_MD_CTX_new();
    TRY(op->md && op->md_ctx && EVP_DigestInit_ex2(op->md_ctx, op->md, NULL));
    if (strchr(op->alg, '+')) TRY(craw_kek_use(op, none, encrypt));
    if (op->field[craw_field_key].count == 32) {
        TRY(sodium_init() >= 0);
        op->recipient = encrypt ? agree_sodium_fresh : agree_sodium;
        return true;
    }
    TRY(op->key = craw_key_read(op));
    if (EVP_PKEY_is_a(op->key, "X448")) return craw_ready_x448(op, encrypt);
    op->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL);
    op->recipient = encrypt ? agree_fresh : agree;
    if (encrypt) return op->key_ctx && EVP_PKEY_keygen_init(op->key_ctx) > 0;
    op->peer = EVP_PKEY_new();
    return op->key_ctx && EVP_PKEY_derive_init(op->key_ctx) > 0 && EVP_PKEY_copy_parameters(op->peer, op->key) > 0;
}

/// The agreement alone, with its peer already set: what `openssl speed` calls ecdh.
static bool run_derive(craw *op) {
    size_t n = sizeof op->z;
    return EVP_PKEY_derive(op->key_ctx, op->z, &n) > 0;
}

bool craw_ready_derive(craw *op) {
    TRY(op->key = craw_key_read(op));
    op->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL);
    op->run = run_derive;
    return op->key_ctx && EVP_PKEY_derive_init(op->key_ctx) > 0 && EVP_PKEY_derive_set_peer(op->key_ctx, op->key) > 0;
}
