#include <stdlib.h>

#include "internal.h"

struct cjose_wrap {
    const void *key;
    size_t key_len;
    /// Contexts by direction: unwrapping, wrapping.
    cjose_pool_handle pools[2];
};

static EVP_CIPHER_CTX *context(const void *key, size_t key_len, int wrapping) {
    EVP_CIPHER *cipher = cjose_library_get()->wrap[key_len / 8 - 2];
    EVP_CIPHER_CTX *ctx = cipher != NULL ? EVP_CIPHER_CTX_new() : NULL;
    if (ctx == NULL) return NULL;
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex2(ctx, cipher, key, NULL, wrapping, NULL) == 1) return ctx;
    EVP_CIPHER_CTX_free(ctx);
    return NULL;
}

/// Wraps or unwraps (RFC 3394, 2.2) with the default initial value, which libcrypto compares at unwrapping.
static bool run(EVP_CIPHER_CTX *ctx, const void *in, size_t in_len, void *out, size_t n) {
    int written = 0;
    return EVP_CipherUpdate(ctx, out, &written, in, (int)in_len) == 1 && written >= 0 && (size_t)written == n;
}

static bool key_fits(const void *key, size_t key_len) {
    return key != NULL && (key_len == 16 || key_len == 24 || key_len == 32);
}

static bool lengths_fit(size_t plain, size_t wrapped) {
    return plain >= 16 && plain % 8 == 0 && !cjose_too_long(wrapped) && wrapped == plain + 8;
}

cjose_status cjose_wrap_new(const void *key, size_t key_len, cjose_wrap **out) {
    *out = NULL;
    if (!key_fits(key, key_len)) return cjose_status_key_invalid;
    if (cjose_library_get()->wrap[key_len / 8 - 2] == NULL) return cjose_status_unsupported;
    cjose_wrap *wrap = calloc(1, sizeof *wrap);
    if (wrap == NULL) return cjose_status_backend;
    wrap->key = key;
    wrap->key_len = key_len;
    *out = wrap;
    return cjose_status_ok;
}

void cjose_wrap_free(cjose_wrap *wrap) {
    if (wrap == NULL) return;
    for (int i = 0; i < 2; i++) cjose_pool_end(&wrap->pools[i], (void (*)(void *))EVP_CIPHER_CTX_free);
    free(wrap);
}

static cjose_status pooled(
    cjose_wrap *wrap, int wrapping, const void *in, size_t in_len, void *out, size_t n, cjose_status refusal) {
    cjose_pool *pool = cjose_pool_at(&wrap->pools[wrapping]);
    EVP_CIPHER_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (ctx == NULL) ctx = context(wrap->key, wrap->key_len, wrapping);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    bool ok = run(ctx, in, in_len, out, n);
    if (pool == NULL || !cjose_pool_give(pool, ctx)) EVP_CIPHER_CTX_free(ctx);
    if (ok) return cjose_status_ok;
    OPENSSL_cleanse(out, n);
    return cjose_failed(refusal);
}

cjose_status cjose_wrap_wrap(const cjose_wrap *wrap, const void *in, size_t n, void *out) {
    if (!lengths_fit(n, n + 8)) return cjose_status_invalid;
    return pooled((cjose_wrap *)wrap, 1, in, n, out, n + 8, cjose_status_backend);
}

cjose_status cjose_wrap_unwrap(const cjose_wrap *wrap, const void *in, size_t in_len, void *out, size_t n) {
    if (!lengths_fit(n, in_len)) return cjose_status_invalid;
    return pooled((cjose_wrap *)wrap, 0, in, in_len, out, n, cjose_status_invalid);
}

cjose_status cjose_wrap_once(const void *kek, size_t kek_len, const void *in, size_t n, void *out) {
    if (!key_fits(kek, kek_len)) return cjose_status_key_invalid;
    if (!lengths_fit(n, n + 8)) return cjose_status_invalid;
    EVP_CIPHER_CTX *ctx = context(kek, kek_len, 1);
    bool ok = ctx != NULL && run(ctx, in, n, out, n + 8);
    EVP_CIPHER_CTX_free(ctx);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

cjose_status cjose_unwrap_once(
    const void *kek, size_t kek_len, const void *in, size_t in_len, void *out, size_t n) {
    if (!key_fits(kek, kek_len)) return cjose_status_key_invalid;
    if (!lengths_fit(n, in_len)) return cjose_status_invalid;
    EVP_CIPHER_CTX *ctx = context(kek, kek_len, 0);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    bool ok = run(ctx, in, in_len, out, n);
    EVP_CIPHER_CTX_free(ctx);
    if (ok) return cjose_status_ok;
    OPENSSL_cleanse(out, n);
    return cjose_failed(cjose_status_invalid);
}
