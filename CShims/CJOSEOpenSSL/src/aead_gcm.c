#include <openssl/core_names.h>

#include "aead.h"

/// Contexts by direction (opening, sealing) and key size.
static cjose_pool_handle pools[2][3];

static EVP_CIPHER_CTX *take(int size, int sealing, const void *key, const void *iv, const OSSL_PARAM *params) {
    cjose_pool *pool = cjose_pool_at(&pools[sealing][size]);
    EVP_CIPHER_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    const EVP_CIPHER *cipher = NULL;
    if (ctx == NULL) {
        cipher = cjose_library_get()->gcm[size];
        if (cipher == NULL || (ctx = EVP_CIPHER_CTX_new()) == NULL) return NULL;
    }
    if (EVP_CipherInit_ex2(ctx, cipher, key, iv, sealing, params) == 1) return ctx;
    EVP_CIPHER_CTX_free(ctx);
    return NULL;
}

/// Returns a context to its pool. A new key overwrites the schedule, the hash key and the key stream of the old one.
static void give(int size, int sealing, EVP_CIPHER_CTX *ctx) {
    cjose_pool *pool = cjose_pool_at(&pools[sealing][size]);
    if (pool != NULL && EVP_CipherInit_ex2(ctx, NULL, cjose_zeros, NULL, sealing, NULL) == 1
        && cjose_pool_give(pool, ctx))
        return;
    EVP_CIPHER_CTX_free(ctx);
}

static bool update(EVP_CIPHER_CTX *ctx, void *out, const void *in, size_t n) {
    int written = 0;
    return n == 0 || (EVP_CipherUpdate(ctx, out, &written, in, (int)n) == 1 && written >= 0 && (size_t)written == n);
}

static bool finish(EVP_CIPHER_CTX *ctx) {
    uint8_t none[16];
    int written = 0;
    return EVP_CipherFinal_ex(ctx, none, &written) == 1 && written == 0;
}

cjose_status cjose_gcm_seal(int size, const cjose_sealing *job) {
    EVP_CIPHER_CTX *ctx = take(size, 1, job->cek, job->iv, NULL);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, job->tag, 16), OSSL_PARAM_construct_end()};
    bool ok = update(ctx, NULL, job->aad, job->aad_len) && update(ctx, job->out, job->in, job->n) && finish(ctx)
        && EVP_CIPHER_CTX_get_params(ctx, tag) == 1;
    give(size, 1, ctx);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

cjose_status cjose_gcm_open(int size, const cjose_opening *job) {
    const OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, (void *)job->tag, 16),
        OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *ctx = take(size, 0, job->cek, job->iv, tag);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    bool ok = update(ctx, NULL, job->aad, job->aad_len) && update(ctx, job->out, job->in, job->n) && finish(ctx);
    give(size, 0, ctx);
    if (ok) return cjose_status_ok;
    // The plaintext is written before the tag is compared.
    if (job->n != 0) OPENSSL_cleanse(job->out, job->n);
    return cjose_failed(cjose_status_invalid);
}
