#include "internal.h"
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

static bool oaep_encrypt(craw *op) {
    size_t n = sizeof op->out;
    TRY(RAND_bytes(op->cek, (int)op->enc->cek) > 0);
    return EVP_PKEY_encrypt(op->key_ctx, op->out, &n, op->cek, op->enc->cek) > 0;
}

static bool oaep_decrypt(craw *op) {
    size_t n = sizeof op->out;
    const bytes *in = &op->field[craw_field_encrypted_key];
    TRY(EVP_PKEY_decrypt(op->key_ctx, op->out, &n, in->at, in->count) > 0 && n <= sizeof op->cek);
    memcpy(op->cek, op->out, n);
    return true;
}

static bool ready_oaep(craw *op, bool encrypt) {
    const char *hash = strcmp(op->alg, "RSA-OAEP") ? craw_hash_of(op->alg) : "SHA1";
    op->key = craw_key_read(op);
    op->md = craw_md(hash);
    op->key_ctx = op->key ? EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL) : NULL;
    TRY(op->md && op->key_ctx);
    TRY((encrypt ? EVP_PKEY_encrypt_init(op->key_ctx) : EVP_PKEY_decrypt_init(op->key_ctx)) > 0);
    TRY(EVP_PKEY_CTX_set_rsa_padding(op->key_ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    TRY(EVP_PKEY_CTX_set_rsa_oaep_md(op->key_ctx, op->md) > 0 && EVP_PKEY_CTX_set_rsa_mgf1_md(op->key_ctx, op->md) > 0);
    op->recipient = encrypt ? oaep_encrypt : oaep_decrypt;
    return true;
}

bool craw_kek_use(craw *op, const unsigned char *kek, bool wrap) {
    if (!op->wrap) {
        const char *name = strstr(op->alg, "A128") ? "AES-128-WRAP" : strstr(op->alg, "A192") ? "AES-192-WRAP" : "AES-256-WRAP";
        op->wrap_cipher = EVP_CIPHER_fetch(NULL, name, NULL);
        op->wrap = EVP_CIPHER_CTX_new();
        TRY(op->wrap_cipher && op->wrap);
        EVP_CIPHER_CTX_set_flags(op->wrap, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        return EVP_CipherInit_ex2(op->wrap, op->wrap_cipher, kek, NULL, wrap, NULL);
    }
    return EVP_CipherInit_ex2(op->wrap, NULL, kek, NULL, wrap, NULL);
}

bool craw_wrap_cek(craw *op) {
    int n;
    TRY(RAND_bytes(op->cek, (int)op->enc->cek) > 0);
    return EVP_EncryptUpdate(op->wrap, op->out, &n, op->cek, (int)op->enc->cek) > 0;
}

bool craw_unwrap_cek(craw *op) {
    const bytes *in = &op->field[craw_field_encrypted_key];
    int n;
    return EVP_DecryptUpdate(op->wrap, op->cek, &n, in->at, (int)in->count) > 0;
}

static bool wrap(craw *op) { return craw_kek_use(op, NULL, true) && craw_wrap_cek(op); }
static bool unwrap(craw *op) { return craw_kek_use(op, NULL, false) && craw_unwrap_cek(op); }

/// RFC 7518, 4.7: `info` holds the IV and the tag.
static bool gcm_wrap(craw *op) {
    int n;
    TRY(RAND_bytes(op->cek, (int)op->enc->cek) > 0 && RAND_bytes(op->iv, 12) > 0);
    TRY(EVP_EncryptInit_ex2(op->wrap, NULL, NULL, op->iv, NULL));
    TRY(EVP_EncryptUpdate(op->wrap, op->out, &n, op->cek, (int)op->enc->cek) > 0);
    TRY(EVP_EncryptFinal_ex(op->wrap, op->out + n, &n) > 0);
    return EVP_CIPHER_CTX_ctrl(op->wrap, EVP_CTRL_AEAD_GET_TAG, 16, op->tag) > 0;
}

static bool gcm_unwrap(craw *op) {
    const bytes *in = &op->field[craw_field_encrypted_key], *info = &op->field[craw_field_info];
    int n;
    TRY(info->count == 28 && EVP_DecryptInit_ex2(op->wrap, NULL, NULL, info->at, NULL));
    TRY(EVP_CIPHER_CTX_ctrl(op->wrap, EVP_CTRL_AEAD_SET_TAG, 16, info->at + 12) > 0);
    TRY(EVP_DecryptUpdate(op->wrap, op->cek, &n, in->at, (int)in->count) > 0);
    return EVP_DecryptFinal_ex(op->wrap, op->out, &n) > 0;
}

static bool ready_gcm_wrap(craw *op, bool encrypt) {
    const char *name = strstr(op->alg, "A128") ? "AES-128-GCM" : strstr(op->alg, "A192") ? "AES-192-GCM" : "AES-256-GCM";
    op->wrap_cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    op->wrap = EVP_CIPHER_CTX_new();
    TRY(op->wrap_cipher && op->wrap);
    op->recipient = encrypt ? gcm_wrap : gcm_unwrap;
    return EVP_CipherInit_ex2(op->wrap, op->wrap_cipher, op->field[craw_field_secret].at, NULL, encrypt, NULL);
}

static bool run_encrypt(craw *op) { return (!op->recipient || op->recipient(op)) && craw_seal(op); }
static bool run_decrypt(craw *op) { return (!op->recipient || op->recipient(op)) && (!op->enc || craw_open(op)); }

bool craw_ready_encryption(craw *op) {
    bool encrypt = !strcmp(op->operation, "encrypt");
    op->run = encrypt ? run_encrypt : run_decrypt;
    if (!strcmp(op->alg, "RSA1_5")) {
        TRY(craw_ready_rsa15(op, encrypt));
    } else if (!strncmp(op->alg, "PBES2", 5)) {
        TRY(craw_ready_password(op, encrypt));
    } else if (!strncmp(op->alg, "RSA", 3)) {
        TRY(ready_oaep(op, encrypt));
    } else if (!strncmp(op->alg, "ECDH", 4)) {
        TRY(craw_ready_agreement(op));
    } else if (!strcmp(op->alg, "dir")) {
        op->fixed_cek = true;
        memcpy(op->cek, op->field[craw_field_secret].at, op->enc->cek);
    } else if (strstr(op->alg, "GCMKW")) {
        TRY(ready_gcm_wrap(op, encrypt));
    } else {
        op->recipient = encrypt ? wrap : unwrap;
        TRY(craw_kek_use(op, op->field[craw_field_secret].at, encrypt));
    }
    return !op->enc || craw_ready_content(op, encrypt);
}
