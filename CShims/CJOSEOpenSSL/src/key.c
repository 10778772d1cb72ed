#include <stdlib.h>

#include "internal.h"

const cjose_curve *cjose_curve_of(cjose_key_kind kind) {
    static const cjose_curve curves[cjose_key_kind_count] = {
        [cjose_key_kind_p256] = {"P-256", 32, true},
        [cjose_key_kind_p384] = {"P-384", 48, true},
        [cjose_key_kind_p521] = {"P-521", 66, true},
        [cjose_key_kind_secp256k1] = {"secp256k1", 32, false},
    };
    return curves[kind].name != NULL ? &curves[kind] : NULL;
}

cjose_status cjose_key_wrap(EVP_PKEY *pkey, cjose_key_kind kind, bool is_private, cjose_key **out) {
    cjose_key *key = calloc(1, sizeof *key);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return cjose_status_backend;
    }
    key->pkey = pkey;
    key->kind = kind;
    key->is_private = is_private;
    key->bits = EVP_PKEY_get_bits(pkey);
    *out = key;
    return cjose_status_ok;
}

void cjose_key_free(cjose_key *key) {
    if (key == NULL) return;
    for (int i = 0; i < cjose_work_count; i++) cjose_pool_end(&key->pools[i], cjose_job_free);
    cjose_rsa_kernel_end(&key->kernel);
    EVP_PKEY_free(key->pkey);
    cjose_key_free(key->half);
    free(key);
}

cjose_key_kind cjose_key_kind_of(const cjose_key *key) { return key->kind; }
bool cjose_key_is_private(const cjose_key *key) { return key->is_private; }
int32_t cjose_key_bits(const cjose_key *key) { return key->bits; }
bool cjose_key_is_exportable(const cjose_key *key) { return key->half == NULL; }

struct evp_pkey_st *cjose_key_private_numbers(const cjose_key *key) {
    return key->is_private && key->half == NULL ? key->pkey : NULL;
}

void cjose_job_free(void *at) {
    cjose_job *job = at;
    if (job == NULL) return;
    EVP_MD_CTX_free(job->md);
    cjose_rsa_power_free(job->power);
    EVP_PKEY_CTX_free(job->ctx);
    EVP_PKEY_free(job->peer);
    EVP_PKEY_free(job->pkey);
    free(job);
}

/// Returns the key for a context. Threads that use one RSA key of libcrypto wait for each other, so each context has a copy.
/// Other keys are shared, and so are those kept by a provider, which cannot be copied.
static EVP_PKEY *pkey_of(const cjose_key *key) {
    if (key->kind == cjose_key_kind_rsa && key->half == NULL) return EVP_PKEY_dup(key->pkey);
    return EVP_PKEY_up_ref(key->pkey) == 1 ? key->pkey : NULL;
}

cjose_job *cjose_job_take(const cjose_key *key, int work, cjose_job_ready ready) {
    cjose_pool *pool = cjose_pool_at(&((cjose_key *)key)->pools[work]);
    cjose_job *job = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (job != NULL) return job;
    if ((job = calloc(1, sizeof *job)) == NULL) return NULL;
    job->pkey = pkey_of(key);
    job->ctx = job->pkey != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, job->pkey, NULL) : NULL;
    if (job->ctx != NULL && ready(job, key, work)) return job;
    cjose_job_free(job);
    return NULL;
}

void cjose_job_give(const cjose_key *key, int work, cjose_job *job) {
    cjose_pool *pool = cjose_pool_at(&((cjose_key *)key)->pools[work]);
    if (pool == NULL || !cjose_pool_give(pool, job)) cjose_job_free(job);
}
