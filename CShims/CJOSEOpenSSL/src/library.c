#include <openssl/core_names.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <pthread.h>

#include "internal.h"

static cjose_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Whether a MAC context restarts: of three MACs of one text, of which the second is not finished, the first and the last must
/// agree.
static bool mac_restarts(void) {
    static const uint8_t key[16], text[16];
    uint8_t first[32], last[32];
    size_t made = 0;
    EVP_MAC_CTX *ctx = cjose_hmac_new(library.hmac, cjose_hash_sha256);
    bool restarts = ctx != NULL && EVP_MAC_init(ctx, key, sizeof key, NULL) == 1
        && EVP_MAC_update(ctx, text, sizeof text) == 1 && EVP_MAC_final(ctx, first, &made, sizeof first) == 1
        && EVP_MAC_init(ctx, NULL, 0, NULL) == 1 && EVP_MAC_update(ctx, text, 1) == 1
        && EVP_MAC_init(ctx, NULL, 0, NULL) == 1 && EVP_MAC_update(ctx, text, sizeof text) == 1
        && EVP_MAC_final(ctx, last, &made, sizeof last) == 1 && memcmp(first, last, sizeof first) == 0;
    EVP_MAC_CTX_free(ctx);
    return restarts;
}

/// Whether libcrypto's default provider has both.
static bool are_default(const EVP_MAC *mac, const EVP_MD *md) {
    if (mac == NULL || md == NULL) return false;
    const OSSL_PROVIDER *of_mac = EVP_MAC_get0_provider(mac);
    return of_mac == EVP_MD_get0_provider(md) && strcmp(OSSL_PROVIDER_get0_name(of_mac), "default") == 0;
}

static EVP_PKEY *curve_parameters(const cjose_curve *curve) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *made = NULL;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve->name, 0),
        OSSL_PARAM_construct_end()};
    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1
        || EVP_PKEY_fromdata(ctx, &made, EVP_PKEY_KEY_PARAMETERS, params) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(ctx);
    return made;
}

static void fetch(void) {
    static const char *const digests[4] = {"SHA1", "SHA2-256", "SHA2-384", "SHA2-512"};
    static const char *const cbc[3] = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"};
    static const char *const gcm[3] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
    static const char *const wrap[3] = {"AES-128-WRAP", "AES-192-WRAP", "AES-256-WRAP"};
    for (int i = 0; i < 4; i++) library.md[i] = EVP_MD_fetch(NULL, digests[i], NULL);
    library.hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    library.pbkdf2 = EVP_KDF_fetch(NULL, "PBKDF2", NULL);
    for (int i = 0; i < 3; i++) {
        library.cbc[i] = EVP_CIPHER_fetch(NULL, cbc[i], NULL);
        library.gcm[i] = EVP_CIPHER_fetch(NULL, gcm[i], NULL);
        library.wrap[i] = EVP_CIPHER_fetch(NULL, wrap[i], NULL);
    }
    for (int kind = 0; kind < cjose_key_kind_count; kind++) {
        const cjose_curve *curve = cjose_curve_of((cjose_key_kind)kind);
        if (curve != NULL) library.curve[kind] = curve_parameters(curve);
    }
    for (int i = 0; i < 4; i++) library.has_default_hmac[i] = are_default(library.hmac, library.md[i]);
    library.mac_restarts = mac_restarts();
    ERR_clear_error();
}

const cjose_library *cjose_library_get(void) {
    pthread_once(&once, fetch);
    return &library;
}

const char *cjose_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }

cjose_status cjose_random(void *out, size_t n) {
    if (cjose_too_long(n)) return cjose_status_invalid;
    if (n == 0) return cjose_status_ok;
    return RAND_priv_bytes(out, (int)n) == 1 ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

void cjose_cleanse(void *p, size_t n) {
    if (n != 0) OPENSSL_cleanse(p, n);
}
