#define _GNU_SOURCE
#include "CTiming.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#ifdef __linux__
#include <sched.h>
#endif

bool timing_pin(int32_t core) {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
#else
    (void)core;
    return false;
#endif
}

bool timing_rsa(const void *spki, size_t n, const void *block, void *out) {
    const unsigned char *at = spki;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)n);
    EVP_PKEY_CTX *ctx = key != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;
    size_t size = 256;
    bool made = ctx != NULL && EVP_PKEY_get_size(key) == 256 && EVP_PKEY_encrypt_init(ctx) == 1
        && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1
        && EVP_PKEY_encrypt(ctx, out, &size, block, 256) == 1;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return made;
}

bool timing_cbc(const void *key, const void *iv, const void *in, size_t n, void *out) {
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int written = 0;
    bool made = ctx != NULL && EVP_EncryptInit_ex(ctx, EVP_aes_128_cbc(), NULL, key, iv) == 1
        && EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 && EVP_EncryptUpdate(ctx, out, &written, in, (int)n) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return made && (size_t)written == n;
}

bool timing_mac(const void *key, size_t key_len, const void *in, size_t n, void *out) {
    unsigned size = 32;
    return HMAC(EVP_sha256(), key, (int)key_len, in, n, out, &size) != NULL;
}

bool timing_leaky_compare(const void *a, const void *b, size_t n) {
    const volatile unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) return false;
    return true;
}
