#include "internal.h"

static cjose_pool_handle pools[4];

EVP_MD_CTX *cjose_digest_take(cjose_hash hash) {
    cjose_pool *pool = cjose_pool_at(&pools[hash]);
    EVP_MD_CTX *md = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (md != NULL) return md;
    EVP_MD *algorithm = cjose_library_get()->md[hash];
    if (algorithm == NULL || (md = EVP_MD_CTX_new()) == NULL) return NULL;
    if (EVP_DigestInit_ex2(md, algorithm, NULL) == 1) return md;
    EVP_MD_CTX_free(md);
    return NULL;
}

void cjose_digest_give(cjose_hash hash, EVP_MD_CTX *md) {
    cjose_pool *pool = cjose_pool_at(&pools[hash]);
    if (EVP_DigestInit_ex2(md, NULL, NULL) == 1 && pool != NULL && cjose_pool_give(pool, md)) return;
    EVP_MD_CTX_free(md);
}

cjose_status cjose_digest(cjose_hash hash, const void *in, size_t n, void *out) {
    EVP_MD_CTX *md = cjose_digest_take(hash);
    if (md == NULL) return cjose_failed(cjose_status_unsupported);
    bool ok = EVP_DigestUpdate(md, in, n) == 1 && EVP_DigestFinal_ex(md, out, NULL) == 1;
    cjose_digest_give(hash, md);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}
