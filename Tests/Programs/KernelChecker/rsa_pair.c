#if defined(CJOSE_ACCELERATED)
#include <openssl/rsa.h>
#include <string.h>

#include "rsa.h"

size_t pair_bytes(const pair *pair) { return ((size_t)pair->bits + 7) / 8; }

size_t digest_size(cjose_kernel_rsa_scheme scheme) { return 32 + 16 * ((size_t)scheme % 3); }

static const EVP_MD *hash_of(cjose_kernel_rsa_scheme scheme) {
    const EVP_MD *const hashes[] = {EVP_sha256(), EVP_sha384(), EVP_sha512()};
    return hashes[scheme % 3];
}

/// Configures a context as the verifier of the package does (RFC 7518, 3.5).
static void set_up(EVP_PKEY_CTX *ctx, cjose_kernel_rsa_scheme scheme) {
    bool is_pss = scheme >= cjose_kernel_rsa_scheme_ps256;
    need(EVP_PKEY_CTX_set_rsa_padding(ctx, is_pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING) == 1, "padding");
    need(EVP_PKEY_CTX_set_signature_md(ctx, hash_of(scheme)) == 1, "hash");
    if (!is_pss) return;
    need(EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, hash_of(scheme)) == 1, "MGF1");
    need(EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, (int)digest_size(scheme)) == 1, "salt");
}

pair pair_make(int bits, unsigned e, bool is_quick) {
    pair made = {.bits = bits};
    BIGNUM *exponent = BN_new(), *n = NULL, *given = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    need(exponent != NULL && BN_set_word(exponent, e) == 1, "BN_set_word");
    need(ctx != NULL && EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) == 1, "keygen");
    if (is_quick) need(EVP_PKEY_CTX_set_rsa_keygen_primes(ctx, bits < 4096 ? 3 : 4) == 1, "keygen");
    need(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(ctx, exponent) == 1 && EVP_PKEY_generate(ctx, &made.pkey) == 1, "keygen");
    for (int i = 0; i < 6; i++) {
        made.contexts[i] = EVP_PKEY_CTX_new_from_pkey(NULL, made.pkey, NULL);
        need(made.contexts[i] != NULL && EVP_PKEY_verify_init(made.contexts[i]) == 1, "EVP_PKEY_verify_init");
        set_up(made.contexts[i], (cjose_kernel_rsa_scheme)i);
    }
    need(EVP_PKEY_get_bn_param(made.pkey, "n", &n) == 1 && EVP_PKEY_get_bn_param(made.pkey, "e", &given) == 1, "n");
    uint8_t modulus[RSA_MAX], number[8];
    int bytes = (int)pair_bytes(&made);
    need(BN_bn2binpad(n, modulus, bytes) == bytes && BN_bn2binpad(given, number, 8) == 8, "BN_bn2binpad");
    made.key = cjose_kernel_rsa_key_new(modulus, (size_t)bytes, number, sizeof number);
    need((made.key != NULL) == (rsa_is_covered() && bits % 1024 == 0), "cjose_kernel_rsa_key_new");
    EVP_PKEY_CTX_free(ctx);
    BN_free(exponent);
    BN_free(n);
    BN_free(given);
    return made;
}

void pair_end(pair *pair) {
    for (int i = 0; i < 6; i++) EVP_PKEY_CTX_free(pair->contexts[i]);
    EVP_PKEY_free(pair->pkey);
    cjose_kernel_rsa_key_free(pair->key);
}

void pair_sign(const pair *pair, cjose_kernel_rsa_scheme scheme, const uint8_t *digest, uint8_t *signature) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pair->pkey, NULL);
    size_t made = pair_bytes(pair);
    need(ctx != NULL && EVP_PKEY_sign_init(ctx) == 1, "EVP_PKEY_sign_init");
    set_up(ctx, scheme);
    need(EVP_PKEY_sign(ctx, signature, &made, digest, digest_size(scheme)) == 1, "EVP_PKEY_sign");
    EVP_PKEY_CTX_free(ctx);
}

void pair_sign_encoded(const pair *pair, const uint8_t *encoded, uint8_t *signature) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pair->pkey, NULL);
    size_t made = pair_bytes(pair);
    need(ctx != NULL && EVP_PKEY_sign_init(ctx) == 1, "EVP_PKEY_sign_init");
    need(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1, "padding");
    need(EVP_PKEY_sign(ctx, signature, &made, encoded, made) == 1, "EVP_PKEY_sign");
    EVP_PKEY_CTX_free(ctx);
}

uint8_t pair_verify(
    const pair *pair, cjose_kernel_rsa_scheme scheme, const uint8_t *digest, const uint8_t *signature) {
    size_t bytes = pair_bytes(pair);
    int held = EVP_PKEY_verify(pair->contexts[scheme], signature, bytes, digest, digest_size(scheme));
    return held == 1 ? cjose_kernel_valid : cjose_kernel_invalid;
}
#endif
