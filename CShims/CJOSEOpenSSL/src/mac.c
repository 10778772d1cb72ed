#include <openssl/core_names.h>
#include <stdlib.h>

#include "hmac_states.h"
#include "internal.h"

struct cjose_mac {
    cjose_hash hash;
    /// The states for whole texts; null: a context of the pool computes those too. Streams always use a context.
    cjose_hmac_states *states;
    const void *key;
    size_t key_len;
    cjose_pool_handle pool;
};

EVP_MAC_CTX *cjose_hmac_new(EVP_MAC *hmac, cjose_hash hash) {
    static const char *const names[4] = {"SHA1", "SHA2-256", "SHA2-384", "SHA2-512"};
    EVP_MAC_CTX *ctx = hmac != NULL ? EVP_MAC_CTX_new(hmac) : NULL;
    if (ctx == NULL) return NULL;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)names[hash], 0), OSSL_PARAM_construct_end()};
    if (EVP_MAC_CTX_set_params(ctx, params) == 1) return ctx;
    EVP_MAC_CTX_free(ctx);
    return NULL;
}

EVP_MAC_CTX *cjose_mac_take(cjose_mac *mac) {
    cjose_pool *pool = cjose_pool_at(&mac->pool);
    EVP_MAC_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    const cjose_library *library = cjose_library_get();
    bool restart = ctx != NULL && library->mac_restarts;
    if (ctx == NULL && (ctx = cjose_hmac_new(library->hmac, mac->hash)) == NULL) return NULL;
    if (EVP_MAC_init(ctx, restart ? NULL : mac->key, restart ? 0 : mac->key_len, NULL) == 1) return ctx;
    EVP_MAC_CTX_free(ctx);
    return NULL;
}

void cjose_mac_give(cjose_mac *mac, EVP_MAC_CTX *ctx) {
    cjose_pool *pool = cjose_pool_at(&mac->pool);
    if (pool == NULL || !cjose_pool_give(pool, ctx)) EVP_MAC_CTX_free(ctx);
}

cjose_status cjose_mac_new(cjose_hash hash, const void *key, size_t key_len, cjose_mac **out) {
    *out = NULL;
    if (key == NULL || key_len == 0) return cjose_status_key_too_small;
    if (cjose_too_long(key_len)) return cjose_status_key_invalid;
    cjose_mac *mac = calloc(1, sizeof *mac);
    if (mac == NULL) return cjose_status_backend;
    mac->hash = hash;
    mac->key = key;
    mac->key_len = key_len;
    mac->states = cjose_hmac_states_new(hash, key, key_len);
    if (mac->states == NULL) {
        EVP_MAC_CTX *first = cjose_mac_take(mac);
        if (first == NULL) {
            cjose_mac_free(mac);
            return cjose_failed(cjose_status_unsupported);
        }
        cjose_mac_give(mac, first);
    }
    *out = mac;
    return cjose_status_ok;
}

void cjose_mac_free(cjose_mac *mac) {
    if (mac == NULL) return;
    cjose_hmac_states_free(mac->states);
    cjose_pool_end(&mac->pool, (void (*)(void *))EVP_MAC_CTX_free);
    free(mac);
}

cjose_status cjose_mac_sign(const cjose_mac *mac, const void *in, size_t n, void *out) {
    if (cjose_too_long(n)) return cjose_status_invalid;
    if (mac->states != NULL)
        return cjose_hmac_states_sign(mac->states, in, n, out) ? cjose_status_ok : cjose_failed(cjose_status_backend);
    EVP_MAC_CTX *ctx = cjose_mac_take((cjose_mac *)mac);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    size_t size = cjose_hash_size(mac->hash), written = 0;
    bool ok = EVP_MAC_update(ctx, in, n) == 1 && EVP_MAC_final(ctx, out, &written, size) == 1 && written == size;
    if (ok) {
        cjose_mac_give((cjose_mac *)mac, ctx);
        return cjose_status_ok;
    }
    EVP_MAC_CTX_free(ctx);
    return cjose_failed(cjose_status_backend);
}

cjose_status cjose_mac_verify(const cjose_mac *mac, const void *in, size_t n, const void *tag, size_t tag_len) {
    if (tag_len != cjose_hash_size(mac->hash)) return cjose_status_invalid;
    uint8_t right[64];
    cjose_status status = cjose_mac_sign(mac, in, n, right);
    if (status == cjose_status_ok && cjose_shown((uint32_t)CRYPTO_memcmp(right, tag, tag_len)) != 0)
        status = cjose_status_invalid;
    OPENSSL_cleanse(right, sizeof right);
    return status;
}
