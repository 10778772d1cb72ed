#include <openssl/core_names.h>
#include <stdlib.h>

#include "internal.h"

struct cjose_gcm_wrap {
    const void *key;
    size_t key_len;
    /// Contexts by direction: unwrapping, wrapping. They contain the key's schedule.
    cjose_pool_handle pools[2];
};

static EVP_CIPHER_CTX *context(const cjose_gcm_wrap *wrap, int wrapping) {
    EVP_CIPHER *cipher = cjose_library_get()->gcm[wrap->key_len / 8 - 2];
    EVP_CIPHER_CTX *ctx = cipher != NULL ? EVP_CIPHER_CTX_new() : NULL;
    if (ctx == NULL || EVP_CipherInit_ex2(ctx, cipher, wrap->key, NULL, wrapping, NULL) == 1) return ctx;
    EVP_CIPHER_CTX_free(ctx);
    return NULL;
}

static bool run(EVP_CIPHER_CTX *ctx, const void *in, size_t n, void *out) {
    uint8_t none[16];
    int written = 0, more = 0;
    bool ok = n == 0 || EVP_CipherUpdate(ctx, out, &written, in, (int)n) == 1;
    return ok && written >= 0 && (size_t)written == n && EVP_CipherFinal_ex(ctx, none, &more) == 1 && more == 0;
}

cjose_status cjose_gcm_wrap_new(const void *key, size_t key_len, cjose_gcm_wrap **out) {
    *out = NULL;
    if (key == NULL || (key_len != 16 && key_len != 24 && key_len != 32)) return cjose_status_key_invalid;
    if (cjose_library_get()->gcm[key_len / 8 - 2] == NULL) return cjose_status_unsupported;
    cjose_gcm_wrap *wrap = calloc(1, sizeof *wrap);
    if (wrap == NULL) return cjose_status_backend;
    wrap->key = key;
    wrap->key_len = key_len;
    *out = wrap;
    return cjose_status_ok;
}

void cjose_gcm_wrap_free(cjose_gcm_wrap *wrap) {
    if (wrap == NULL) return;
    for (int i = 0; i < 2; i++) cjose_pool_end(&wrap->pools[i], (void (*)(void *))EVP_CIPHER_CTX_free);
    free(wrap);
}

static EVP_CIPHER_CTX *take(cjose_gcm_wrap *wrap, int wrapping, const void *iv, const OSSL_PARAM *params) {
    cjose_pool *pool = cjose_pool_at(&wrap->pools[wrapping]);
    EVP_CIPHER_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (ctx == NULL) ctx = context(wrap, wrapping);
    if (ctx == NULL || EVP_CipherInit_ex2(ctx, NULL, NULL, iv, wrapping, params) == 1) return ctx;
    EVP_CIPHER_CTX_free(ctx);
    return NULL;
}

static void give(cjose_gcm_wrap *wrap, int wrapping, EVP_CIPHER_CTX *ctx) {
    cjose_pool *pool = cjose_pool_at(&wrap->pools[wrapping]);
    if (pool == NULL || !cjose_pool_give(pool, ctx)) EVP_CIPHER_CTX_free(ctx);
}

cjose_status cjose_gcm_wrap_wrap(
    const cjose_gcm_wrap *shared, const void *iv, const void *in, size_t n, void *out, void *tag) {
    cjose_gcm_wrap *wrap = (cjose_gcm_wrap *)shared;
    if (cjose_too_long(n)) return cjose_status_invalid;
    EVP_CIPHER_CTX *ctx = take(wrap, 1, iv, NULL);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, 16), OSSL_PARAM_construct_end()};
    bool ok = run(ctx, in, n, out) && EVP_CIPHER_CTX_get_params(ctx, params) == 1;
    give(wrap, 1, ctx);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

cjose_status cjose_gcm_wrap_unwrap(
    const cjose_gcm_wrap *shared, const void *iv, size_t iv_len, const void *in, size_t n, const void *tag,
    size_t tag_len, void *out) {
    cjose_gcm_wrap *wrap = (cjose_gcm_wrap *)shared;
    if (iv == NULL || iv_len != 12 || tag == NULL || tag_len != 16 || cjose_too_long(n)) return cjose_status_invalid;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, (void *)tag, 16), OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *ctx = take(wrap, 0, iv, params);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    bool ok = run(ctx, in, n, out);
    give(wrap, 0, ctx);
    if (ok) return cjose_status_ok;
    // The key is written before the tag is compared.
    OPENSSL_cleanse(out, n);
    return cjose_failed(cjose_status_invalid);
}
