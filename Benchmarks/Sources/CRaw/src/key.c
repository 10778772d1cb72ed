#include "internal.h"
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <sodium.h>
#include <string.h>

/// From parameters to a key, the way JWK members must take.
static bool from_data(EVP_PKEY_CTX *ctx, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    bool ok = EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, parameters) > 0;
    EVP_PKEY_free(key);
    return ok;
}

static bool run_rsa(craw *op) {
    const bytes *n = &op->field[craw_field_modulus], *e = &op->field[craw_field_exponent];
    BIGNUM *modulus = BN_bin2bn(n->at, (int)n->count, NULL), *exponent = BN_bin2bn(e->at, (int)e->count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    bool ok = OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) && from_data(op->key_ctx, parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(exponent);
    return ok;
}

static bool run_ec(craw *op) {
    const bytes *point = &op->field[craw_field_point];
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point->at, point->count), OSSL_PARAM_END};
    return from_data(op->key_ctx, parameters);
}

static bool run_pem(craw *op) {
    const bytes *text = &op->field[craw_field_input];
    BIO *bio = BIO_new_mem_buf(text->at, (int)text->count);
    EVP_PKEY *key = strstr(op->alg, "private") ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL)
                                               : PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
    BIO_free(bio);
    EVP_PKEY_free(key);
    return key != NULL;
}

static bool run_der(craw *op) {
    EVP_PKEY *key = craw_key_read(op);
    EVP_PKEY_free(key);
    return key != NULL;
}

static bool run_pem_write(craw *op) {
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    bool ok = PEM_write_bio_PUBKEY(bio, op->key) > 0 && BIO_get_mem_data(bio, &text) > 0;
    BIO_free(bio);
    return ok;
}

static bool run_sodium_check(craw *op) { return crypto_core_ed25519_is_valid_point(op->field[craw_field_key].at) == 1; }

static bool run_sodium_generate(craw *op) { return !crypto_sign_ed25519_keypair(op->point, op->sodium_secret); }

static bool run_generate(craw *op) {
    EVP_PKEY *key = NULL;
    bool ok = EVP_PKEY_keygen(op->key_ctx, &key) > 0;
    EVP_PKEY_free(key);
    return ok;
}

static X509 *certificate(const bytes *der) {
    const unsigned char *at = der->at;
    return d2i_X509(NULL, &at, (long)der->count);
}

static bool run_certificate(craw *op) {
    X509 *read = certificate(&op->field[craw_field_key]);
    X509_free(read);
    return read != NULL;
}

/// `key` the leaf, `input` its issuer, `secret` the root.
static bool run_chain(craw *op) {
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    bool ok = ctx && X509_STORE_CTX_init(ctx, op->store, op->leaf, op->issuers) && X509_verify_cert(ctx) > 0;
    X509_STORE_CTX_free(ctx);
    return ok;
}

static bool ready_chain(craw *op) {
    op->leaf = certificate(&op->field[craw_field_key]);
    op->issuers = sk_X509_new_null();
    op->store = X509_STORE_new();
    return sk_X509_push(op->issuers, certificate(&op->field[craw_field_input])) > 0
        && X509_STORE_add_cert(op->store, certificate(&op->field[craw_field_secret])) > 0;
}

bool craw_ready_key(craw *op) {
    static const struct {
        const char *alg;
        bool (*run)(craw *);
    } rows[] = {
        {"RSA", run_rsa}, {"EC", run_ec}, {"DER", run_der}, {"PEM public", run_pem}, {"PEM private", run_pem},
        {"PEM write", run_pem_write}, {"Ed25519 check", run_sodium_check}, {"generate P-256", run_generate},
        {"generate Ed25519", run_sodium_generate}, {"X509", run_chain}, {"X509 read", run_certificate},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(op->alg, rows[i].alg)) op->run = rows[i].run;
    if (op->run == run_rsa || op->run == run_ec || op->run == run_generate) {
        op->key_ctx = EVP_PKEY_CTX_new_from_name(NULL, op->run == run_rsa ? "RSA" : "EC", NULL);
        if (op->run != run_generate) return op->key_ctx && EVP_PKEY_fromdata_init(op->key_ctx) > 0;
        return EVP_PKEY_keygen_init(op->key_ctx) > 0 && EVP_PKEY_CTX_set_group_name(op->key_ctx, "P-256") > 0;
    }
    if (op->run == run_chain) return ready_chain(op);
    if (op->run == run_pem_write) return (op->key = craw_key_read(op)) != NULL;
    return op->run && sodium_init() >= 0;
}
