#include "openssl.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

static EVP_CIPHER *gcm128, *gcm256, *cbc128;
static EVP_MAC *hmac;

bool openssl_content_ready(void) {
    gcm128 = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
    gcm256 = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    cbc128 = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    return gcm128 && gcm256 && cbc128 && hmac;
}

static EVP_CIPHER *gcm(const char *enc) {
    return !strcmp(enc, "A128GCM") ? gcm128 : !strcmp(enc, "A256GCM") ? gcm256 : NULL;
}

/* RFC 7518, 5.2.2.1. */
static bool code(const content *c, const uint8_t *ciphertext, size_t n, uint8_t to[32]) {
    uint8_t bits[8] = {0};
    for (size_t i = 0, count = c->aad_count * 8; i < 8; i++, count >>= 8) bits[7 - i] = (uint8_t)count;
    OSSL_PARAM hash[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_END};
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(hmac);
    size_t made;
    bool ok = EVP_MAC_init(mac, c->cek, 16, hash) && EVP_MAC_update(mac, c->aad, c->aad_count) && EVP_MAC_update(mac, c->iv, 16)
        && EVP_MAC_update(mac, ciphertext, n) && EVP_MAC_update(mac, bits, 8) && EVP_MAC_final(mac, to, &made, 32);
    EVP_MAC_CTX_free(mac);
    return ok;
}

bool openssl_seal(const char *enc, const content *c, size_t *count) {
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER *aead = gcm(enc);
    int n = 0, end = 0;
    uint8_t full[32];
    bool ok = aead
        ? EVP_EncryptInit_ex2(ctx, aead, c->cek, c->iv, NULL) && EVP_EncryptUpdate(ctx, NULL, &n, c->aad, (int)c->aad_count)
        : EVP_EncryptInit_ex2(ctx, cbc128, c->cek + 16, c->iv, NULL);
    ok = ok && EVP_EncryptUpdate(ctx, c->out, &n, c->in, (int)c->n) && EVP_EncryptFinal_ex(ctx, c->out + n, &end);
    *count = (size_t)(n + end);
    if (ok && aead) ok = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, c->tag) > 0;
    if (ok && !aead && (ok = code(c, c->out, *count, full))) memcpy(c->tag, full, 16);
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

bool openssl_open(const char *enc, const content *c, size_t *count) {
    EVP_CIPHER *aead = gcm(enc);
    uint8_t full[32];
    if (!aead && (!code(c, c->in, c->n, full) || CRYPTO_memcmp(full, c->tag, 16))) return false;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0, end = 0;
    bool ok = aead
        ? EVP_DecryptInit_ex2(ctx, aead, c->cek, c->iv, NULL) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, c->tag) > 0
            && EVP_DecryptUpdate(ctx, NULL, &n, c->aad, (int)c->aad_count)
        : EVP_DecryptInit_ex2(ctx, cbc128, c->cek + 16, c->iv, NULL);
    ok = ok && EVP_DecryptUpdate(ctx, c->out, &n, c->in, (int)c->n) && EVP_DecryptFinal_ex(ctx, c->out + n, &end) > 0;
    *count = (size_t)(n + end);
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}
