#include "internal.h"
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <string.h>

static bool run_verify(craw *op) {
    TRY(craw_digest_input(op));
    return EVP_PKEY_verify(
        op->key_ctx, op->field[craw_field_signature].at, op->field[craw_field_signature].count, op->digest,
        (size_t)EVP_MD_get_size(op->md)) == 1;
}

static bool run_sign(craw *op) {
    size_t n = sizeof op->out;
    TRY(craw_digest_input(op));
    return EVP_PKEY_sign(op->key_ctx, op->out, &n, op->digest, (size_t)EVP_MD_get_size(op->md)) > 0;
}

/// r || s as the DER that libcrypto reads; done once, not in the measured call.
static bool to_der(bytes *signature) {
    size_t half = signature->count / 2;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature->at, (int)half, NULL), *s = BN_bin2bn(signature->at + half, (int)half, NULL);
    unsigned char *der = NULL;
    TRY(ECDSA_SIG_set0(pair, r, s));
    int n = i2d_ECDSA_SIG(pair, &der);
    ECDSA_SIG_free(pair);
    signature->at = der;
    signature->count = (size_t)n;
    return n > 0;
}

bool craw_ready_signature(craw *op) {
    bool verify = !strcmp(op->operation, "verify");
    op->key = craw_key_read(op);
    op->md = craw_md(craw_hash_of(op->alg));
    op->md_ctx = EVP_MD_CTX_new();
    TRY(op->key && op->md && op->md_ctx && EVP_DigestInit_ex2(op->md_ctx, op->md, NULL));
    op->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, op->key, NULL);
    TRY(op->key_ctx && (verify ? EVP_PKEY_verify_init(op->key_ctx) : EVP_PKEY_sign_init(op->key_ctx)) > 0);
    TRY(EVP_PKEY_CTX_set_signature_md(op->key_ctx, op->md) > 0);
    if (op->alg[0] == 'R') TRY(EVP_PKEY_CTX_set_rsa_padding(op->key_ctx, RSA_PKCS1_PADDING) > 0);
    if (op->alg[0] == 'P') {
        TRY(EVP_PKEY_CTX_set_rsa_padding(op->key_ctx, RSA_PKCS1_PSS_PADDING) > 0);
        TRY(EVP_PKEY_CTX_set_rsa_mgf1_md(op->key_ctx, op->md) > 0);
        TRY(EVP_PKEY_CTX_set_rsa_pss_saltlen(op->key_ctx, RSA_PSS_SALTLEN_DIGEST) > 0);
    }
    if (op->alg[0] == 'E' && verify) TRY(to_der(&op->field[craw_field_signature]));
    op->run = verify ? run_verify : run_sign;
    return true;
}

static bool run_mac(craw *op) {
    size_t n;
    TRY(EVP_MAC_init(op->mac, NULL, 0, NULL));
    TRY(EVP_MAC_update(op->mac, op->field[craw_field_input].at, op->field[craw_field_input].count));
    return EVP_MAC_final(op->mac, op->digest, &n, sizeof op->digest);
}

static bool run_mac_verify(craw *op) {
    TRY(run_mac(op));
    return !CRYPTO_memcmp(op->digest, op->field[craw_field_signature].at, op->field[craw_field_signature].count);
}

bool craw_ready_mac(craw *op) {
    op->mac = craw_mac_new(craw_hash_of(op->alg), op->field[craw_field_secret].at, op->field[craw_field_secret].count);
    op->run = !strcmp(op->operation, "verify") ? run_mac_verify : run_mac;
    return op->mac != NULL;
}

static bool run_sodium_verify(craw *op) {
    const bytes *in = &op->field[craw_field_input];
    return !crypto_sign_ed25519_verify_detached(
        op->field[craw_field_signature].at, in->at, in->count, op->field[craw_field_key].at);
}

static bool run_sodium_sign(craw *op) {
    const bytes *in = &op->field[craw_field_input];
    return !crypto_sign_ed25519_detached(op->out, NULL, in->at, in->count, op->sodium_secret);
}

bool craw_ready_sodium(craw *op) {
    unsigned char public_key[32];
    TRY(sodium_init() >= 0 && op->field[craw_field_key].count == 32);
    op->run = run_sodium_verify;
    if (!strcmp(op->operation, "verify")) return true;
    op->run = run_sodium_sign;
    return !crypto_sign_ed25519_seed_keypair(public_key, op->sodium_secret, op->field[craw_field_key].at);
}

static bool run_message_verify(craw *op) {
    const bytes *in = &op->field[craw_field_input], *signature = &op->field[craw_field_signature];
    return EVP_DigestVerifyInit(op->md_ctx, NULL, NULL, NULL, op->key) == 1
        && EVP_DigestVerify(op->md_ctx, signature->at, signature->count, in->at, in->count) == 1;
}

static bool run_message_sign(craw *op) {
    const bytes *in = &op->field[craw_field_input];
    size_t n = sizeof op->out;
    return EVP_DigestSignInit(op->md_ctx, NULL, NULL, NULL, op->key) == 1
        && EVP_DigestSign(op->md_ctx, op->out, &n, in->at, in->count) == 1;
}

bool craw_ready_message(craw *op) {
    op->key = craw_key_read(op);
    op->md_ctx = EVP_MD_CTX_new();
    op->run = !strcmp(op->operation, "verify") ? run_message_verify : run_message_sign;
    return op->key && op->md_ctx;
}
