#include "openssl.h"
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    const char *alg;
    EVP_MD *md;
    EVP_PKEY *key;
    char *secret;
    size_t secret_count;
    token_parts token;
} state;

static void *ready(const char *alg, bool is_private) {
    state *s = calloc(1, sizeof *s);
    s->alg = alg;
    s->md = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!strcmp(alg, "HS256")) s->secret = fixture_key(alg, "shared.secret", &s->secret_count);
    else s->key = openssl_key(alg, is_private);
    return s->key || s->secret ? s : NULL;
}

void *openssl_verifier(const char *alg) { return ready(alg, false); }

/* What it signs is what the fixture's token signs. */
void *openssl_signer(const char *alg) {
    char name[64];
    size_t n;
    snprintf(name, sizeof name, "verify/%s.token", alg);
    char *token = fixture(name, &n);
    state *s = ready(alg, true);
    return s && token && openssl_parts(&s->token, token, n) ? s : NULL;
}

static bool begin(const state *s, EVP_MD_CTX *md, bool signs) {
    EVP_PKEY_CTX *key;
    EVP_MD *hash = strcmp(s->alg, "EdDSA") ? s->md : NULL;
    if ((signs ? EVP_DigestSignInit(md, &key, hash, NULL, s->key) : EVP_DigestVerifyInit(md, &key, hash, NULL, s->key)) <= 0) return false;
    return strcmp(s->alg, "PS256")
        || (EVP_PKEY_CTX_set_rsa_padding(key, RSA_PKCS1_PSS_PADDING) > 0 && EVP_PKEY_CTX_set_rsa_pss_saltlen(key, 32) > 0);
}

/* RFC 7518, 3.4: r and s, 32 bytes each, which OpenSSL takes as DER. */
static size_t der_of(const uint8_t *raw, uint8_t *der) {
    ECDSA_SIG *pair = ECDSA_SIG_new();
    ECDSA_SIG_set0(pair, BN_bin2bn(raw, 32, NULL), BN_bin2bn(raw + 32, 32, NULL));
    int n = i2d_ECDSA_SIG(pair, &der);
    ECDSA_SIG_free(pair);
    return n > 0 ? (size_t)n : 0;
}

static bool raw_of(const uint8_t *der, size_t n, uint8_t *raw) {
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)n);
    bool ok = pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw, 32) > 0 && BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw + 32, 32) > 0;
    ECDSA_SIG_free(pair);
    return ok;
}

bool openssl_verify(void *with, const char *token, size_t n) {
    state *s = with;
    if (!openssl_parts(&s->token, token, n)) return false;
    const part *signature = &s->token.decoded[2];
    if (s->secret) {
        uint8_t code[32];
        unsigned count;
        return HMAC(s->md, s->secret, (int)s->secret_count, s->token.text, s->token.signed_count, code, &count)
            && signature->n == count && !CRYPTO_memcmp(code, signature->bytes, count);
    }
    uint8_t der[128];
    const uint8_t *given = signature->bytes;
    size_t count = signature->n;
    if (!strcmp(s->alg, "ES256")) {
        if (count != 64) return false;
        count = der_of(given, der);
        given = der;
    }
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = begin(s, md, false) && EVP_DigestVerify(md, given, count, s->token.text, s->token.signed_count) > 0;
    EVP_MD_CTX_free(md);
    return ok;
}

char *openssl_sign(void *with) {
    state *s = with;
    uint8_t made[512], raw[64];
    size_t n = sizeof made;
    unsigned count;
    bool ok;
    if (s->secret) {
        ok = HMAC(s->md, s->secret, (int)s->secret_count, s->token.text, s->token.signed_count, made, &count);
    } else {
        EVP_MD_CTX *md = EVP_MD_CTX_new();
        ok = begin(s, md, true) && EVP_DigestSign(md, made, &n, s->token.text, s->token.signed_count) > 0
            && (strcmp(s->alg, "ES256") || raw_of(made, n, raw));
        EVP_MD_CTX_free(md);
    }
    return ok ? strdup("-") : NULL;
}
