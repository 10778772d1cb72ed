#include <openssl/core_names.h>

#include "internal.h"

/// Contexts that generate key pairs, by curve.
static cjose_pool_handle makers[cjose_key_kind_count];

static bool ready(cjose_job *job, const cjose_key *key, int work) {
    (void)key;
    (void)work;
    return EVP_PKEY_derive_init(job->ctx) == 1;
}

static bool derive(EVP_PKEY_CTX *ctx, EVP_PKEY *peer, void *z, size_t field) {
    size_t made = field;
    // libcrypto's own check of the peer is left out: the caller has checked it, and that check is slower than the rest.
    return EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) == 1 && EVP_PKEY_derive(ctx, z, &made) == 1 && made == field;
}

cjose_status cjose_agree(const cjose_key *key, const void *point, size_t point_len, void *z) {
    if (key->kind == cjose_key_kind_x448) return cjose_agree_x448(key, point, point_len, z);
    const cjose_curve *curve = cjose_curve_of(key->kind);
    if (curve == NULL || !curve->agrees || !key->is_private) return cjose_status_key_invalid;
    // The length is exact because libcrypto also takes compressed points and the one byte of infinity.
    if (point_len != 1 + 2 * curve->field || ((const uint8_t *)point)[0] != 4) return cjose_status_invalid;
    cjose_job *job = cjose_job_take(key, cjose_work_agree, ready);
    if (job == NULL || (job->peer == NULL && (job->peer = cjose_curve_key(key->kind)) == NULL)) {
        cjose_job_free(job);
        return cjose_failed(cjose_status_backend);
    }
    cjose_forget_errors();
    cjose_status status = cjose_status_invalid;
    // Coordinates of the field's prime or more, and points off the curve, are rejected here. The curves have no
    // subgroups.
    if (EVP_PKEY_set1_encoded_public_key(job->peer, point, point_len) == 1)
        status = derive(job->ctx, job->peer, z, curve->field) ? cjose_status_ok : cjose_status_backend;
    if (status == cjose_status_ok) {
        cjose_job_give(key, cjose_work_agree, job);
        return status;
    }
    // What a rejected point leaves in the peer is undocumented: the peer is freed.
    EVP_PKEY_free(job->peer);
    job->peer = NULL;
    cjose_job_give(key, cjose_work_agree, job);
    return cjose_refused(status);
}

static EVP_PKEY_CTX *maker(const cjose_curve *curve) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (ctx != NULL && EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_CTX_set_group_name(ctx, curve->name) == 1) return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static EVP_PKEY *fresh(cjose_key_kind kind) {
    cjose_pool *pool = cjose_pool_at(&makers[kind]);
    EVP_PKEY_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (ctx == NULL) ctx = maker(cjose_curve_of(kind));
    EVP_PKEY *made = NULL;
    if (ctx == NULL || EVP_PKEY_generate(ctx, &made) != 1) made = NULL;
    if (made == NULL || pool == NULL || !cjose_pool_give(pool, ctx)) EVP_PKEY_CTX_free(ctx);
    return made;
}

cjose_status cjose_agree_fresh(const cjose_key *recipient, void *point, void *z) {
    if (recipient->kind == cjose_key_kind_x448) return cjose_agree_x448_fresh(recipient, point, z);
    const cjose_curve *curve = cjose_curve_of(recipient->kind);
    if (curve == NULL || !curve->agrees) return cjose_status_key_invalid;
    EVP_PKEY *pair = fresh(recipient->kind);
    EVP_PKEY_CTX *ctx = pair != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, pair, NULL) : NULL;
    size_t size = 1 + 2 * curve->field, made = 0;
    bool ok = ctx != NULL && EVP_PKEY_derive_init(ctx) == 1 && derive(ctx, recipient->pkey, z, curve->field)
        && EVP_PKEY_get_octet_string_param(pair, OSSL_PKEY_PARAM_PUB_KEY, point, size, &made) == 1 && made == size
        && *(uint8_t *)point == 4;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(pair);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

cjose_status cjose_key_ec_generate(cjose_key_kind kind, cjose_key **out) {
    *out = NULL;
    if (cjose_curve_of(kind) == NULL) return cjose_status_unsupported;
    EVP_PKEY *made = fresh(kind);
    return made != NULL ? cjose_key_wrap(made, kind, true, out) : cjose_failed(cjose_status_backend);
}
