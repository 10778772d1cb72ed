#include "internal.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>

static const content_row rows[] = {
    {"A128CBC-HS256", "AES-128-CBC", "SHA256", 32, 16, 16}, {"A192CBC-HS384", "AES-192-CBC", "SHA384", 48, 16, 24},
    {"A256CBC-HS512", "AES-256-CBC", "SHA512", 64, 16, 32}, {"A128GCM", "AES-128-GCM", NULL, 16, 12, 16},
    {"A192GCM", "AES-192-GCM", NULL, 24, 12, 16},           {"A256GCM", "AES-256-GCM", NULL, 32, 12, 16},
};

const content_row *craw_content_row(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

EVP_MAC_CTX *craw_mac_new(const char *hash, const unsigned char *key, size_t n) {
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *mac = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    OSSL_PARAM digest[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)hash, 0), OSSL_PARAM_END};
    return mac && EVP_MAC_init(mac, key, n, digest) ? mac : NULL;
}

/// The CBC family has the MAC key first (RFC 7518, 5.2.2.1).
static const unsigned char *cipher_key(const craw *op) { return op->enc->hash ? op->cek + op->enc->cek / 2 : op->cek; }

bool craw_ready_content(craw *op, bool seal) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, op->enc->cipher, NULL);
    op->content = EVP_CIPHER_CTX_new();
    TRY(cipher && op->content && EVP_CipherInit_ex2(op->content, cipher, cipher_key(op), NULL, seal, NULL));
    if (op->enc->hash) TRY(op->mac = craw_mac_new(op->enc->hash, op->cek, op->enc->cek / 2));
    return true;
}

static bool mac(craw *op, const unsigned char *iv, const unsigned char *ciphertext, size_t n) {
    const bytes *aad = &op->field[craw_field_aad];
    unsigned char bits[8];
    for (int i = 0; i < 8; i++) bits[i] = (unsigned char)((uint64_t)aad->count * 8 >> (56 - 8 * i));
    TRY(EVP_MAC_init(op->mac, op->fixed_cek ? NULL : op->cek, op->fixed_cek ? 0 : op->enc->cek / 2, NULL));
    TRY(EVP_MAC_update(op->mac, aad->at, aad->count) && EVP_MAC_update(op->mac, iv, op->enc->iv));
    TRY(EVP_MAC_update(op->mac, ciphertext, n) && EVP_MAC_update(op->mac, bits, 8));
    return EVP_MAC_final(op->mac, op->tag, NULL, sizeof op->tag);
}

bool craw_seal(craw *op) {
    const bytes *in = &op->field[craw_field_input], *aad = &op->field[craw_field_aad];
    int n, rest;
    TRY(RAND_bytes(op->iv, (int)op->enc->iv) > 0);
    TRY(EVP_EncryptInit_ex2(op->content, NULL, op->fixed_cek ? NULL : cipher_key(op), op->iv, NULL));
    if (!op->enc->hash) TRY(EVP_EncryptUpdate(op->content, NULL, &n, aad->at, (int)aad->count));
    TRY(EVP_EncryptUpdate(op->content, op->out, &n, in->at, (int)in->count));
    TRY(EVP_EncryptFinal_ex(op->content, op->out + n, &rest));
    op->made = (size_t)(n + rest);
    if (op->enc->hash) return mac(op, op->iv, op->out, op->made);
    return EVP_CIPHER_CTX_ctrl(op->content, EVP_CTRL_AEAD_GET_TAG, 16, op->tag) > 0;
}

bool craw_open(craw *op) {
    const bytes *in = &op->field[craw_field_ciphertext], *aad = &op->field[craw_field_aad];
    const bytes *iv = &op->field[craw_field_iv], *tag = &op->field[craw_field_tag];
    int n, rest;
    if (op->enc->hash) TRY(mac(op, iv->at, in->at, in->count) && !CRYPTO_memcmp(op->tag, tag->at, tag->count));
    TRY(EVP_DecryptInit_ex2(op->content, NULL, op->fixed_cek ? NULL : cipher_key(op), iv->at, NULL));
    if (!op->enc->hash) {
        TRY(EVP_CIPHER_CTX_ctrl(op->content, EVP_CTRL_AEAD_SET_TAG, (int)tag->count, tag->at) > 0);
        TRY(EVP_DecryptUpdate(op->content, NULL, &n, aad->at, (int)aad->count));
    }
    TRY(EVP_DecryptUpdate(op->content, op->out, &n, in->at, (int)in->count));
    return EVP_DecryptFinal_ex(op->content, op->out + n, &rest) > 0;
}

/// Encrypts like `openssl speed -aead`: the key is kept, with a new IV, 13 bytes of associated data, and the tag is read.
static bool run_seal(craw *op) {
    static const unsigned char aad[13] = {0};
    const bytes *in = &op->field[craw_field_input];
    int n;
    TRY(EVP_EncryptInit_ex2(op->content, NULL, NULL, op->iv, NULL));
    TRY(EVP_EncryptUpdate(op->content, NULL, &n, aad, sizeof aad));
    TRY(EVP_EncryptUpdate(op->content, op->out, &n, in->at, (int)in->count));
    return EVP_EncryptFinal_ex(op->content, op->out + n, &n) > 0;
}

bool craw_ready_seal(craw *op) {
    op->run = run_seal;
    op->fixed_cek = true;
    return craw_ready_content(op, true);
}
