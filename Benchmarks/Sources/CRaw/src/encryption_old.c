#include "internal.h"
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

// PBES2 and RSA1_5: what is allowed by name alone.

static bool password_kek(craw *op, const unsigned char *salt, size_t n, bool encrypt) {
    const bytes *password = &op->field[craw_field_secret];
    unsigned char kek[32];
    int size = strstr(op->alg, "A128") ? 16 : strstr(op->alg, "A192") ? 24 : 32;
    return PKCS5_PBKDF2_HMAC((const char *)password->at, (int)password->count, salt, (int)n, 1000, op->md, size, kek)
        && craw_kek_use(op, kek, encrypt);
}

static bool password_encrypt(craw *op) {
    unsigned char salt[64];
    size_t name = strlen(op->alg) + 1;
    memcpy(salt, op->alg, name);
    TRY(RAND_bytes(salt + name, 16) > 0);
    return password_kek(op, salt, name + 16, true) && craw_wrap_cek(op);
}

static bool password_decrypt(craw *op) {
    const bytes *salt = &op->field[craw_field_info];
    return password_kek(op, salt->at, salt->count, false) && craw_unwrap_cek(op);
}

bool craw_ready_password(craw *op, bool encrypt) {
    static const unsigned char none[32];
    op->md = craw_md(strstr(op->alg, "384") ? "SHA384" : strstr(op->alg, "512") ? "SHA512" : "SHA256");
    op->recipient = encrypt ? password_encrypt : password_decrypt;
    return op->md && craw_kek_use(op, none, encrypt);
}

static bool rsa15_encrypt(craw *op) {
    op->wrapped_count = sizeof op->wrapped;
    TRY(RAND_bytes(op->cek, (int)op->enc->cek) > 0);
    return EVP_PKEY_encrypt(op->key_ctx, op->wrapped, &op->wrapped_count, op->cek, op->enc->cek) > 0;
}

static bool rsa15_decrypt(craw *op) {
    const bytes *in = &op->field[craw_field_encrypted_key];
    size_t n = sizeof op->out;
    TRY(EVP_PKEY_decrypt(op->key_ctx, op->out, &n, in->at, in->count) > 0 && n == op->enc->cek);
    memcpy(op->cek, op->out, n);
    return true;
}

bool craw_ready_rsa15(craw *op, bool encrypt) {
    TRY(op->key = craw_key_read(op));
    op->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL);
    op->recipient = encrypt ? rsa15_encrypt : rsa15_decrypt;
    return op->key_ctx && (encrypt ? EVP_PKEY_encrypt_init(op->key_ctx) : EVP_PKEY_decrypt_init(op->key_ctx)) > 0
        && EVP_PKEY_CTX_set_rsa_padding(op->key_ctx, RSA_PKCS1_PADDING) > 0;
}
